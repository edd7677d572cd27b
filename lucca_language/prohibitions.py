"""What a prohibition means: which objects its words mean, in three values, because a doubt counts as a yes.

Gate, coordinator and command use these functions, so that they never disagree. They read only the words of a
prohibition and the labels and attributes of objects, and the same words always mean the same.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from lucca_core.protocol.prohibitions import EVERY_PLACE, MOST_CHARS, Prohibition
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.reading import read, words_of
from lucca_language.reading.selectors import (
    And,
    Anything,
    Coloured,
    In,
    Knowledge,
    ListedObject,
    Named,
    Not,
    Noun,
    Or,
    Quality,
    Rest,
    Selector,
    either,
    walk,
)
from lucca_language.words.lexicon import lexicon

_FRAME = 'Do not move {}.'
"""The sentence in which the words of every prohibition are read."""
_WRITTEN = re.compile(r"[^\W_]+(?:[ '’-]+[^\W_]+)*(?:, [^\W_]+(?:[ '’-]+[^\W_]+)*)*")
_WITHOUT_REFERENT = re.compile(r'\b(?:it|them|they|this|that|these|those|one|ones|him|her)$')
_CONDITION = re.compile(
    r'\b(?:if|when|whenever|unless|until|till|while|before|after|because|since|for|yet|now|today|tonight|tomorrow|once|'
    r'again|please|then|you|i|we|not|is|are|was|were|be|has|have|had|does|did|said|says|will|would|must|may)\b'
)
"""Words of conditions, times and further clauses. A prohibition holds until it is lifted, or not at all."""
_BEFORE_NOUNS = re.compile(r'^(?:the|a|an|any|all|every|my|your|our|each) ')
_ANY = re.compile(r'^(?:any|every|each)\b|^(?:anything|everything)$')


class Fit(IntEnum):
    """Whether words mean an object. UNSURE counts as YES wherever something is prohibited."""

    NO = 0
    UNSURE = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class Barred:
    """A prohibition with the names of the objects in a snapshot that it means; `unsure` are those that it may mean."""

    prohibition: Prohibition
    names: tuple[str, ...]
    unsure: tuple[str, ...] = ()


@functools.lru_cache(maxsize=512)
def meaning_of(what: str) -> Selector | None:
    """The objects that the words of a prohibition mean; None for no noun phrase, or one that needs a context."""
    if len(what) > MOST_CHARS or not _WRITTEN.fullmatch(what):
        return None
    if _WITHOUT_REFERENT.search(what.lower()) or _CONDITION.search(what.lower()):
        return None
    reading = read(_FRAME.format(what))
    directives = reading.program.directives
    if not directives or any(
        (item.kind, item.verb, item.target, item.given) != ('dont', 'move', None, ()) for item in directives
    ):
        return None
    if any(not _ANY.match(word.lower()) for word in reading.unread):
        return None
    items = [item for directive in directives for item in directive.items]
    if not items or any(_needs_context(item) for item in items):
        return None
    return either(*dict.fromkeys(item.selector for item in items))


def not_understood(what: str, here: Iterable[ListedObject] = ()) -> tuple[str, ...]:
    """The words of a prohibition that cannot be kept as they stand, each once; none if all are understood.

    `here`: the objects on the table, whose labels and attributes are known words.
    """
    meaning = meaning_of(what)
    if meaning is None:
        return (what,)
    reading = read(_FRAME.format(what), names=words_of(here))
    wrong = (*reading.unread, *reading.unknown, *_undecided(meaning))
    return tuple(dict.fromkeys(word for word in wrong if not _ANY.match(word.lower())))


def fit(what: str, thing: ListedObject) -> Fit:
    """Whether the words of a prohibition mean an object.

    Words that cannot be read may mean any object, and an object without a label may be anything.
    """
    meaning = meaning_of(what)
    return Fit.UNSURE if meaning is None or not thing.label.strip() else _fit(meaning, thing)


def is_prohibited(prohibition: Prohibition, item: TableObject, container: str) -> Fit:
    """Whether a prohibition rules out an action that brings an object into a container."""
    if prohibition.place and not same_place(prohibition.place, container):
        return Fit.NO
    return fit(prohibition.what, listed(item))


def same_place(place: str, container: str) -> bool:
    """Whether two names of a container are the same: `Box 1`, `box 1` and `the box 1`."""
    return _place_words(place) == _place_words(container)


def same_meaning(what: str, other: str) -> bool:
    """Whether two prohibitions are about the same objects: `the fruit`, `fruit`, `any fruit`."""
    plain = [_BEFORE_NOUNS.sub('', ' '.join(text.lower().split())) for text in (what, other)]
    meaning = meaning_of(what)
    return plain[0] == plain[1] or (meaning is not None and meaning == meaning_of(other))


def is_lifted(kept: Prohibition, what: str, place: str) -> bool:
    """Whether a person who lifts what is prohibited of `what` in `place` means this prohibition."""
    if place == EVERY_PLACE:
        return same_meaning(kept.what, what) or (bool(kept.place) and same_place(kept.place, what))
    in_place = same_place(kept.place, place) if kept.place and place else kept.place == place
    return in_place and same_meaning(kept.what, what)


def listed(item: TableObject) -> ListedObject:
    """A perceived object as words refer to it."""
    return ListedObject(item.label, tuple(attribute.lower() for attribute in item.attributes), item.container)


def barred_in(snapshot: Snapshot, prohibitions: Iterable[Prohibition]) -> tuple[Barred, ...]:
    """The objects in a snapshot that prohibitions mean; a prohibition that means none of them is left out."""
    found = []
    for prohibition in prohibitions:
        fits = {item.name: fit(prohibition.what, listed(item)) for item in snapshot}
        names = tuple(name for name, value in fits.items() if value)
        unsure = tuple(name for name in names if fits[name] is Fit.UNSURE)
        if names:
            found.append(Barred(prohibition, names, unsure))
    return tuple(found)


def prompt_lines(barred: Iterable[Barred], shown: Callable[[str], str] = str) -> tuple[str, ...]:
    """Lines of a prompt that say what is prohibited with which objects; `shown` writes their names as prompts do."""
    lines = []
    for item in barred:
        deed = f'put in {item.prohibition.place}' if item.prohibition.place else 'moved'
        names = ', '.join(map(shown, item.names))
        lines.append(f'Must not be {deed} (prohibition “{item.prohibition.what}”): {names}')
    return tuple(lines)


def why_prohibited(prohibition: Prohibition, name: str, sure: Fit) -> str:
    """The answer to what a prohibition rules out: which one it is, and how to lift it."""
    by = f', as {prohibition.person} said' if prohibition.person else ''
    on = f' on {prohibition.said_at.day} {prohibition.said_at:%B %Y}' if by and prohibition.said_at else ''
    doubt = f'; nobody can tell whether {name} is meant, so it counts' if sure is Fit.UNSURE else ''
    return f'{name} is prohibited: “{prohibition}”{by}{on}{doubt}. To lift it, say “{prohibition.how_to_lift}”'


def _needs_context(item: NounPhrase) -> bool:
    """Whether a noun phrase says something about a number or other objects, which has no meaning by itself."""
    if item.pronoun or item.half or item.left_out or item.by_name or item.example or item.stated or item.abstract:
        return True
    if item.count is not None and item.count != 1:
        return True
    parts = tuple(walk(item.selector))
    return any(isinstance(part, Rest) or part == Noun('needed') for part in parts) or (
        item.selector == Anything() and not _ANY.match(item.text.lower())
    )


def _undecided(meaning: Selector) -> Iterator[str]:
    """Qualities that would rule out all objects, as nobody can tell which ones have them: `metal things`."""
    if not any(isinstance(part, Noun | Named) for part in walk(meaning)):
        for part in walk(meaning):
            if isinstance(part, Quality) and not (lexicon().colour(part.word) or lexicon().adjectives.get(part.word)):
                yield part.word


def _place_words(place: str) -> str:
    return _BEFORE_NOUNS.sub('', ' '.join(place.lower().replace('’', "'").split()))


_KNOWLEDGE = Knowledge(lexicon())
"""Without the labels of other objects: a mug stays a cup even if a cup is in sight."""


def _fit(selector: Selector, thing: ListedObject) -> Fit:
    match selector:
        case Not(part):
            return Fit(Fit.YES - _fit(part, thing))
        case And(parts):
            return min(_fit(part, thing) for part in parts)
        case Or(parts):
            return max(_fit(part, thing) for part in parts)
        case Rest():
            return Fit.UNSURE
        case Named(name):
            # Which one is pear 2 may change from snapshot to snapshot.
            return Fit.UNSURE if f' {thing.label}'.endswith(f' {ListedObject(name).label}') else Fit.NO
    if _KNOWLEDGE.matches(selector, thing):
        return Fit.YES
    return Fit.NO if _is_told(selector, thing) else Fit.UNSURE


def _is_told(selector: Selector, thing: ListedObject) -> bool:
    """Whether label and attributes show for sure that an object does not match."""
    match selector:
        case Noun(word):
            return _is_known(thing) and word != 'needed' and not _may_be(thing, word)
        case Coloured():
            return bool(_colours_seen(thing))
        case Quality(word) if lexicon().colour(word) is not None:
            return bool(_colours_seen(thing))
        case Quality(word):
            return bool(lexicon().adjectives.get(word)) and _is_known(thing)
        case In() | Anything():
            return True
    return False


def _is_known(thing: ListedObject) -> bool:
    """Whether the lexicon knows the label of an object as a whole or its last words, so that its kinds are known."""
    return _KNOWLEDGE.knows(ListedObject(thing.name))


def _may_be(thing: ListedObject, word: str) -> bool:
    """Whether an object with a known label may be what a noun names.

    The noun may be a part of its name, as of `carrot cake`, or its label a wider word, such as `fruit` for a pear; and
    some people count fruit among snacks.
    """
    if _KNOWLEDGE.is_part_of_name(word, thing):
        return True
    noun = lexicon().singular(thing.label).split()[-1]
    if lexicon().is_a(word, noun):
        return True
    if not lexicon().is_category(word):
        return False
    kinds = lexicon().borderline.get(lexicon().category_of[word], ())
    return any(lexicon().is_a(noun, kind) for kind in kinds)


def _colours_seen(thing: ListedObject) -> frozenset[str]:
    """The colours that the attributes or the label of an object name, without those that are typical of its kind."""
    words = [word for text in (*thing.attributes, thing.label) for word in text.replace('-', ' ').split()]
    return frozenset(colour for word in words if (colour := lexicon().colour(word)) is not None)
