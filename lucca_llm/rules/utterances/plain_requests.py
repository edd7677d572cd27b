"""Plain requests, the small language of proposals: `Put the cup and all the fruit in box 1.`, `Leave the pear.`

A grammar may hold a model to it. Whatever writes it, it is read here against the words that are allowed.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from lucca_core.english import and_list

GIVE, POINT, PUT, LEAVE = 'Give me', 'Point at', 'Put', 'Leave'
EVERYTHING = 'everything'
EXCEPT = ' except '
MOST_SENTENCES = 6
MOST_THINGS = 8
_MOST_CHARS = 600
_ENDS = re.compile(r'(?<=\.)\s+(?=(?:Give me|Point at|Put|Leave) )')
_SENTENCE = re.compile(r'(?P<verb>Give me|Point at|Put|Leave) (?P<rest>.+)\.')
_JOINT = re.compile(r',? and |, ')


@dataclass(frozen=True, slots=True)
class PlainVocabulary:
    """The words of plain requests at a table.

    Attributes:
        things: the names of the objects for which each phrase stands, such as `the cup` and `all the fruit`; none if
            that is not known.
        places: where something can be put, such as `in box 1`.
    """

    things: Mapping[str, frozenset[str]]
    places: tuple[str, ...]

    @property
    def collective(self) -> list[str]:
        """The phrases that stand for several things, from which some can be excepted."""
        return [phrase for phrase in self.things if phrase == EVERYTHING or phrase.startswith('all ')]

    @property
    def single(self) -> list[str]:
        """All phrases but `everything`, which stands alone."""
        return [phrase for phrase in self.things if phrase != EVERYTHING]


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """One sentence: what is done with which things, and where they go."""

    verb: str
    things: tuple[str, ...]
    but: tuple[str, ...] = ()
    place: str = ''

    @property
    def text(self) -> str:
        """The sentence."""
        things = and_list(self.things) + (f'{EXCEPT}{and_list(self.but)}' if self.but else '')
        return f'{self.verb} {things}{f" {self.place}" if self.place else ""}.'

    def objects(self, vocabulary: PlainVocabulary) -> frozenset[str]:
        """The names of the objects that it is about, as far as that is known."""
        return _objects(self.things, vocabulary) - _objects(self.but, vocabulary)


def read_plain(written: str, vocabulary: PlainVocabulary) -> tuple[PlainRequest, ...]:
    """The sentences of a text, each once; none if anything else is in it, or words that are not allowed."""
    if len(written) > _MOST_CHARS or not written.isprintable():
        return ()
    found = [_sentence(part, vocabulary) for part in _ENDS.split(written.strip())]
    read = tuple(dict.fromkeys(item for item in found if item is not None))
    return read if None not in found and len(read) <= MOST_SENTENCES else ()


def settled(requests: Sequence[PlainRequest], vocabulary: PlainVocabulary) -> tuple[PlainRequest, ...]:
    """What is to be done; none if that contradicts itself, or is nothing.

    What is left is excepted from `everything` and from kinds. Where people correct themselves, the later sentence about
    the same things counts.
    """
    left = [item for item in requests if item.verb == LEAVE]
    kept = frozenset().union(*(item.objects(vocabulary) for item in left))
    excepted = tuple(phrase for item in left for phrase in item.things)
    doing: list[PlainRequest] = []
    for item in requests:
        if item.verb == LEAVE:
            continue
        if item.objects(vocabulary) & kept:
            if len(item.things) > 1 or item.things[0] not in vocabulary.collective or any(other.but for other in left):
                return ()
            item = replace(item, but=tuple(dict.fromkeys((*item.but, *excepted))))
        doing.append(item)
    return _corrected(doing, vocabulary)


def _corrected(doing: Sequence[PlainRequest], vocabulary: PlainVocabulary) -> tuple[PlainRequest, ...]:
    final: list[PlainRequest] = []
    for number, item in enumerate(doing):
        own = item.objects(vocabulary)
        later = [other for other in doing[number + 1 :] if own & other.objects(vocabulary)]
        if not later:
            final.append(item)
        elif len(later) > 1 or item.things != later[0].things or set(item.things) & set(vocabulary.collective):
            return ()
    return tuple(final)


def _sentence(text: str, vocabulary: PlainVocabulary) -> PlainRequest | None:
    match = _SENTENCE.fullmatch(text)
    if match is None:
        return None
    rest, place = match['rest'], ''
    if match['verb'] == PUT:
        place = next((where for where in vocabulary.places if rest.endswith(f' {where}')), '')
        if not place:
            return None
        rest = rest.removesuffix(f' {place}')
    things, _, but = rest.partition(EXCEPT)
    named = _phrases(things, vocabulary.things)
    excepted = _phrases(but, vocabulary.things) if but else ()
    if not named or (but and (not excepted or len(named) > 1 or named[0] not in vocabulary.collective)):
        return None
    return PlainRequest(match['verb'], named, excepted, place)


def _phrases(text: str, allowed: Collection[str]) -> tuple[str, ...]:
    phrases = tuple(dict.fromkeys(_JOINT.split(text)))
    return phrases if len(phrases) <= MOST_THINGS and all(phrase in allowed for phrase in phrases) else ()


def _objects(phrases: Sequence[str], vocabulary: PlainVocabulary) -> frozenset[str]:
    return frozenset().union(*(vocabulary.things[phrase] for phrase in phrases))
