"""Nouns without an article: kinds of objects, or single objects where no kinds are sorted."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Directive
from lucca_language.reading.selectors import Noun
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of

_DETERMINERS = any_of('the this that these those my your our his her its their a an one')


def sorts_kinds(directive: Directive, directives: Iterable[Directive]) -> bool:
    """Whether others of the directives put kinds of objects elsewhere, as in `tea on the desk, pens in the drawer`."""
    return directive.target is not None and any(
        other.target not in (None, directive.target) and any(map(_is_kind, other.items)) for other in directives
    )


def with_kinds(directives: Sequence[Directive]) -> list[Directive]:
    """The directives; where they sort kinds, a single noun without an article is a kind as well, not one object."""
    return [
        replace(item, items=tuple(map(_as_kind, item.items))) if sorts_kinds(item, directives) else item
        for item in directives
    ]


def _is_kind(item: NounPhrase) -> bool:
    """Whether a noun phrase without an article is a plural, a mass noun or a category."""
    if not isinstance(item.head, Noun):
        return False
    words = lexicon()
    if _is_bare(item) and words.is_single_category(item.head.word):
        return True
    if item.definite or item.universal or item.count is not None:
        return False
    return words.is_plural(item.text.split()[-1]) or (
        words.knows(item.head.word) and not words.is_countable(item.head.word)
    )


def _as_kind(item: NounPhrase) -> NounPhrase:
    return replace(item, definite=False, count=None) if _is_bare(item) and isinstance(item.head, Noun) else item


def _is_bare(item: NounPhrase) -> bool:
    return item.definite and item.count == 1 and item.text.split()[0] not in _DETERMINERS
