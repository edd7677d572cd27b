"""Parsing a question: its subject, the attribute and the type of value that it asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from lucca_memory.retrieval.analysis import asks_of_event, asks_of_past, key_of, words_of
from lucca_memory.semantic.language.lexicon import ARTICLES, FOR_LIFE, SIBLINGS
from lucca_memory.semantic.language.reading import Word, words_in

_OPENING = re.compile(
    r'^\W*(?:(?:and|so|please|well|also|hey|ok|okay|\w+,)\s+)*'
    r'(?:(?:can|could|do) you (?:please )?(?:tell me|remember|recall|know)\s+|tell me\s+|remind me\s+)?',
    re.IGNORECASE,
)
_NUMBER = frozenset(['number', 'money', 'time', 'date'])
_MEASURES = frozenset(
    ['many', 'much', 'long', 'old', 'far', 'tall', 'high', 'large', 'big', 'heavy', 'deep', 'wide', 'fast']
)
_MOMENTS = frozenset(['time', 'day', 'date', 'hour', 'month', 'year', 'week', 'weekday'])
_HAPPENED = frozenset(['did', "didn't", 'was', 'were', 'had'])
_WHO = frozenset(['who', 'whom', 'whose', "who's"])
_ASKING = frozenset(
    ['who', 'whom', 'whose', "who's", 'what', "what's", 'which', 'where', "where's", 'when', "when's", 'how']
)
_QUALITIES = frozenset(
    ['color', 'colour', 'size', 'name', 'kind', 'dose', 'price', 'number', 'age', 'height', 'weight']
)
_HELPING = frozenset(['do', 'does', 'did', 'has', 'have', 'am', 'can', 'should', 'else'])
_DETERMINERS = ARTICLES - {'a', 'an'}
_BE = frozenset(['is', 'are', 'was', 'were'])
_FIRST = frozenset(['i', 'me', 'my', 'mine', 'we', 'us', 'our', 'ours', "i'm", "i've", "we've"])


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for.

    Attributes:
        names: stems of the names in it: its subject.
        asks: the question word.
        items: its other words: the root, or the attribute that a word names.
        runs: pairs of roots that begin its subject: "the kelp probe", "my piano teacher".
        kind: the kind of the answer, as "color" in "what color is", which an answer may omit; '' or 0 for none.
        stems: of all its words, none of which is a value.
        marks: words that distinguish its subject.
        types: possible types of the value; see `Word.type`, and 'words' for others.
        first_person: it is about the asker.
        singular: it asks for one of a kind, as "which doctor".
        definite: it is about one thing or measure, so that there is one answer at a time.
    """

    asks: str
    names: frozenset[int]
    items: Mapping[int, int | str]
    runs: frozenset[tuple[int, int]]
    kind: int | str
    stems: frozenset[int]
    marks: frozenset[str]
    types: frozenset[str]
    first_person: bool
    singular: bool
    definite: bool

    def about(self, subject: frozenset[int] = frozenset()) -> frozenset[int | str]:
        """What it asks about its subject; all its words if it has only those of the subject."""
        return frozenset(item for key, item in self.items.items() if key not in subject) or frozenset(
            self.items.values()
        )


@lru_cache(maxsize=2_000)
def wanted_of(question: str) -> Wanted | None:
    """Parses a question; None if it asks about the past, an event, several things, or no value."""
    bare = _OPENING.sub('', question.replace('’', "'").strip())
    lower = words_of(bare)
    asking = next((place for place, word in enumerate(lower) if word in _ASKING), None)
    if asking is None or asks_of_past(bare):
        return None
    words = words_in(bare)
    opening, following = lower[asking], lower[asking + 1 : asking + 3]
    for_life = asks_of_event(bare) and any(word.stem in FOR_LIFE for word in words)
    # "How many readings has it taken" asks for a current total.
    so_far = opening == 'how' and not _HAPPENED.intersection(lower)
    if asks_of_event(bare) and not (for_life or so_far):
        return None
    if _asks_of_several(opening, following):
        return None
    told = [
        word for word in words if word.lower not in _ASKING and not (opening == 'how' and word.lower in following[:1])
    ]
    names = [word for word in told if word.type == 'name']
    return Wanted(
        opening,
        frozenset(key_of(part) for word in names for part in words_of(word.text) if key_of(part)),
        {word.key: _item(word) for word in told if word.key and word.type != 'name'},
        _runs(words),
        _kind(opening, following, words),
        frozenset(key_of(part) for word in told for part in words_of(word.text) if key_of(part)),
        frozenset(word.lower for word in told if word.lower in SIBLINGS),
        _types(opening, following),
        any(word in _FIRST for word in lower),
        _is_singular(opening, following),
        for_life or _is_definite(opening, lower[asking + 1 :], names),
    )


def _item(word: Word) -> int | str:
    return word.attribute or word.key


def _kind(opening: str, following: list[str], words: tuple[Word, ...]) -> int | str:
    if opening not in ('what', 'which') or not following:
        return ''
    return next((_item(word) for word in words if word.lower == following[0] and word.key), '')


def _runs(words: tuple[Word, ...]) -> frozenset[tuple[int, int]]:
    triples = zip(words, words[1:], words[2:], strict=False)
    return frozenset(
        (one.key, two.key)
        for article, one, two in triples
        if article.lower in ARTICLES and one.key and two.key and not one.type and not two.type
    )


def _asks_of_several(opening: str, following: list[str]) -> bool:
    first = following[0] if following else ''
    if opening in ('which', 'what') and _is_plural(first):
        return True
    return first == 'are' and opening in (*_WHO, 'what', 'which')


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word != 'does' and word.endswith('s') and not word.endswith(('ss', 'us', 'is'))


def _types(opening: str, following: list[str]) -> frozenset[str]:
    first = following[0] if following else ''
    if opening == 'how':
        return _NUMBER | {'words'} if first == 'often' else _NUMBER if first in _MEASURES else frozenset()
    if opening in ('when', "when's") or (opening in ('what', 'which') and first in _MOMENTS):
        return frozenset(['time', 'date', 'number', 'name'])
    if opening in _WHO:
        return frozenset(['name'])
    if opening in ('where', "where's"):
        return frozenset(['name', 'words', 'number'])
    return _NUMBER | {'name', 'words'}


def _is_singular(opening: str, following: list[str]) -> bool:
    return opening in ('which', 'what') and following[:1] != [] and following[0] not in _BE | _HELPING


def _is_definite(opening: str, following: list[str], names: list[Word]) -> bool:
    """True for a measure, a time, "who is my dentist", "where is the ladder"; not "what is needed", "which thing"."""
    if opening in ('how', 'when', "when's", "what's", "who's", "where's"):
        return True
    first, second = (*following, '', '')[:2]
    owners = {part for word in names for part in words_of(word.text)[:1]}
    if opening in ('what', 'which') and (first in _MOMENTS or first in _QUALITIES):
        return True
    return first in _BE - {'are', 'were'} and (second in _DETERMINERS or second in owners)
