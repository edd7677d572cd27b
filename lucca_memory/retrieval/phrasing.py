"""Which speakers a question is about, and the question without their names and in the first person.

A small encoder overrates names. Without them, and in the first person of the speaker it is about, a question is closer
to what that person said. Among the words, the names stay: what others said about a person often has the name in it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lucca_memory.retrieval.analysis import STOP_WORDS
from lucca_memory.retrieval.messages import sentences_in, telling_share

_FIRST = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself)\b", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|you're|you've|you'd|your|yours|yourself)\b", re.IGNORECASE)
# A question about what the robot said has a verb in the past; "Can you tell me ..." is only polite.
_TOLD = (
    'said|told|recommended|suggested|mentioned|gave|given|provided|advised|shared|listed|explained|described|proposed|'
    'offered|helped|wrote|made|promised|answered'
)
_ASKS_ROBOT = re.compile(
    r'\b(?:did|have|had|were|are) you\b|'
    rf"\byou(?:'ve|'d| have| had)? (?:\w+ )?(?:{_TOLD})\b|"
    r'\byour (?:answer|advice|suggestion|recommendation|list|plan|explanation|response|idea)s?\b',
    re.IGNORECASE,
)
_POLITE = re.compile(
    r'\b(?:can|could|would|will) you\b|\b(?:do|would) you (?:know|remember|recall|think|mind)\b', re.IGNORECASE
)
# Both took part in a talk, so these questions are about both, unless they ask for what the asker brought up.
_TALKED = re.compile(
    r'\b(?:our|(?:last|previous|earlier|past)) (?:\w+ )?(?:conversation|chat|discussion|talk)s?\b|'
    r"\bwe(?:'ve|'d| have| had)? (?:\w+ )?(?:talk(?:ed)?|discuss(?:ed)?|speak|spoken?|chat(?:ted)?)\b",
    re.IGNORECASE,
)
_I_SAID = re.compile(
    r"\bI(?:'ve|'d| have| had)? (?:\w+ )?"
    r'(?:brought|mentioned|told|asked|said|talked|shared|raised|described|discussed)\b',
    re.IGNORECASE,
)
MOST_SENTENCES = 8
"""Most sentences of a message that are compared one by one, as each is embedded."""

# Words that begin questions and are names, too: "May I sit?" is not about May Lee.
_FIRST_WORDS = frozenset(
    ('all', 'any', 'both', 'each', 'may', 'might', 'must', 'no', 'not', 'now', 'one', 'shall', 'should', 'since')
)
# A word of a name that may stand for all of it: "Anna" for Anna Smith, but not "Dr.", an initial or a number.
_NAME_WORD = re.compile(r"(?<![\w'’])[^\W\d_]{2,}(?![\w.'’])")
_SPACES = re.compile(r'\s+')
_BEFORE_MARK = re.compile(r'\s+([?.!,;:])')

# Verb forms that differ in the first person.
_AGREEMENT = {
    'is': 'am',
    'has': 'have',
    'does': 'do',
    'was': 'was',
    "doesn't": "don't",
    "isn't": 'am not',
    "hasn't": "haven't",
}


@dataclass(frozen=True, slots=True)
class Phrasing:
    """A rephrased question.

    Attributes:
        text: the question as asked.
        speakers: the speakers that it is about: those it names, else the robot or the asker.
        without_names: the question without the names of speakers.
        first_person: the question in the words of the speaker named first; equals `without_names` if nobody is named.
        named: the question names its speakers.
        own: the question is about the asker.
        telling: share of the text that tells something rather than asks, 0 to 1.
        sentences: the sentences of `without_names`, at most `MOST_SENTENCES`, if the text tells something and has
            several; else none.
    """

    text: str
    speakers: tuple[str, ...]
    without_names: str
    first_person: str
    named: bool = False
    own: bool = False
    telling: float = 0.0
    sentences: tuple[str, ...] = ()


def phrase(text: str, speakers: Iterable[str], *, asker: str = '', robot: str = '') -> Phrasing:
    """Rephrases a question.

    Args:
        text: the question.
        speakers: the names of all speakers in the scope.
        asker: the speaker whom "I" and "my" mean, and whom a question without a name or "you" is about.
        robot: the speaker whom "you" and "your" mean.
    """
    known = [name for name in speakers if name]
    named, cut = _named_in(text, known)
    # A question that names a speaker is about that speaker, even if it mentions the asker ("What did Bo tell me?").
    about = [name for name in known if any(name in names for names in named.values())]
    about = about or _without_names(text, known, asker, robot)
    cut = _tidy(cut)
    # Whoever is named first mostly is the subject: "Why is Bo angry with Anna?" is answered by "I am angry with Anna".
    first = min(named, key=lambda name: text.lower().find(name.lower()), default='')
    spoken = _in_first_person(text, first) if first else cut
    own = bool(asker) and about == [asker]
    telling = telling_share(text)
    sentences = _sentences(cut or text) if telling else ()
    return Phrasing(text, tuple(about), cut or text, spoken or text, bool(named), own, telling, sentences)


def _named_in(text: str, known: Sequence[str]) -> tuple[dict[str, list[str]], str]:
    """The names in a text with the speakers that each one means, and the text without them.

    A speaker is named by the whole name, or by one word of it, written with its capital. Several speakers may share
    such a word. Words within a whole name, and words that are another speaker's whole name, mean nobody else.
    """
    named: dict[str, list[str]] = {}
    for name in sorted(known, key=len, reverse=True):
        if name.lower() in text.lower() and (pattern := _pattern(name, re.IGNORECASE)).search(text):
            named[name], text = [name], pattern.sub(' ', text)
    whole = {name.lower() for name in known}
    for name in known:
        for word in _NAME_WORD.findall(name):
            if word in text and word[0].isupper() and word.lower() not in STOP_WORDS | whole:
                named.setdefault(word, []).append(name)
    for word in (word for word in list(named) if word not in known):
        text, found = _mention(word).subn(' ', text)
        if not found:
            del named[word]
    return named, text


def _sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text if there are several; the longest ones if there are many."""
    found = [sentence.strip() for sentence in sentences_in(text)]
    if len(found) < 2:
        return ()
    longest = sorted(range(len(found)), key=lambda place: -len(found[place]))[:MOST_SENTENCES]
    return tuple(found[place] for place in sorted(longest))


def _without_names(text: str, known: Sequence[str], asker: str, robot: str) -> list[str]:
    """Whom a question that names nobody is about: nobody if it asks for what the two talked about, the robot if it asks
    for what the robot said or is, else the asker, since what people ask their own memory for is what they said."""
    if _TALKED.search(text) and not _I_SAID.search(text):
        return []
    second = _SECOND.search(text) is not None
    if robot in known and (
        _ASKS_ROBOT.search(text) or (second and not _FIRST.search(text) and not _POLITE.search(text))
    ):
        return [robot]
    return [asker] if asker in known else []


def _in_first_person(text: str, name: str) -> str:
    own = _pattern_text(name)
    text = re.sub(rf"{own}['’]s?(?!\w)", 'my', text, flags=re.IGNORECASE)
    verbs = '|'.join(map(re.escape, _AGREEMENT))

    def before(match: re.Match[str]) -> str:
        verb = match[1].lower()
        return f'{_AGREEMENT.get(verb, verb)} I'

    def after(match: re.Match[str]) -> str:
        return f'I {_AGREEMENT[match[1].lower()]}'

    text = re.sub(rf'\b({verbs}|did|will|would|can|could|had)\s+{own}', before, text, flags=re.IGNORECASE)
    text = re.sub(rf'{own}\s+({verbs})\b', after, text, flags=re.IGNORECASE)
    return _tidy(re.sub(own, 'I', text, flags=re.IGNORECASE))


def _pattern_text(name: str) -> str:
    return rf'(?<!\w){re.escape(name)}(?!\w)'


def _pattern(name: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    return re.compile(rf"{_pattern_text(name)}(?:['’]s)?(?!\w)", flags)


def _mention(word: str) -> re.Pattern[str]:
    """Where a word of a name names somebody: not a function word that begins a sentence."""
    if word.lower() not in _FIRST_WORDS:
        return _pattern(word)
    return re.compile(rf'(?<![.!?] )(?<!^){_pattern(word).pattern}')


def _tidy(text: str) -> str:
    return _BEFORE_MARK.sub(r'\1', _SPACES.sub(' ', text)).strip()
