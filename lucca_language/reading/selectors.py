"""Selectors: expressions for the objects that a noun phrase means, evaluated for one object at a time."""

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lucca_language.words.lexicon import Lexicon
from lucca_language.words.morphology import one_spelling
from lucca_language.words.word_sets import any_of

_FOR_TOYS = any_of('box chest bin basket crate bag case rack shelf holder container organizer organiser hamper trunk')
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object as a text lists it: its name, attributes and place."""

    name: str
    attributes: tuple[str, ...] = ()
    place: str = 'table'

    @property
    def label(self) -> str:
        """The name in lower case and in the reader's spelling, without the number that makes it unique."""
        return _label(self.name)


@functools.lru_cache(maxsize=4096)
def _label(name: str) -> str:
    words = one_spelling(name.lower().replace('_', ' ')).split()
    while len(words) > 1 and words[-1].lstrip('#').isdigit():
        words.pop()
    return ' '.join(words)


@dataclass(frozen=True)
class Anything:
    """Every object."""


@dataclass(frozen=True)
class Noun:
    """Objects that a noun names: by label, synonym, category, listed attribute or definition."""

    word: str


@dataclass(frozen=True)
class Named:
    """The object with exactly this name, such as `pear 2`."""

    name: str


@dataclass(frozen=True)
class Quality:
    """Objects of a colour or with another quality."""

    word: str


@dataclass(frozen=True)
class Coloured:
    """Objects with a colour, where black, white and grey do not count by default."""


@dataclass(frozen=True)
class In:
    """Objects in a place."""

    place: str


@dataclass(frozen=True)
class Rest:
    """Objects that no other part of the text mentions."""


@dataclass(frozen=True)
class Not:
    part: 'Selector'


@dataclass(frozen=True)
class And:
    parts: tuple['Selector', ...]


@dataclass(frozen=True)
class Or:
    parts: tuple['Selector', ...]
    listed: bool = field(default=False, compare=False)
    """joined by `and` or a comma, as in `red and blue cups`: one thing may also be all of these"""


Selector = Anything | Noun | Named | Quality | Coloured | In | Rest | Not | And | Or


def both(*parts: Selector) -> Selector:
    """Objects that match all parts."""
    kept = [part for part in parts if not isinstance(part, Anything)]
    if not kept:
        return Anything()
    return kept[0] if len(kept) == 1 else And(tuple(kept))


def either(*parts: Selector) -> Selector:
    """Objects that match at least one part."""
    return parts[0] if len(parts) == 1 else Or(parts)


def with_another(before: Selector, another: Selector, *, listed: bool) -> Or:
    """One more alternative. What joins it, joins those before it, too: `red, blue or green`."""
    parts = before.parts if isinstance(before, Or) else (before,)
    return Or((*parts, another), listed)


def without_looks(selector: Selector) -> Selector:
    """The selector without its colours and other qualities, for objects whose looks are not listed."""
    match selector:
        case Quality() | Coloured():
            return Anything()
        case Not(part):
            return Anything() if without_looks(part) != part else selector
        case And(parts):
            return both(*map(without_looks, parts))
        case Or(parts):
            return either(*map(without_looks, parts))
    return selector


def without_exceptions(selector: Selector) -> Selector:
    """The selector with all that it excludes: `tools` of `tools other than the corkscrew`."""
    match selector:
        case Not():
            return Anything()
        case And(parts):
            return both(*map(without_exceptions, parts))
        case Or(parts):
            return either(*map(without_exceptions, parts))
    return selector


def is_within(selector: Selector, other: Selector, lexicon: Lexicon) -> bool:
    """Whether all that a selector means is meant by another one, as far as the lexicon tells: `pears`, `fruit`."""
    match other:
        case Or(parts):
            return any(is_within(selector, part, lexicon) for part in parts)
        case And(parts):
            return all(is_within(selector, part, lexicon) for part in parts)
    if isinstance(selector, And):
        return any(is_within(part, other, lexicon) for part in selector.parts)
    if isinstance(other, Noun) and isinstance(selector, Noun | Named):
        noun = selector.word if isinstance(selector, Noun) else selector.name.rpartition(' ')[0]
        return lexicon.is_a(noun, other.word)
    return selector == other


def walk(selector: Selector) -> Iterator[Selector]:
    """The selector and everything in it."""
    yield selector
    if isinstance(selector, Not):
        yield from walk(selector.part)
    elif isinstance(selector, And | Or):
        for part in selector.parts:
            yield from walk(part)


@dataclass(frozen=True)
class Knowledge:
    """The basis for deciding whether an object matches: the lexicon, and definitions in the text."""

    lexicon: Lexicon
    meanings: Mapping[str, Selector] = field(default_factory=dict)
    """word that the text defines -> its meaning"""
    no_colours: frozenset[str] = frozenset()
    """colours that the text does not count as colours; if empty, the achromatic ones"""
    labels: frozenset[str] = frozenset()
    """labels of all objects in sight"""
    is_rest: Callable[[ListedObject], bool] = lambda thing: True
    depth: int = 0
    """number of definitions expanded so far; limited, as they may be circular"""

    def matches(self, selector: Selector, thing: ListedObject) -> bool:
        """Whether the selector means this object."""
        match selector:
            case Anything():
                return True
            case Named(name):
                # Beside `pear 2`, the first pear is just called `pear`; of `red cube 2`, `red` is a quality.
                return f' {thing.name.lower()}'.endswith((f' {name}', f' {name.removesuffix(" 1")}'))
            case Noun(word):
                return self._is_a(thing, word)
            case Quality(word):
                return self._has(thing, word)
            case Coloured():
                colours = self.colours(thing)
                return bool(colours) and not colours <= (self.no_colours or self.lexicon.achromatic)
            case In(place):
                return place in thing.place
            case Rest():
                return self.is_rest(thing)
            case Not(part):
                return not self._is_excluded(part, thing)
            case And(parts):
                return all(self.matches(part, thing) for part in parts)
            case Or(parts):
                return any(self.matches(part, thing) for part in parts)

    def may_match(self, selector: Selector, thing: ListedObject) -> bool:
        """Whether the selector may mean this object, as what restricts is read: `the carrot` may be a carrot cake.

        An object of which no colour is known may have any.
        """
        match selector:
            case Coloured():
                return self.matches(selector, thing) or not self.colours(thing)
            case Quality(word) if self.lexicon.colour(word) is not None:
                return self.matches(selector, thing) or not self.colours(thing)
            case Noun(word):
                return self.matches(selector, thing) or self.is_part_of_name(word, thing)
            case And(parts):
                return all(self.may_match(part, thing) for part in parts)
            case Or(parts):
                return any(self.may_match(part, thing) for part in parts)
        return self.matches(selector, thing)

    def _is_excluded(self, selector: Selector, thing: ListedObject) -> bool:
        """Whether an exception means an object: the carrot cake is `the carrot` where nothing else is a carrot."""
        if self.matches(selector, thing) or not self.may_match(selector, thing):
            return self.matches(selector, thing)
        return bool(self.labels) and not any(self.matches(selector, ListedObject(label)) for label in self.labels)

    def is_part_of_name(self, noun: str, thing: ListedObject) -> bool:
        """Whether a noun or another word for it is among the words of an object's name: `carrot` of `carrot cake`."""
        name = ' '.join(map(self.lexicon.singular, thing.label.replace('-', ' ').split()))
        return any(f' {word} ' in f' {name} ' for word in (noun, *self.lexicon.same.get(noun, ())))

    def colours(self, thing: ListedObject) -> frozenset[str]:
        """The colours of an object: as listed, otherwise from its name, its definition or the lexicon."""
        attribute_words = [word for attribute in thing.attributes for word in attribute.replace('-', ' ').split()]
        for words in (attribute_words, thing.label.split()[:-1]):
            found = {colour for word in words if (colour := self.lexicon.colour(word))}
            if found:
                return frozenset(found)
        implied = {part.word for part in self._implied(thing) if isinstance(part, Quality)}
        found = {colour for word in implied if (colour := self.lexicon.colour(word))}
        if found:
            return frozenset(found)
        typical = next(
            (self.lexicon.colour_of[noun] for noun in self._nouns(thing) if noun in self.lexicon.colour_of), None
        )
        return frozenset({typical} if typical else ())

    def knows(self, thing: ListedObject) -> bool:
        """Whether the lexicon, the text or the listed attributes show what an object is."""
        told = (*self._nouns(thing), *map(self.lexicon.singular, thing.attributes))
        return bool(self._implied(thing)) or any(self.lexicon.knows(noun) for noun in told)

    def _nouns(self, thing: ListedObject) -> Iterator[str]:
        """The label, then its longest ending that the lexicon knows, and the head of that if it is of the same kind.

        A red coffee mug is a coffee mug and a mug; a hot dog is not a dog.
        """
        label = self.lexicon.singular(thing.label)
        yield label
        words = label.split()
        parents, head = self.lexicon.parents, words[-1]
        for start in range(len(words)):
            ending = ' '.join(words[start:])
            if self.lexicon.knows(ending):
                if start:
                    yield ending
                alike = parents.get(ending, frozenset()) & parents.get(head, frozenset())
                # Ice cream is no cream.
                if alike and head not in {ending, *self.labels} and 'food' not in alike:
                    yield head
                return
        if len(words) > 1:
            yield words[-1]

    def _implied(self, thing: ListedObject) -> list[Selector]:
        """What the text's definitions say about objects with this label, as separate parts."""
        found: list[Selector] = []
        for noun in self._nouns(thing) if self.meanings else ():
            meaning = self.meanings.get(noun)
            if meaning is not None:
                found += meaning.parts if isinstance(meaning, And) else [meaning]
        return found

    def _is_a(self, thing: ListedObject, word: str) -> bool:
        if (toy := self._is_toy_as(thing, word)) is not None:
            return toy
        implied = self._implied(thing)
        for part in implied:
            if isinstance(part, Not) and isinstance(part.part, Noun) and self.lexicon.is_a(part.part.word, word):
                return False
        for noun in self._nouns(thing):
            # If a mug and a cup are in sight, the mug is not the cup.
            synonym = noun != word and word in self.labels and word in self.lexicon.same.get(noun, ())
            if self.lexicon.is_a(noun, word) and not synonym:
                return True
        for attribute in thing.attributes:
            if self.lexicon.colour(attribute) is None and self.lexicon.is_a(self.lexicon.singular(attribute), word):
                return True
        if any(isinstance(part, Noun) and self.lexicon.is_a(part.word, word) for part in implied):
            return True
        if ' ' in word and self._fits_compound(thing, word):
            return True
        meaning = self.meanings.get(word)
        return meaning is not None and word not in self.labels and self._opened(meaning, thing)

    def _is_toy_as(self, thing: ListedObject, word: str) -> bool | None:
        """Whether a toy hammer is of a category: a toy, and beside a real hammer no tool. None for all other cases.

        A toy box is no toy but holds them.
        """
        label = self.lexicon.singular(thing.label)
        if label.split()[-1] in _FOR_TOYS:
            return None
        if not self.lexicon.is_category(word) or 'toy' in word.split()[:-1] or 'toy' not in label.split()[:-1]:
            return None
        if self.lexicon.knows(label) or label in self.meanings:
            return None
        if self.lexicon.is_a('toy', word):
            return True
        real = any(self.lexicon.is_a(other, word) for other in self.labels if 'toy' not in other.split())
        return False if real else None

    def _opened(self, meaning: Selector, thing: ListedObject) -> bool:
        return self.depth < _DEEPEST and replace(self, depth=self.depth + 1).matches(meaning, thing)

    def _fits_compound(self, thing: ListedObject, phrase: str) -> bool:
        """Whether an unknown compound fits: its head names the object, its modifiers occur in label or attributes."""
        if self.lexicon.knows(phrase):
            return False
        *modifiers, head = phrase.split()
        words = {*thing.label.split(), *(word for attribute in thing.attributes for word in attribute.split())}
        return all(modifier in words for modifier in modifiers) and self._is_a(thing, head)

    def _has(self, thing: ListedObject, word: str) -> bool:
        if word == thing.label:
            return True  # an object named `purple`, even if the word has other meanings
        colour = self.lexicon.colour(word)
        if colour is not None:
            return colour in self.colours(thing)
        words = {part for attribute in thing.attributes for part in (attribute, *attribute.replace('-', ' ').split())}
        if word in words or word in thing.label.split()[:-1]:
            return True
        if any(isinstance(part, Quality) and part.word == word for part in self._implied(thing)):
            return True
        kinds = self.lexicon.adjectives.get(word)
        if kinds:
            return any(self.lexicon.is_a(noun, kind) for noun in self._nouns(thing) for kind in kinds)
        meaning = self.meanings.get(word)
        return meaning is not None and self._opened(meaning, thing)
