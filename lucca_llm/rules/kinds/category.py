"""Categories: noun phrases that name a kind of objects, and the action that puts those into their place."""

from dataclasses import dataclass

from lucca_language.reading.noun_parser import GENERIC
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import Noun, Quality, walk
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.kinds.meaning import Kind

_AMOUNTS = any_of('half third quarter part pair couple dozen number lot')
"""Nouns for amounts, which do not name a kind."""
_SIZES = any_of('big bigger large larger huge small smaller little tiny heavy light tall short long')
"""Sizes, which cannot be told from the name of an object."""
_NO_PART = any_of('the a an all any every each of my our your other another remaining rest')


@dataclass(frozen=True)
class Category:
    """A noun phrase for objects of one kind, and the action that puts them into their place."""

    item: NounPhrase
    action: str

    @property
    def kind(self) -> Kind:
        """The words that name the kind."""
        said = [word for word in self.item.text.split() if word not in _NO_PART]
        return Kind(' '.join(said), self.item.is_rest)

    @property
    def is_by_size(self) -> bool:
        """Whether only a size distinguishes these objects."""
        words = self.kind.words.split()
        telling = [word for word in words if lexicon().singular(word) not in GENERIC]
        return bool(telling) and _SIZES.issuperset(telling)

    def differs_by_size(self, other: 'Category') -> bool:
        """Whether only sizes tell these objects from those of another category: light clothes and heavy clothes."""
        own, others = set(self.kind.words.split()), set(other.kind.words.split())
        return bool(own - others) and bool(others - own) and _SIZES.issuperset(own ^ others)


def is_category(item: NounPhrase) -> bool:
    """Whether a noun phrase names a kind of objects rather than particular ones."""
    if item.count is not None or item.half or item.left_out or item.pronoun or item.abstract or item.vague:
        return False
    if isinstance(item.head, Noun) and item.head.word in _AMOUNTS:
        return False
    if item.definite and isinstance(item.head, Noun) and not lexicon().knows(item.head.word):
        return False  # `the rice chips` are particular objects, too
    # `red objects` and `whatever is edible` are decided by the lexicon's knowledge of the objects, not by their names.
    qualities = [part.word for part in walk(item.selector) if isinstance(part, Quality)]
    return isinstance(item.head, Noun) or any(not knows_quality(word) for word in qualities)


def knows_quality(word: str) -> bool:
    """Whether the lexicon knows a colour, or the kinds of things that a quality means."""
    return lexicon().colour(word) is not None or bool(lexicon().adjectives.get(word))
