"""Text analysis for the index: stemmed English words without function words, as 64-bit keys.

With keys instead of words an index is an array of numbers. In a vocabulary of a million words, two share a key with a
probability below 1e-8.
"""

import hashlib
import re
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from lucca_memory.words import word_set

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
"""A run of letters and digits, with apostrophes inside."""

STOP_WORDS = word_set('stop_words')
"""Function words."""

_MARK = re.compile('([.!?])')
_TIME = re.compile(
    r'\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weekend|recently|this (?:week|month|year|morning)|'
    r'(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august|september|october|'
    r'november|december|(?:in|on|of|since|until|early|late) (?:march|may)|'
    r'(?:march|may) \d+|\d+(?:th|st|nd|rd)? (?:march|may)|(?:19|20)\d\d)\b',
    re.IGNORECASE,
)
_WHEN = re.compile(
    r'^\W*(?:when|how long|(?:what|which) (?:date|day|week|month|year|time))\b|'
    r'\b(?:when|how long ago) (?:did|was|were|is|will|do)\b',
    re.IGNORECASE,
)

_PAST = re.compile(
    r'\b(?:before|used to|previous(?:ly)?|earlier|original(?:ly)?|initial(?:ly)?|former(?:ly)?|at first|'
    r'(?:was|were|did|had)\b[^.?!]*\bfirst|back then|in the past|no longer)\b',
    re.IGNORECASE,
)

_OVER = re.compile(
    r'\b(?:previously|formerly|no longer|used to|(?:was|were|been|got|later|since) (?:replaced|superseded)|'
    r'(?:replaced|superseded) by|obsolete|deprecated|outdated|out of date|historical)\b',
    re.IGNORECASE,
)

_EVENT = re.compile(
    r"\b(?:did|didn't|was|were|had)\b|\b(?:has|have)\b.*?\b(?:been|gone|done|seen|made|taken|given|had|\w+ed)\b",
    re.IGNORECASE,
)

_STATE = re.compile(
    r'\b(?:what|which|who|whose|where|when|how (?:many|much|old|long|far|often|big|tall|fast|high|large))\b',
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r'\b(?:how (?:many|much|often|long|far|old|big|tall|fast|high|large)|total|percentage|rate|number|amount|'
    r'currently|now|nowadays|so far|latest|most recent|these days|at the moment)\b',
    re.IGNORECASE,
)
_VALUE = re.compile(
    r'^\W*(?:(?:what|which) (?:time|day|date|month|year|price|number|amount|address)|when|how (?:many|much))\b',
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r'\b(?:should|could|would|can|shall|suggest|recommend|advise)\b|\bhow (?:do|to|am)\b', re.IGNORECASE
)

_NOUN_PHRASE_WORDS = 5
"""Most words of a text without a question mark that counts as the name of something to look up: "my gym hours"."""

_local = threading.local()


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without a possessive `'s`."""
    return [_bare(word) for word in WORD.findall(text.lower().replace('’', "'"))]


def terms_of(text: str) -> list[int]:
    """The keys of a text's words in order, without function words."""
    return [key for word in words_of(text) if (key := key_of(word))]


def counted_terms(text: str) -> Counter[int]:
    """How often each key occurs."""
    return Counter(terms_of(text))


@lru_cache(maxsize=200_000)
def key_of(word: str) -> int:
    """The key of a lower-case word's stem; 0 for a function word only."""
    if word in STOP_WORDS:
        return 0
    return key_of_stem(stem_of(word))


def key_of_stem(stem: str) -> int:
    """The key of a stem, never 0."""
    # 63 bits fit a signed integer of any database or array.
    return int.from_bytes(hashlib.blake2b(stem.encode('utf-8', 'surrogatepass'), digest_size=8).digest()) >> 1 or 1


def stem_of(word: str) -> str:
    """The English stem of a lower-case word."""
    return str(_stemmer().stemWord(word))


@dataclass(frozen=True, slots=True)
class Analysed:
    """The analysis of a text.

    Attributes:
        terms: how often each key occurs.
        told: share of its characters that are not in questions, 0 to 1.
        dated: true if it mentions a time.
        over: true if it says that something no longer holds.
    """

    terms: Mapping[int, int]
    told: float
    dated: bool
    over: bool = False


def analysed(text: str) -> Analysed:
    """Analyses a text for the index."""
    return Analysed(counted_terms(text), told_share(text), speaks_of_time(text), says_it_is_over(text))


def told_share(text: str) -> float:
    """Share of a text's characters that are not in questions, which tell little."""
    if '?' not in text:
        return 1.0
    # Split, since searching for the end of each sentence takes quadratic time in a text without one.
    parts = _MARK.split(text)
    asked = sum(len(part) + 1 for part, mark in zip(parts[::2], parts[1::2], strict=False) if mark == '?')
    return 1 - asked / max(len(text), 1)


def speaks_of_time(text: str) -> bool:
    """True if a text mentions a day, a month or a period."""
    return _TIME.search(text) is not None


def asks_when(question: str) -> bool:
    """True if a question asks for a time."""
    return _WHEN.search(question) is not None


def asks_of_past(question: str) -> bool:
    """True if a question asks about the past, so that the newest statement is not wanted."""
    return _PAST.search(question) is not None


def says_it_is_over(text: str) -> bool:
    """True if a text says that what it is about no longer holds."""
    return _OVER.search(text) is not None


def asks_of_event(question: str) -> bool:
    """True if a question asks about an event, which no newer statement replaces, and not about a current state."""
    return _EVENT.search(question) is not None


def asks_of_state(question: str) -> bool:
    """True if a question asks for something that has one value at a time, such as a place, a date or a count.

    For such questions the newest statement is wanted. False for advice, the past, or a single event.
    """
    named = '?' not in question and len(question.split()) <= _NOUN_PHRASE_WORDS
    # "What time should I be there?" is not a request for advice: the time was set.
    advice = _ADVICE.search(question) and not _VALUE.search(question)
    if not (named or _STATE.search(question)) or advice or asks_of_past(question):
        return False
    # "How many have I finished?" also asks about events, but for their number up to now.
    return _QUANTITY.search(question) is not None or not asks_of_event(question)


def estimated_tokens(text: str) -> int:
    """Estimated tokens of a language model, at four characters each; never too few for English prose."""
    return len(text) // 4 + 1


def _bare(word: str) -> str:
    return word.removesuffix("'s")


def _stemmer() -> Stemmer.Stemmer:
    # One per thread, as a stemmer has state.
    if not hasattr(_local, 'stemmer'):
        _local.stemmer = Stemmer.Stemmer('english')
    stemmer: Stemmer.Stemmer = _local.stemmer
    return stemmer
