"""What people call the objects and places here, replaced by their names here if nothing else can be meant.

People leave words out (`the red mug` for `red coffee mug`, `the cabinet` for `wooden cabinet`), add or leave out what a
thing is packed in (`the milk carton` for `milk`), or use another word for the same (`the frying pan` for `frypan`).
"""

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from lucca_language.reading.program import Destination
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.glosses import same_things
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of

_Part = TypeVar('_Part')

_PACKAGING = ('box', 'can', 'tin', 'bottle', 'jar', 'carton', 'packet', 'package', 'bag', 'tube')
_OPEN_VESSELS = re.compile(r'\b(?:in|into)\b[^.;!?]*\b(?:bowl|cup|mug|glass|jug|pan|pot|dish|plate)s?\b', re.IGNORECASE)
"""`Put the milk in the cup` is about what is in the carton."""
_AT = ('in', 'into', 'inside', 'on', 'onto', 'to', 'from', 'off', 'under', 'of', 'at')
_PLACED = rf'(?:{"|".join(_AT)})'
_DETERMINER = r'(?:the|a|an|my|your|our|that|this)'
_NOT_PLACED = ''.join(rf'(?<!\b{word} )' for word in _AT)
_PRONOUNS = any_of('one ones')
_END = rf"(?![\w'’-])(?! (?!(?:{'|'.join(sorted(FUNCTION_WORDS - _PRONOUNS))})\b)\w)"
"""In front of another noun, these words do not name the thing: `the milk jug`."""
_MOST_WORDS = 5


def with_names_here(text: str, listed: Sequence[ListedObject], places: Sequence[str]) -> str:
    """The text with the names that objects and places have here, where people use others.

    The name of a place that is longer than two words, or has function words in it, is joined to one word, as in
    `top-drawer-of-the-wooden-cabinet`; `with_places_restored` splits it again.

    Args:
        text: a description or request.
        listed: the objects here, wherever they are.
        places: the containers here, in lower case.
    """
    return _with_names_here(text, tuple(listed), tuple(places))


@functools.lru_cache(maxsize=64)
def _with_names_here(text: str, listed: tuple[ListedObject, ...], places: tuple[str, ...]) -> str:
    labels = dict.fromkeys(thing.label for thing in listed)
    known = {*labels, *places}
    new: dict[str, str] = {}
    packed: dict[str, str] = {}
    for label in labels:
        others = [thing for thing in listed if thing.label != label]
        for said in (*_shorter(label), *_in_other_words(label, others)):
            if said not in known and not any(_may_be(said, other) for other in others):
                new[said] = label
        for said in _packed_or_not(label, bool(_OPEN_VESSELS.search(text))):
            if said not in known and not any(_may_be(said, other) for other in others):
                packed[said] = label
    at = {place: joined for place in places if (joined := _joined(place)) != place}
    for place in places:
        for said in _shorter_places(place):
            alike = any(said in _shorter_places(other) for other in places if other != place)
            if said not in known and not alike and not any(_may_be(said, thing) for thing in listed):
                at[said] = _joined(place)
    text = _replaced(text, at, rf'\b{_PLACED} {_DETERMINER} ')
    itself = {label: label for label in labels}
    text = _replaced(text, itself | new, rf'\b{_DETERMINER} ')
    return _replaced(text, itself | packed, rf'{_NOT_PLACED}\b{_DETERMINER} ')


def with_places_restored(value: _Part, places: Sequence[str]) -> _Part:
    """A reading, or a part of one, in which the joined names of places are as people write them."""
    joined = {name: place for place in places if (name := _joined(place)) != place}
    return _restored(value, joined) if joined else value


def _restored(value: Any, joined: Mapping[str, str]) -> Any:
    if isinstance(value, Destination):
        return replace(value, words=tuple(word for part in value.words for word in joined.get(part, part).split()))
    if isinstance(value, str):
        for name, place in joined.items():
            value = value.replace(name, place)
        return value
    if isinstance(value, tuple | frozenset):
        return type(value)(_restored(part, joined) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: _restored(getattr(value, field.name), joined) for field in fields(value)}
        return replace(value, **parts)
    return value


def _joined(place: str) -> str:
    words = place.split()
    return '-'.join(words) if len(words) > 2 or any(word in FUNCTION_WORDS for word in words) else place


def _may_be(said: str, thing: ListedObject) -> bool:
    return set(said.split()) <= {*thing.label.split(), *(word.lower() for word in thing.attributes)}


def _shorter(label: str) -> Iterator[str]:
    """`red mug` for `red coffee mug`. The reader knows the ends of a name, such as `coffee mug`, by itself."""
    *before, head = label.split()
    if not 2 <= len(before) < _MOST_WORDS:
        return
    for count in range(1, len(before)):
        for kept in itertools.combinations(before, count):
            if list(kept) != before[-count:]:
                yield ' '.join((*kept, head))


def _in_other_words(label: str, others: Sequence[ListedObject]) -> Iterator[str]:
    """`frying pan` for `frypan`: the same thing in WordNet, if nothing else here is one."""
    *before, head = label.split()
    same = same_things(head)
    if any(other.label.split()[-1] in {head, *same} for other in others):
        return
    for noun in same:
        yield noun
        if before:
            yield ' '.join((*before, noun))


def _packed_or_not(label: str, into_vessel: bool) -> Iterator[str]:
    """`milk carton` for `milk`, and the other way round."""
    words = label.split()
    if words[-1] not in _PACKAGING:
        yield from (f'{label} {packaging}' for packaging in _PACKAGING)
    elif len(words) > 1 and not into_vessel:
        contents = ' '.join(words[:-1])
        if lexicon().colour(contents.replace('-', ' ').split()[-1]) is not None:
            return
        yield from dict.fromkeys((contents, contents.replace('-', ' ')))  # `can` is joined with what is in front of it


def _shorter_places(place: str) -> Iterator[str]:
    """`cabinet` for `wooden cabinet`, and `top drawer of the cabinet` for `top drawer of the wooden cabinet`."""
    first, of, rest = place.partition(' of the ')
    words = first.split()
    if words[-1].isdigit():
        return
    for count in range(len(words)):
        for kept in itertools.combinations(words[:-1], count):
            said = ' '.join((*kept, words[-1]))
            if of:
                yield from (f'{said} of the {shorter}' for shorter in (rest, *_shorter_places(rest)))
            if said != place:
                yield said


def _replaced(text: str, new: Mapping[str, str], before: str) -> str:
    """The text with these words replaced, the longest first, where `before` ends in front of them."""
    if not new:
        return text
    said = '|'.join(re.escape(words) for words in sorted(new, key=len, reverse=True))
    pattern = re.compile(rf'(?P<before>{before})(?P<said>{said}){_END}', re.IGNORECASE)
    return pattern.sub(lambda found: found['before'] + new[found['said'].lower()], text)
