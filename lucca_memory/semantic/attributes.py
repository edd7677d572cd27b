"""Words for attributes that people and things have, for telling whether two sentences speak of the same one.

Knowledge about the language, not about any update: which words name one attribute, which relations hold of many values at
once, which words tell a subject from its sibling. A word that is missing here is still compared by stem and by meaning.
"""

from lucca_memory.retrieval.analysis import key_of

_CLASSES = {
    'residence': 'live lives living reside resides residence home flat apartment house address move moved moving relocate '
    'relocated settled settle rent renting stay stays staying based',
    'work': 'job work works working profession employed employer employs position career occupation hired',
    'birthday': 'birthday born birth',
    'age': 'age aged',
    'phone': 'phone telephone mobile',
    'mail': 'email mail e-mail',
    'price': 'price cost costs budget fee priced rate',
    'deadline': 'deadline due',
    'favourite': 'favourite favorite prefer prefers preferred',
    'partner': 'husband wife partner boyfriend girlfriend spouse',
    'name': 'name named called',
    'car': 'car drive drives driving',
    'study': 'study studies studying major majoring degree enrolled',
    'colour': 'colour color painted',
    'password': 'password passcode',
    'begins': 'scheduled happens starts begins start begin',
    'departs': 'leaves departs departure leave depart',
    'arrives': 'arrives arrival arrive lands',
    'stored': 'stored kept keep keeps located stands lies sits',
    'leads': 'leads led lead leader head heads headed',
}
CLASS_OF = {key_of(word): name for name, words in _CLASSES.items() for word in words.split()}
"""The attribute that a stem names."""

_VERBS = """like love enjoy hate dislike visit see saw watch met read bought buy eat ate cook cooked know
    talk talked think thought hear heard say said tell told want wanted hope try tried made make find found go
    went use used helped help walk walked run ran remember forget forgot wrote write sent send got spent saw noticed
    wonder feel felt guess learned baked cleaned fixed lost brought include includes contains comprises features covers
    consists among speak speaks own owns need needs repair repaired""".split()
MANY = frozenset(form for verb in _VERBS for form in (verb, f'{verb}s', f'{verb}d', f'{verb}ed'))
"""Relations that hold of many values at once, and what merely happened: another value takes no place."""

ROLES = frozenset(
    key_of(word)
    for word in """chair lead head manage direct coordinate organise organize teach host captain supervise represent edit
    coach conduct cater own run leader director manager owner""".split()
)
"""What one does for a thing alone, so that whoever is named anew takes the other's place."""

SIBLINGS = frozenset(
    """mother mum mom father dad sister brother son daughter aunt uncle cousin niece nephew grandmother grandma
    grandfather grandpa wife husband boyfriend girlfriend left right upper lower front back top bottom first second third
    fourth last north south east west inner outer morning afternoon evening breakfast lunch dinner""".split()
)
"""Words that tell one subject from the next, however alike they mean."""

PREPOSITIONS = frozenset(
    'in at on to from into as under near inside onto around until till through via for with by of'.split()
)

ARTICLES = frozenset('a an the my our your his her their its'.split())

TRANSPARENT = frozenset(
    """now already currently recently actually still also already always usually today yesterday tomorrow o'clock am pm
    is are was were be been has have had will would takes take place""".split()
)
"""Words that say nothing of the attribute or its value."""
