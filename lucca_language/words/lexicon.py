"""The lexicon read from lexicon.yaml: kinds, singulars, colours and adjectives of nouns, and uses of things."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lucca_core.yaml_file import load_yaml
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.morphology import singular

_MOST_SINGULARS = 10_000
"""Number of nouns whose singular is remembered."""
LEXICON_FILE = Path(__file__).with_name('lexicon.yaml')


@dataclass(frozen=True)
class Lexicon:
    """Nouns and their categories, all in the singular and lower case."""

    parents: Mapping[str, frozenset[str]]
    """noun or category -> itself and every category above it"""
    same: Mapping[str, frozenset[str]]
    """noun -> the nouns that mean the same, itself included"""
    category_of: Mapping[str, str]
    """word for a category -> the category"""
    borderline: Mapping[str, tuple[str, ...]]
    """category -> kinds that some people count among it, too"""
    colour_of: Mapping[str, str]
    colour_words: frozenset[str]
    colour_synonyms: Mapping[str, str]
    achromatic: frozenset[str]
    adjectives: Mapping[str, frozenset[str]]
    uses: Mapping[str, tuple[str, ...]]
    irregular: Mapping[str, str]
    mass: frozenset[str]
    longest: int
    """number of words in the longest noun"""
    _singulars: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def knows(self, noun: str) -> bool:
        """Whether a singular noun is in the lexicon, as a noun or as a word for a category."""
        return noun in self.parents or noun in self.category_of

    def singular(self, phrase: str) -> str:
        """The singular of a noun, known or not."""
        found = self._singulars.get(phrase)
        if found is None:
            found = singular(phrase, self.irregular, self.knows)
            if len(self._singulars) < _MOST_SINGULARS:
                self._singulars[phrase] = found
        return found

    def use(self, words: Sequence[str]) -> tuple[str, int] | None:
        """What is used as these words begin, and how many of them say so: `hold something` means containers.

        The longest phrase counts, in the singular or the plural.
        """
        begin = self._in_singular(words[: self._longest_use])
        for count in range(len(begin), 0, -1):
            if (kind := self._use_phrases.get(begin[:count])) is not None:
                return kind, count
        return None

    @functools.cached_property
    def _use_phrases(self) -> dict[tuple[str, ...], str]:
        """The words of a phrase in the singular -> what is used so."""
        found: dict[tuple[str, ...], str] = {}
        for kind, phrases in self.uses.items():
            for phrase in phrases:
                found.setdefault(self._in_singular(phrase.split()), kind)
        return found

    @functools.cached_property
    def _longest_use(self) -> int:
        return max(map(len, self._use_phrases), default=0)

    def _in_singular(self, words: Sequence[str]) -> tuple[str, ...]:
        return tuple(word if word in FUNCTION_WORDS else self.singular(word) for word in words)

    def is_countable(self, noun: str) -> bool:
        """Whether a noun without an article means one object: a known one that is no category (`toy`), no mass noun
        (`paper`, `sporting equipment`), and not the same in the plural (`pants`)."""
        last = noun.split()[-1]
        is_same_in_plural = self.irregular.get(last) == last
        return self.knows(noun) and not (is_same_in_plural or self.is_category(noun) or {noun, last} & self.mass)

    def is_single_category(self, noun: str) -> bool:
        """Whether a category's noun without an article means one object: `toy` and `green toy`, not `fruit`."""
        last = noun.split()[-1]
        return self.is_category(noun) and self.irregular.get(last) != last and not {noun, last} & self.mass

    def is_plural(self, noun: str) -> bool:
        """Whether a noun has another singular: true for `boxes`, false for `glass` and `pants`."""
        return self.singular(noun) != noun

    def is_category(self, noun: str) -> bool:
        """Whether a word names a category rather than a single kind of object."""
        return noun in self.category_of

    def is_a(self, noun: str, kind: str) -> bool:
        """Whether `kind` is `noun` itself, a synonym or a category above it."""
        kind = self.category_of.get(kind, kind)
        noun = self.category_of.get(noun, noun)
        if noun == kind or kind in self.same.get(noun, ()):
            return True
        return kind in self.parents.get(noun, ()) and kind in self.category_of

    def above(self, noun: str) -> frozenset[str]:
        """The categories above a noun or a word for a category, which is not among them itself."""
        noun = self.category_of.get(noun, noun)
        return self.parents.get(noun, frozenset()) - {noun}

    def broadest(self, noun: str) -> frozenset[str]:
        """The broadest categories of a noun or a word for a category: food for apples."""
        own = self.parents.get(self.category_of.get(noun, noun), frozenset())
        return frozenset(name for name in own if self.is_category(name) and not self.above(name))

    def colour(self, word: str) -> str | None:
        """The colour that a word names, in one spelling, or None."""
        word = self.colour_synonyms.get(word, word)
        return word if word in self.colour_words else None


def _closure(name: str, above: Mapping[str, list[str]]) -> frozenset[str]:
    found = {name}
    stack = list(above.get(name, ()))
    while stack:
        item = stack.pop()
        if item not in found:
            found.add(item)
            stack.extend(above.get(item, ()))
    return frozenset(found)


def _same(groups: list[list[str]]) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in groups:
        for word in group:
            table.setdefault(word, {word}).update(group)
    return {word: frozenset(words) for word, words in table.items()}


def build_lexicon(data: Mapping[str, Any]) -> Lexicon:
    """A lexicon from the mapping in lexicon.yaml."""
    above: dict[str, list[str]] = {name: list(kinds) for name, kinds in data['categories'].items()}
    nouns: dict[str, list[str]] = {}
    for category, members in data['nouns'].items():
        for member in members:
            nouns.setdefault(member, []).append(category)
    same = _same(data['synonyms'])
    for noun, others in same.items():
        # A synonym that is not listed elsewhere has the categories of the others.
        nouns.setdefault(noun, [kind for other in sorted(others) for kind in nouns.get(other, ())])
    parents = {name: _closure(name, above) for name in above}
    for noun, kinds in nouns.items():
        closure = frozenset().union(*(parents[kind] for kind in kinds)) | {noun}
        parents[noun] = parents.get(noun, frozenset()) | closure
    category_of = {name: name for name in above}
    for category, words in data['category_words'].items():
        category_of.update(dict.fromkeys(words, category))
    colour_of = {noun: colour for colour, members in data['typical_colours'].items() for noun in members}
    for noun, others in same.items():
        for other in others:
            if other in colour_of:
                colour_of.setdefault(noun, colour_of[other])
    return Lexicon(
        parents=parents,
        same=same,
        category_of=category_of,
        borderline={category: tuple(kinds) for category, kinds in data['borderline'].items()},
        colour_of=colour_of,
        colour_words=frozenset(data['colour_words']),
        colour_synonyms=dict(data['colour_synonyms']),
        achromatic=frozenset(data['achromatic']),
        adjectives={word: frozenset(members) for word, members in data['adjectives'].items()},
        uses={kind: tuple(phrases) for kind, phrases in data['uses'].items()},
        irregular=dict(data['irregular_plurals']),
        mass=frozenset(data['mass_nouns']),
        longest=max(len(noun.split()) for noun in [*parents, *category_of]),
    )


@functools.lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon of lexicon.yaml, read once.

    Raises:
        ConfigError: the file is missing or is not YAML.
    """
    return build_lexicon(load_yaml(LEXICON_FILE))
