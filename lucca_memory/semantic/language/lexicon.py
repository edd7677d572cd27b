"""English word lists for deciding whether two sentences state the same attribute.

Which words name one attribute, which relations allow several values, which words distinguish subjects, and which are
uninformative. Words that are missing here are still compared by stem and by meaning.
"""

from functools import lru_cache

from lucca_memory.retrieval.analysis import STOP_WORDS, key_of, key_of_stem, stem_of


def _words(text: str) -> list[str]:
    return text.split()


_DERIVED = tuple(_words('ations ation ition tion ion ment ance ence enc ship iti er or al age ist ur ee i y e'))
_LEAST_ROOT = 5
_SPELLINGS = dict(
    item.split(':')
    for item in _words(
        'practis:practic licenc:licens defenc:defens colour:color favourit:favorit neighbour:neighbor centr:center '
        'theatr:theater organis:organiz tyre:tire programm:program jewelleri:jewelri cheque:check metr:meter '
        'litr:liter grey:gray'
    )
)
"""British and American stems, so that spellings match."""


@lru_cache(maxsize=50_000)
def root_of(word: str) -> int:
    """The key of a lower-case word without its endings, equal for `delivers` and `delivery`; 0 for a function word."""
    if word in STOP_WORDS:
        return 0
    root, before = stem_of(word), ''
    root = _SPELLINGS.get(root, root)
    while root != before:
        before = root
        ending = next((end for end in _DERIVED if root.endswith(end) and len(root) - len(end) >= _LEAST_ROOT), '')
        root = root[: len(root) - len(ending)]
    return key_of_stem(root)


def _stems(words: str) -> frozenset[int]:
    return frozenset(key_of(word) for word in words.split())


_CLASSES = {
    'residence': 'live lives living lived reside resides residence home flat apartment house address move moved moving '
    'relocate relocated settled settle rent renting rents stay stays staying based',
    'work': 'job work works working profession employed employer employs position career occupation hired',
    'birthday': 'birthday born birth',
    'age': 'age aged',
    'phone': 'phone telephone mobile',
    'mail': 'email mail e-mail',
    'price': 'price cost costs budget fee priced rate charge charges bill pay pays paid',
    'pay': 'salary wage wages earn earns earned income',
    'deadline': 'deadline due',
    'favourite': 'favourite favorite prefer prefers preferred',
    'partner': 'husband wife partner boyfriend girlfriend spouse married engaged fiance fiancee',
    'name': 'name named called',
    'car': 'car drive drives driving',
    'study': 'study studies studying major majoring degree enrolled',
    'colour': 'colour color',
    'password': 'password passcode',
    'venue': 'venue place location held',
    'begins': 'scheduled happens starts begins start begin starting beginning opens opening',
    'ends': 'ends end finishes finish closes closing',
    'departs': 'leaves departs departure leave depart',
    'arrives': 'arrives arrival arrive lands',
    'stored': 'stored kept keep keeps located stands lies sits store stores storage',
    'leads': 'leads led lead leader head heads headed chief',
    'size': 'size sized',
    'weight': 'weight weigh weighs weighed',
    'height': 'height',
    'length': 'length lasts',
    'members': 'member members membership',
}
ONE_AT_A_TIME = frozenset(_words('residence work birthday age phone mail favourite partner study pay deadline'))
"""Attributes with one value at a time, and the words for them."""

CLASS_OF = {key_of(word): name for name, words in _CLASSES.items() for word in words.split() if key_of(word)}
"""The attribute named by a stem."""

_VERBS = (
    'like love enjoy hate dislike visit see saw watch met read bought buy eat ate cook cooked know talk talked think '
    'thought hear heard say said tell told want wanted hope try tried made make find found go went use used helped '
    'help walk walked ran remember forget forgot wrote write sent got spent noticed wonder feel felt guess learned '
    'baked cleaned fixed lost brought include includes contains comprises features covers consists among speak speaks '
    'own owns need needs repair repaired appreciate admire recommend play mention mentioned support supports knew '
    'bring brings'
)
_ADJECTIVES = 'allergic intolerant interested afraid fond fluent'
MANY = frozenset(form for verb in _VERBS.split() for form in (verb, f'{verb}s', f'{verb}d', f'{verb}ed')) | frozenset(
    _ADJECTIVES.split()
)
"""Relations that allow several values, and events; another value does not supersede the old one."""

ONE_OF_MANY = frozenset(
    _words(
        'friend colleague coworker neighbour neighbor classmate teammate student pupil client customer cousin aunt '
        'uncle'
    )
)
"""Relations to several people: another name is another person."""

ROLES = _stems(
    'chair lead head manage direct coordinate organise organize teach host captain supervise represent edit coach '
    'conduct cater own run leader director manager owner keep hold answer handle maintain guard oversee command '
    'moderate preside sponsor fund finance supply provide administer steer curate serve clean repair service deliver '
    'look print publish insure audit operate mentor tutor review approve train instruct guide advise warden caretaker '
    'secretary treasurer president mayor principal goalkeeper conductor referee editor curator trainer guardian '
    'librarian dean rector spokesperson chairman chairwoman captain steward janitor organiser organizer coordinator '
    'supervisor sponsor host'
)
"""Roles that one person at a time has, so that a new name supersedes the old one."""

FOR_LIFE = _stems('born grow grew raised school graduate graduated married marry name named founded')
"""Events that happen once, so that a different account corrects the old one."""

COUNTED = frozenset(
    _words('own owns need needs needed include includes contain contains comprise comprises feature features')
)
"""Relations that allow several values, but only one count at a time: "needs 40 chairs"."""

INSCRIBED = frozenset(_words('reads says shows features'))
"""Verbs for things that display their value."""

LIGHT = _stems('come fall go get number stand lie sit total amount count one give set fix make take bear carry')
"""Verbs that only link an attribute to its value: a delivery comes on Friday, a grant amounts to a sum."""

SIBLINGS = frozenset(
    _words(
        'mother mum mom father dad sister brother son daughter aunt uncle cousin niece nephew grandmother grandma '
        'grandfather grandpa wife husband boyfriend girlfriend left right upper lower front back top bottom first '
        'second third fourth last north south east west inner outer morning afternoon evening breakfast lunch dinner'
    )
)
"""Words that distinguish subjects, however similar their meanings."""

PREPOSITIONS = frozenset(
    _words(
        'in at on to from into as under near inside onto around until till through via for with by of about after '
        'over against between during'
    )
)

ARTICLES = frozenset(_words('a an the my our your his her their its'))

TRANSPARENT = frozenset(
    _words(
        "now already currently recently actually still also always usually today yesterday tomorrow o'clock am pm is "
        'are was '
        'were be been has have had will would takes take each every per'
    )
)
"""Words that say nothing about an attribute or its value."""

UNITS_OF_TIME = frozenset(
    _words(
        'second minute hour day night week weekend month quarter year time seconds minutes hours days weeks months '
        'years times'
    )
)

IDLE = _stems(
    'good great nice bad okay ok yes no well really very quite pretty maybe perhaps please thanks thank hello hi hey '
    'bye like think know guess feel get go come make say tell thing stuff way lot bit kind sort much many more most '
    'any all every other new old one again even never always sometimes back here want need try let look see something '
    'anything nothing everything someone somebody everyone not sure right oh ah wow yeah yep anyway actually awesome '
    'amazing cool fun wonderful fantastic lovely fine super so totally absolutely definitely exactly glad happy sad '
    'sorry excited exciting interesting incredible beautiful gorgeous cute sweet adorable tough hard rough important '
    'special inspiring inspired rewarding relaxing delicious yummy worry worries problem congrats congratulations '
    'sound sounds keep going agree appreciate welcome luck best better love hope wish proud impressive impressed '
    'stoked thrilled grateful thankful refreshing peaceful calming busy tired stressed nervous relieved worried upset '
    'angry bored lonely ready okay alright true wild crazy weird funny helpful kind perfect key true big huge hard '
    'easy able support encouragement stuff matter'
)
"""Words of small talk and moods, which state no attribute."""

NOT_HELD = frozenset(
    _words(
        "not never cannot can't won't don't doesn't didn't isn't aren't wasn't weren't haven't hasn't wouldn't "
        "couldn't shouldn't i'll we'll you'll he'll she'll they'll it'll could might must should may can gonna going "
        "want wants hope if let let's i'd we'd wish maybe perhaps probably"
    )
)
"""Words that keep a sentence from stating an attribute in words alone."""

DOUBTFUL = frozenset(
    _words(
        "not never cannot don't doesn't didn't isn't aren't wasn't weren't haven't hasn't wouldn't couldn't shouldn't "
        'could might '
        'if want wants hope hopes wish wishes maybe perhaps probably considering planning dreaming'
    )
)
"""Words of plans, doubts and denials: whatever value a sentence with them names, it does not state it."""

NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        _words(
            'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen '
            'seventeen eighteen nineteen'
        )
    )
} | {
    'twenty': '20',
    'thirty': '30',
    'forty': '40',
    'fifty': '50',
    'sixty': '60',
    'seventy': '70',
    'eighty': '80',
    'ninety': '90',
    'hundred': '100',
    'thousand': '1000',
    'once': '1',
    'twice': '2',
    'thrice': '3',
    'dozen': '12',
}
"""Number words."""
