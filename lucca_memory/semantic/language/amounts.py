"""The amounts, times and dates in a sentence: runs of words that form one value, and what they count."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lucca_memory.semantic.language.lexicon import UNITS_OF_TIME, root_of
from lucca_memory.semantic.language.reading import NO_WORD, Reading, Word

_WITHIN = frozenset(['at', 'on', 'of', 'the', 'am', 'pm', "o'clock"])
"""Words inside a date: "15 March at 4 pm"."""
_CLOCK = frozenset(['am', 'pm', "o'clock"])
_MOMENTS = frozenset(['date', 'time'])
_YEAR = re.compile(r'(?:19|20)\d\d')
_JOINED = re.compile(r'\d[\d.,]*-([a-z]+)')
"""An amount and its unit in one word: "15-minute"."""
_MOST_UNIT_WORDS = 2


@dataclass(frozen=True, slots=True)
class Amount:
    """One value in a sentence.

    Attributes:
        first, end: its words are `words[first:end]`.
        type: number, money, time or date.
        keys: of its words.
        units: roots of what it counts; empty if it says nothing of that.
    """

    first: int
    end: int
    type: str
    keys: frozenset[int]
    units: frozenset[int]


def amounts_in(reading: Reading) -> tuple[Amount, ...]:
    """The amounts, times and dates of a sentence, in order."""
    words, found, at = reading.words, list[Amount](), 0
    while at < len(words):
        if not _is_part(words[at]):
            at += 1
            continue
        end = _end_of(words, at)
        found.append(_amount(words, at, end))
        at = end
    return tuple(found)


def same_unit(one: Amount, reading: Reading, other: Amount, other_reading: Reading) -> bool:
    """True if two amounts count the same, or one does not say what it counts and its sentence mentions it."""
    if one.type != 'number':
        return True
    if one.units and other.units:
        return bool(one.units & other.units)
    return not one.units ^ other.units or bool(one.units & other_reading.keys or other.units & reading.keys)


def _is_part(word: Word) -> bool:
    return bool(word.type) and word.type != 'name'


def _end_of(words: Sequence[Word], first: int) -> int:
    """The position after the last word of a value; only dates and times have several words."""
    end = first + 1
    while True:
        after = end
        while after < len(words) and words[after].lower in _WITHIN:
            after += 1
        if after >= len(words) or not _is_part(words[after]):
            return end
        parts = {words[at].type for at in range(first, after + 1)}
        if not parts & _MOMENTS or 'money' in parts:
            return end
        end = after + 1


def _amount(words: Sequence[Word], first: int, end: int) -> Amount:
    parts = [word for word in words[first:end] if _is_part(word)]
    kinds = {word.type for word in parts}
    after = words[end].lower if end < len(words) else ''
    if kinds & _MOMENTS:
        kind = 'date' if 'date' in kinds else 'time'
    elif 'money' in kinds:
        kind = 'money'
    elif after in _CLOCK:
        kind = 'time'
    else:
        kind = 'date' if _YEAR.fullmatch(parts[0].lower) else 'number'
    units = _units(words, first, end) if kind == 'number' else frozenset[int]()
    return Amount(first, end, kind, frozenset(word.key for word in parts), units)


def _units(words: Sequence[Word], first: int, end: int) -> frozenset[int]:
    joined = _JOINED.fullmatch(words[first].lower)
    if joined:
        return frozenset([root_of(joined[1])])
    found = set()
    for word in (*words[end : end + _MOST_UNIT_WORDS], NO_WORD):
        if not word.key or word.type or word.lower == 'instead':
            break
        found.add(word.key)
        if word.lower in UNITS_OF_TIME:
            break
    return frozenset(found)
