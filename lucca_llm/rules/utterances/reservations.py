"""Reservations: words by which a text may not mean, now and of this robot, what it seems to ask for.

They are read widely: what is lost is only a question.
"""

import re
from collections.abc import Collection

from lucca_language.words.lexicon import lexicon
from lucca_language.words.mistypings import may_deny
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.utterances.openings import somebody_else
from lucca_llm.rules.utterances.repairs import takes_all_back


def _either(words: str, *phrases: str) -> str:
    """A pattern of any of these words and phrases."""
    return '|'.join([*words.split(), *phrases])


_TAGS = ["don't", "wouldn't", "won't", "can't", "couldn't", "didn't", "isn't", "aren't", "doesn't", "haven't"]
_HARMLESS = re.compile(
    r"\b(?:i(?:'m| am) not (?:quite |so |really )?(?:sure|certain)|"
    r"i (?:do not|don't|cannot|can't) (?:know|tell|see|reach|remember|believe|mind)|"
    rf'(?:{"|".join(_TAGS)}) (?:you|we|it|they)(?: think| agree)?|'
    r"if you (?:do not|don't|wouldn't) mind|if you(?:'d| would| could| can| will)? (?:please|like|be so (?:kind|good))|"
    r"if you (?:can|could|would|please)|i bet (?:that )?you (?:can|can't|cannot|could|couldn't)(?: even)?|as if|"
    r"i(?:'d| would) ask|i suppose|i(?:'d| would) (?:love|like|appreciate) it if you|"
    r'(?:could|can|would|will) you maybe|'
    r"(?:let(?:'s| us| me) )?see (?:if|whether) you(?: can| could)?|"
    r"if (?:it|that)(?: is not|'s not| isn't) too much (?:trouble|bother)|where i can|"
    r'when(?:ever)? you (?:can|have (?:a|the) (?:moment|minute|second|chance|time))|not sure whether|'
    r'(?:would it be|is it) possible to|good (?:afternoon|evening)|'
    r'no (?:problem|rush|hurry|worries|idea)|no(?=,? (?:wait|hang|hold on|sorry|i mean)\b)|'
    r'(?:ok|er|uh|um|ah|oh),? no(?=,))|(?<=wait), no\b|^no(?=,)|,? (?:i mean|rather)(?=,)',
    re.IGNORECASE,
)
"""What denies or supposes nothing, whatever words it shares with what does."""
_QUOTES = re.compile(
    r"[“”„«»\"`*<≠∉←❌🚫👎]|(?<![-=])>|[!-]=|\.remove\b|(?:^|\s)'[^' ]+ [^']*'(?=[\s.,;:!?]|$)|(?:^|\s)‘[^’]+’"
)
_CONDITIONS = _either(
    'if unless provided providing assuming supposing suppose depending either iff whether otherwise',
    r'subject to|given that|as long as|so long as|in case|or else|in an emergency|on three',
    r'on (?:my|his|her|their|the) (?:signal|mark|command|word)',
    r'should (?:he|she|they|anybody|anyone|somebody|someone)',
    r'as (?:it|he|she|they|we)|at my|upon|permission|in the event|the moment|lest',
    r'flip a|where (?:allowed|possible)|maybe|perhaps',
    r'(?:able|possible|hard|have|had|need|supposed) to|going to (?!bed|sleep|the|a|my)',
)
_TIMES = _either(
    'later tomorrow tonight soon until till til when whenever after afterwards before once while minutes minute hours '
    'hour seconds twice again during always never shortly eventually someday sometime sometimes tmrw 2moro 2nite '
    'evening afternoon midnight noon dawn dusk sunrise sunset weekend monday tuesday wednesday thursday friday '
    'saturday sunday christmas easter birthday remind future daily hourly nightly regularly repeatedly temporarily '
    'forever normally usually almost partly halfway winter spring summer autumn',
    r"o'clock|at (?:half|quarter|lunch|dinner|breakfast|supper|\d)|by (?:\d|then)|\d+ ?(?:am|pm|secs?|mins?)",
    r'in (?:a|an|\d+|two|five|ten) ?(?:s|secs?|mins?|moment|bit|while|jiffy|second|minute|hour)',
    r'(?:every|each) (?:day|time|morning|night|week)|next (?:time|week|morning|day|month|year)|from now on',
    r'(?:in|at|around|by) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?! box)',
    r'for (?:a bit|now)|post \w+',
    r'over and over|ready to|on the \d+|in the morning|(?:some|one) day|in \w+ days|at \d+:\d+|at the end',
    r'for (?:five|ten|\d+)|following|morgen',
    r'give me a (?:second|sec|moment|minute)|break|prepare|wait\W+then|first let|hold on a',
    r'not (?:now|yet)|over (?:lunch|dinner|breakfast)|count to|get ready|plan to|wait (?:for|a|an)|put it back',
)
_REPORTS = _either(
    'said says saying told tell tells telling ask asks asked asking wrote written heard hears thinks thought dream '
    'dreams dreamed dreamt quote quotes quoting translate spell sing pretend imagine hypothetically theory example '
    'opposite recipe manual sign signs note notes message line reads script story lyrics yesterday ago',
    r'(?:they|people|often|could|might|would|i) say|say(?: this| that)?(?=[:,])|saw you|had you|wants me to|refuse',
    r'in the film|as my \w+ put|theoretically|write down|read this|simulate|practi[sc]e|learn to|e\.g|a joke',
    r'what if|used to|last (?:week|year|night|time)',
)
_TAKES_BACK = _either(
    'undo quit cease pause prevent beware abandon nvm nvr dontput donot dun aint banned reject rejects hates fail '
    'del rm kidding jk joking belay ignore disregard scrap forget cancel abort myself ourselves',
    r'enough with|d o n t|dare you|un-\w+|niet|keinesfalls|better (?:not|put|leave|keep)',
    r'did(?: not|n.?t) mean|would be (?:bad|wrong|the worst|a mistake|terrible)',
    r'rather not|not really|strike (?:it|that)|hold it|changed my mind|wrong robot|second thoughts?',
    r'never ?mind|no thanks?|not today|no leave|take (?:that|it) back',
    r'leave (?:it|that|them)(?=\W*$)',
    r'leave (?:it|that|them|everything|all)(?: of it)? (?:where|alone|be|there|here|for now|as)',
)
_ELSEWHERE = _either(
    'outta outside across below beneath under above along through alongside adjacent within',
    r'(?<!drink )(?<!drinks )from(?! (?:you|me|us)\b)|off (?:the|of|me|us|box|bowl|tower)|away (?:from|with)',
    r'or (?:\d|one|two|three|in|on)|\d ?[/,-] ?\d',
)
"""Places that no plain request names."""
_COUNTS = _either(
    'few couple pair most many several half hardly dozen',
    r'(?:a|one) (?:third|quarter)|(?:two|three|four|five|six|\d) of',
    r'(?<!box )(?<!number )(?:0|[2-9]|two|three|four|five|six) \w+s|as many|any \w+',
)
_OF_OTHERS = _either(
    'hers theirs',
    r'(?:to|for|give|hand|pass|get) (?:him|her|them|us all)',
    r'(?:mum|mom|mama|dad|papa|grandma|grandpa|granny|nurse|doctor)(?=[,:!])',
    r'(?:my|our|his|her) \w+ (?:should|will|can|must|may|could) (?!be\b|go\b)|goes(?=:)',
    r"i(?:'ll| will| can) (?!take\b)|we(?:'ll| will)|watch me|(?:help|let) (?!me\b|us\b)\w+",
)
_WITHHOLDS = re.compile(
    rf'\b(?:{_CONDITIONS}|{_TIMES}|{_REPORTS}|{_TAKES_BACK}|{_ELSEWHERE}|{_COUNTS}|{_OF_OTHERS})\b', re.IGNORECASE
)
_DENIALS = _either(
    'no not nt dnt never nobody none neither nor without refrain avoid avoiding resist forbidden forbid prohibited '
    'instead rather hate against nein nicht kein keine pas dinnae cannae alone untouched wrong mistake afraid unwise '
    'nothing keep stay stays bide bides but except minus excluding excluded excepted apart aside besides save',
    r'away from|out of (?:the )?(?:box|bowl|tray|bin|drawer|basket|tower)|rid of|off limits|hands off|no one',
)
_DENIES = re.compile(rf"\b(?:{_DENIALS})\b|n't\b", re.IGNORECASE)
_CLAUSES = re.compile(r'[.,;:!?…–—()]+\s*|\s-+\s|\s+(?=but\b)|\bso(?: that)?\b|\bbecause\b', re.IGNORECASE)
_CAPITALISED = re.compile(r"(?<=[\w,;:–—-] )@?[A-Z][\w'-]*|@\w+")
_FIRST_WORD = re.compile(r'^\W*(?P<word>\w+)\s*[:!](?=\s)(?!\s*$)')
_OF_SOMEBODY = re.compile(
    r'^(?!(?:You|I|We|It|That|This|The|They|He|She|These|Those|There)\b)[A-Z][a-z]+ '
    r'(?:should|will|can|must|may|could) (?!be\b|go\b)'
)
_OPENS = any_of('goal task order please ok okay right well hey hi hello robot listen look')
_NO_NAMES = frozenset({'I', "I'm", "I'd", "I'll", "I've", 'OK', 'TV', 'RGB', 'A', 'Please'})


def is_withheld(said: str, my_name: str, known: Collection[str]) -> bool:
    """Whether what a text asks for may be quoted, reported, conditional, postponed, taken back, or for somebody else.

    Args:
        said: the text.
        my_name: the robot's name.
        known: names of the speaker and of what is here, which call nobody else.
    """
    if _QUOTES.search(said) is not None or takes_all_back(said) or somebody_else(said, my_name):
        return True
    if _OF_SOMEBODY.match(said) is not None or any(map(may_deny, re.findall(r"[\w']{4,}", said))):
        return True
    own = {part.lower() for name in (my_name, *known) for part in name.split()}
    called = {
        word.lower().removesuffix("'s")
        for word in _CAPITALISED.findall(said)
        if word not in _NO_NAMES and not word.isupper()
    }
    if (first := _FIRST_WORD.match(said)) is not None and not _heads_a_list(first['word'].lower(), own):
        return True  # `Bob: …`, `note: …`
    return bool(called - own) or _WITHHOLDS.search(_HARMLESS.sub(' ', said)) is not None


def denying_clauses(said: str) -> list[str]:
    """The clauses of a text that may deny what they speak of, or take it out of the rest."""
    return [clause for clause in _CLAUSES.split(_HARMLESS.sub(' ', said)) if _DENIES.search(clause) is not None]


def _heads_a_list(word: str, own: Collection[str]) -> bool:
    """Whether a first word before a colon may be what is listed behind it, or just opens the text."""
    noun = lexicon().singular(word)
    return word in _OPENS or noun in own or lexicon().is_category(noun) or lexicon().knows(noun)
