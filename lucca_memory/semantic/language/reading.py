"""Parsing a sentence: its words, with names, numbers and dates among them, and what it may state."""

import re
from dataclasses import dataclass
from functools import lru_cache

from lucca_memory.retrieval.analysis import key_of, words_of
from lucca_memory.retrieval.dates import MONTHS, WEEKDAYS
from lucca_memory.semantic.language.lexicon import (
    ARTICLES,
    CLASS_OF,
    COUNTED,
    DOUBTFUL,
    IDLE,
    INSCRIBED,
    MANY,
    MOST_READ,
    NOT_HELD,
    NUMBERS,
    ONE_OF_MANY,
    PREPOSITIONS,
    SIBLINGS,
    TRANSPARENT,
    UNITS_OF_TIME,
    root_of,
)

COPULAS = frozenset(['is', 'are', 'was', 'were', 'am', "i'm", "it's", 'be'])
_TOKEN = re.compile(r"[^\W_](?:[\w.:/€$£%@+-]*\w)?(?:['’][^\W_]+)?|[€$£]\d(?:[\d.,]*\d)?")
_SENTENCE = re.compile(
    r'(?<!\b[A-Z]\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bSt\.)(?<=[.!?])\s+(?=[A-Z0-9"“])'
)
_CALL = re.compile(r'^(?:(?:\w+,? )?[A-Z]\w+[,!]\s+)(?=\S)|,\s+[A-Z][a-z]+(?=\s*[.!]*$)')
_ASIDE = re.compile(
    r'^(?:by the way|for (?:context|reference|the record)|'
    r"for what it's worth|just so you know|fyi|in case it matters|also|"
    r'(?:as|on) (?:an?|the) (?:aside|side note|note)|anyway|note that|keep in mind that|'
    r'(?:maybe |perhaps )?(?:it|this) (?:may |might |could )?'
    r'(?:helps?|matters?|is (?:relevant|of interest))(?: to know)? that|'
    r'(?:i guess |i think )?(?:you|it) (?:(?:should|might|may|can|could|would|want to|need to|also|just) )*'
    r'(?:know|(?:helps?|be good|be useful|is good|is useful|is worth) '
    r'(?:to )?(?:know|knowing|mention|mentioning|note))(?: that)?|'
    r'(?:i|we) (?:(?:should|must|might|may|can|could|just|also|want to|wanted to|have to|forgot to|would like to) )*'
    r'(?:mention|mentioned|say|add|note|tell you|told you|think|believe|guess|know|mean)(?: that)?),?\s+',
    re.IGNORECASE,
)
_HEDGE = re.compile(r'\b(?:say|think|believe|guess|mean|may|might|maybe|perhaps)\b', re.IGNORECASE)
_LEADING = re.compile(
    r'^(?:since|because|as|while|although|though|now that|given that)\s+([^,]+),\s+(.+)$', re.IGNORECASE
)
_JOINT = re.compile(
    r',?\s+(?=(?:which|because|since|although|though|while|whereas)\b)|'
    r',\s+(?=(?:and|but|so|if|when|as|or|in case|just|by the way|for what|you know)\b)|;\s+|\s+[-–—]\s+',
    re.IGNORECASE,
)
_CALENDAR = {*MONTHS, *WEEKDAYS} - {'may', 'mar', 'sun', 'sat'}
_PRONOUNS = frozenset(['he', 'she', 'they', 'it', 'this', 'that', 'these', 'those'])
_FIRST = frozenset(['i', "i'm", "i've", "i'd", "i'll", 'me', 'my', 'mine', 'myself'])
_SECOND = frozenset(['you', "you're", "you've", "you'll", 'your', 'yours', 'yourself'])
_SUBJECTS = frozenset(['i', "i'm", "i've", 'we', "we're", "we've", 'he', 'she', 'they'])
_OPENINGS = frozenset(
    ['well', 'so', 'oh', 'ah', 'hey', 'ok', 'okay', 'yes', 'yeah', 'no', 'btw', 'and', 'but', 'actually', 'anyway']
)
_PAST = frozenset(
    ['had', 'took', 'came', 'drank', 'taught', 'won', 'sold', 'flew', 'rode', 'swam', 'sang', 'drew', 'fell']
)
_STATES = frozenset(['residence', 'partner', 'name', 'work', 'study', 'birthday'])
_SHORTENED = frozenset(
    f"{word}'s" for word in ('let', 'that', 'here', 'there', 'what', 'who', 'where', 'how', 'it', 'he', 'she', 'this')
)
_AFTER_IS = frozenset(['a', 'an', 'the', 'so', 'not', 'been', 'going', 'really', 'very', 'too', 'just', 'my', 'your'])
"""Words after which "'s" means "is" and not an owner."""
_MOST_WORDS = 20
"""Longer sentences say too much to be compared by form."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word at its position in a sentence.

    Attributes:
        key: of its root; 0 for a function word. `stem` is the key of its stem.
        type: '' for a word that is no name, number, time, amount or date.
    """

    text: str
    lower: str
    key: int
    stem: int
    type: str

    @property
    def attribute(self) -> str:
        """The attribute named by the word, if it is a known attribute word."""
        return CLASS_OF.get(self.stem, '')


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed sentence.

    Attributes:
        keys: its informative roots; `telling` are those that are not small talk.
        owner: the speaker, if it is in the first person.
        marks: words that distinguish its subject.
        many: its relation allows several values at once.
        definite: roots of single things: "the sensor in ...", "Tom's desk".
        plain: it states a fact: the subject comes first, and it is no plan, doubt or address.
        doubtful: it denies or doubts.
    """

    words: tuple[Word, ...]
    keys: frozenset[int]
    telling: frozenset[int]
    owner: int
    marks: frozenset[str]
    many: bool
    definite: frozenset[int]
    plain: bool
    doubtful: bool

    @property
    def classes(self) -> frozenset[str]:
        """Attributes named by known words."""
        return frozenset(word.attribute for word in self.words if word.key and word.attribute)


NO_WORD = Word('', '', 0, 0, '')


def sentences_of(text: str) -> list[str]:
    """Splits a text into sentences; one that begins with a pronoun stays with the sentence it refers to."""
    parts: list[str] = []
    for sentence in _SENTENCE.split(text.strip()):
        # "It may help to know that ..." refers to nothing.
        words = words_of(_ASIDE.sub('', sentence))
        if parts and words and (words[0] in _PRONOUNS or len(words) < 3):
            parts[-1] = f'{parts[-1]} {sentence}'
        else:
            parts.append(sentence)
    return [part for part in parts if part.strip()]


def without_aside(text: str) -> str:
    """A text without an opening that says nothing, such as "by the way"; what is only thought or said stays so."""
    found = _ASIDE.match(text)
    return text if found is None or _HEDGE.search(found[0]) else text[found.end() :]


def readings_of(text: str, speaker: str = '') -> tuple[Reading, ...]:
    """The informative clauses of a text, each parsed separately."""
    return tuple(reading for sentence in readings_by_sentence(text, speaker) for reading in sentence)


@lru_cache(maxsize=MOST_READ)
def readings_by_sentence(text: str, speaker: str = '') -> tuple[tuple[Reading, ...], ...]:
    """As `readings_of`, grouped by sentence; questions are left out."""
    sentences = []
    for sentence in _SENTENCE.split(text.replace('’', "'").strip()):
        found: list[Reading] = []
        if sentence.rstrip().endswith('?'):
            continue
        bare = _ASIDE.sub('', sentence)
        leading = _LEADING.match(bare)
        for part in leading.groups() if leading else (bare,):
            for clause in _JOINT.split(part):
                reading = read(_ASIDE.sub('', clause), speaker)
                if reading is not None:
                    found.append(reading)
        sentences.append(tuple(found))
    return tuple(sentences)


@lru_cache(maxsize=MOST_READ)
def read(sentence: str, speaker: str = '') -> Reading | None:
    """Parses a sentence; None for a question or a sentence without content."""
    if sentence.rstrip().endswith('?'):
        return None
    words = words_in(sentence)
    keys = frozenset(word.key for word in words if word.key)
    telling = frozenset(word.key for word in words if word.key and (word.type or word.stem not in IDLE))
    if not telling:
        return None
    first_person = any(word.lower in _FIRST for word in words)
    return Reading(
        words,
        keys,
        telling,
        key_of(speaker.lower()) if first_person else 0,
        frozenset(
            word.lower
            for before, word in zip((NO_WORD, *words), words, strict=False)
            # "every morning" is a frequency.
            if word.lower in SIBLINGS and before.lower not in ('every', 'each')
        ),
        holds_of_many(words),
        _definite(words),
        _is_plain(words),
        any(word.lower in DOUBTFUL for word in words),
    )


def words_in(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence in order; a run of names is one word."""
    # The addressee is not a value: "I agree, Tom."
    called = _CALL.sub('', sentence.replace('’', "'").strip())
    tokens = [match[0] for match in _TOKEN.finditer(called or sentence)]
    while len(tokens) > 2 and tokens[0].lower() in _OPENINGS:
        tokens = tokens[1:]
    tokens = _without_relative(tokens)
    return _with_whole_names([_word(tokens, place) for place in range(len(tokens))])


def _without_relative(tokens: list[str]) -> list[str]:
    """Removes "I talk to" from "The mentor I talk to is Ada", where "the" already shows which mentor is meant."""
    if not tokens or tokens[0].lower() not in ARTICLES:
        return tokens
    for place in range(2, min(5, len(tokens))):
        if tokens[place].lower() in _SUBJECTS | {'you'}:
            ends = next(
                (at for at in range(place + 2, min(place + 5, len(tokens))) if tokens[at].lower() in COPULAS), 0
            )
            return tokens[:place] + tokens[ends:] if ends else tokens
    return tokens


def holds_of_many(words: tuple[Word, ...]) -> bool:
    """True if a statement allows several values at once, because of its relation or an indefinite article."""
    if words[0].lower in ('a', 'an') or any(_relates_to_many(words, place) for place in range(len(words))):
        return True
    # Things that one owns, needs or repairs: there may be others.
    return any(word.lower in ('a', 'an') and _is_indefinite(words, place) for place, word in enumerate(words))


def _relates_to_many(words: tuple[Word, ...], place: int) -> bool:
    lower = words[place].lower
    if place and _is_event(words[place - 1], words[place]):
        # "had been", "had finished" describe a state.
        return lower != 'had' or not words[min(place + 1, len(words) - 1)].lower.endswith(('ed', 'been'))
    if lower in ONE_OF_MANY and place + 1 < len(words) and words[place + 1].type == 'name':
        return True
    if lower not in MANY:
        return False
    before, after = (words[at] if 0 <= at < len(words) else NO_WORD for at in (place - 1, place + 1))
    if before.lower in COPULAS and after.lower == 'by':
        # "The maps are made by ..."
        return False
    if words[0].lower == 'the' and place == 2 and after.lower in PREPOSITIONS:
        # "The money spent on ..."
        return False
    if lower in ('use', 'uses') and not after.type and after.key and place + 2 < len(words):
        following = words[place + 2]
        if following.type == 'number':
            # "uses locker 12": the number makes it definite.
            return False
    if lower in INSCRIBED and words[0].lower in ARTICLES:
        return False
    if before.lower in ('has', 'have', "i've", "we've") and after.type in ('number', 'money'):
        # "has spent 900 euros": a current total.
        return False
    if lower in COUNTED and (after.type == 'number' or any(word.type == 'number' for word in words[place + 1 :])):
        return False
    # "buys its uniforms from ...": all of them.
    return after.lower not in ('its', 'his', 'her', 'their', 'my', 'our') or lower.endswith('ed')


def _is_event(before: Word, word: Word) -> bool:
    """True for an event: it may happen again, and does not end what happened before."""
    subject = before.lower in _SUBJECTS or before.type == 'name'
    past = word.lower in _PAST or (word.lower.endswith('ed') and word.attribute not in _STATES and not word.type)
    return subject and past and before.lower not in ("i've", "we've")


def _is_indefinite(words: tuple[Word, ...], place: int) -> bool:
    if place and (words[place - 1].lower in COPULAS or words[place - 1].lower in PREPOSITIONS):
        return False
    # "drives a red Volvo", "has a budget of": an attribute word after the article.
    if any(word.attribute for word in words[max(0, place - 1) : place + 4]):
        return False
    following = [word.lower for word in words[place + 1 : place + 4]]
    # "1,200 a month" is a rate, "a deposit of 900" a measure.
    return bool(following) and following[0] not in UNITS_OF_TIME and 'of' not in following


def _definite(words: tuple[Word, ...]) -> frozenset[int]:
    """Roots of single things: "the" or an owner before, a preposition or "is" after."""
    found = set()
    for place, word in enumerate(words[:-1]):
        begins = word.lower in ARTICLES - {'a', 'an'} or word.text.endswith("'s")
        if not begins:
            continue
        end = place + 1
        while end < len(words) and words[end].key and not words[end].type and end - place <= 3:
            end += 1
        if end > place + 1 and end < len(words) and words[end].lower in PREPOSITIONS | COPULAS:
            noun = words[end - 1]
            if not noun.lower.endswith('s') or noun.lower.endswith('ss'):
                found.add(noun.key)
    return frozenset(found)


def _is_plain(words: tuple[Word, ...]) -> bool:
    """True if the form allows a value that is neither a name nor a number."""
    if len(words) > _MOST_WORDS or any(word.lower in NOT_HELD or word.lower in _SECOND for word in words):
        return False
    first, second = words[0], words[1] if len(words) > 1 else words[0]
    if first.lower in ARTICLES or first.lower in _SUBJECTS or first.type == 'name':
        return True
    # The first word is always capitalised; the next word shows whether a single name is a subject.
    return first.stem not in IDLE and (second.lower in COPULAS or second.lower in ('has', 'have') or is_verb(second))


def is_verb(word: Word) -> bool:
    """True if a word may be a verb in the third person."""
    return word.lower.endswith('s') and not word.lower.endswith(('ss', "'s")) and not word.type


def _word(tokens: list[str], place: int) -> Word:
    text = tokens[place]
    lower = re.sub(r"'s$", '', text.lower())
    number = NUMBERS.get(lower)
    if number is not None and not (lower == 'one' and not _counts(tokens, place)):
        return Word(text, number, key_of(number), key_of(number), 'number')
    stem = 0 if lower in TRANSPARENT or lower in PREPOSITIONS else key_of(lower)
    kind = _type_of(tokens, place, lower) if stem else ''
    # Fernby and Fernbury are two towns: names are not stemmed.
    return Word(text, lower, stem if kind or not stem else root_of(lower), stem, kind)


def _counts(tokens: list[str], place: int) -> bool:
    """True if "one" is a number: "one dog", not "this one" or "one of them"."""
    before, after = (tokens[at].lower() if 0 <= at < len(tokens) else '' for at in (place - 1, place + 1))
    return bool(after) and not {before, after} & {'the', 'this', 'that', 'any', 'no', 'every', 'of', 'who', 'is', 'day'}


def _beside_number(tokens: list[str], place: int) -> bool:
    beside = (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])
    return tokens[place][0].isupper() and any(token[:1].isdigit() for token in beside)


def _with_whole_names(words: list[Word]) -> tuple[Word, ...]:
    """Joins each run of names into one word, as another first name means another person."""
    joined: list[Word] = []
    for word in words:
        if word.type == 'name' and joined and joined[-1].type == 'name' and not joined[-1].text.endswith("'s"):
            before = joined.pop()
            lower = f'{before.lower} {word.lower}'
            word = Word(f'{before.text} {word.text}', lower, key_of(lower), key_of(lower), 'name')
        joined.append(word)
    return tuple(joined)


def _type_of(tokens: list[str], place: int, lower: str) -> str:
    if lower in _CALENDAR or (lower in ('may', 'march') and _beside_number(tokens, place)):
        return 'date'
    if any(map(str.isdigit, lower)):
        if ':' in lower:
            return 'time'
        return 'money' if any(sign in lower for sign in '€$£') else 'number'
    if not tokens[place][0].isupper():
        return ''
    if place == 0:
        # The first word is always capitalised; a possessive or a second name shows that it is a name.
        following = tokens[1] if len(tokens) > 1 else ''
        owns = tokens[0].lower().endswith("'s") and tokens[0].lower() not in _SHORTENED
        owns = owns and following.lower() not in _AFTER_IS
        return 'name' if owns or following[:1].isupper() else ''
    return 'name'
