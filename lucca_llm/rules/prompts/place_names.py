"""Names of places that are longer than grammar expects, or that people shorten: joined for reading, then restored.

`Top drawer of the wooden cabinet` becomes `top-drawer-of-the-wooden-cabinet`. So do the shorter names for it, such as
`top drawer of the cabinet`, if no other place and no object here can be meant.
"""

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from lucca_language.reading.program import TABLE_WORDS, Destination
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.word_sets import any_of

_Part = TypeVar('_Part')
_AT = r'(?:in|into|inside|on|onto|to|from|off|under|of|at)'
_DETERMINER = r'(?:the|a|an|my|your|our|that|this)'
_MOST_WORDS = 8
"""Of longer names, no shorter ones are known: there would be too many."""
_PRONOUNS = any_of('one ones')
_END = rf"(?![\w'’-])(?! \d)(?! (?!(?:{'|'.join(sorted(FUNCTION_WORDS - _PRONOUNS))})\b)\w)"
"""In front of another noun, these words do not name the place: `the cabinet door`."""
_SIDES = any_of('top bottom back front side left right middle corner edge end centre center inside outside part rest')
"""Words for a part of a place that name no place by themselves."""


def with_places_joined(text: str, listed: Sequence[ListedObject], places: Sequence[str]) -> str:
    """The text with one word for each long or shortened name of a place.

    Args:
        text: a description or request.
        listed: the objects here, wherever they are.
        places: the containers here, in lower case.
    """
    names = _names(tuple(listed), tuple(places))
    if not names:
        return text
    said = '|'.join(re.escape(words) for words in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf'(?P<before>\b{_AT} {_DETERMINER} )(?P<said>{said}){_END}', re.IGNORECASE)
    return pattern.sub(lambda found: found['before'] + names.get(found['said'].lower(), found['said']), text)


def with_places_restored(value: _Part, places: Sequence[str]) -> _Part:
    """A reading, or a part of one, in which places have their full names, not joined."""
    longest_first = sorted(places, key=len, reverse=True)
    joined = {name: place for place in longest_first if (name := _joined(place)) != place}
    return _restored(value, joined) if joined else value


@functools.lru_cache(maxsize=64)
def _names(listed: tuple[ListedObject, ...], places: tuple[str, ...]) -> Mapping[str, str]:
    """What people may call a place -> its joined name."""
    names = {place: joined for place in places if (joined := _joined(place)) != place}
    for place in places:
        for said in _shorter(place):
            if said in places or any(_may_be(said, other) for other in places if other != place):
                continue
            if not any(set(said.split()) <= {*thing.label.split(), *thing.attributes} for thing in listed):
                names[said] = _joined(place)
    return names


def _joined(place: str) -> str:
    words = place.split()
    if place in TABLE_WORDS:
        return f'{place}-as-a-place'  # otherwise `on the table` is where things are anyway
    return '-'.join(words) if len(words) > 2 or any(word in FUNCTION_WORDS for word in words) else place


def _shorter(place: str) -> Iterator[str]:
    """`cabinet` for `wooden cabinet`, and `top drawer of the cabinet` for `top drawer of the wooden cabinet`."""
    first, of, whole = place.partition(' of the ')
    words = first.split()
    if (
        len(place.split()) > _MOST_WORDS
        or words[-1] in _SIDES | TABLE_WORDS
        or words[-1].isdigit()
        or any(word in FUNCTION_WORDS for word in words)
    ):
        return
    for count in range(len(words)):
        for kept in itertools.combinations(words[:-1], count):
            said = ' '.join((*kept, words[-1]))
            if of:
                yield from (f'{said} of the {shorter}' for shorter in (whole, *_shorter(whole)))
            if said != place:
                yield said


def _may_be(said: str, place: str) -> bool:
    """Whether `said` may mean a place, with or without its number."""
    words = place.split()
    bare = ' '.join(words[:-1]) if words[-1].isdigit() and len(words) > 1 else place
    main = set(itertools.takewhile(lambda word: word not in FUNCTION_WORDS, words))
    return said in {bare, *_shorter(bare)} or set(said.split()) <= main


def _restored(value: Any, joined: Mapping[str, str]) -> Any:
    if isinstance(value, Destination):
        return replace(value, words=tuple(word for part in value.words for word in joined.get(part, part).split()))
    if isinstance(value, str):
        for name, place in joined.items():
            value = value.replace(name, place)
        return value
    if isinstance(value, tuple | frozenset):
        return type(value)(_restored(part, joined) for part in value)
    if isinstance(value, Mapping):
        return {word: _restored(part, joined) for word, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: _restored(getattr(value, field.name), joined) for field in fields(value)}
        return replace(value, **parts)
    return value
