"""Nouns without an article: kinds of objects, or single objects where no kinds are sorted."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Directive
from lucca_language.reading.selectors import Anything, Noun
from lucca_language.words.glosses import is_substance
from lucca_language.words.lexicon import lexicon


def is_among_kinds(item: NounPhrase, directive: Directive, directives: Iterable[Directive]) -> bool:
    """Whether others of the directives put kinds of objects elsewhere, as in `tea on the desk, pens in the drawer`.

    A category in the singular may be one object, too. It is a kind only among others: `red toy in box 1, black tool in
    box 2`, but not `red toy in box 1, black cup in box 2`.
    """
    others = [other for elsewhere in directives if _puts_elsewhere(elsewhere, directive) for other in elsewhere.items]
    return any(_is_kind(other) or (_is_bare_category(other) and _is_bare_category(item)) for other in others)


def is_bare_singular(item: NounPhrase) -> bool:
    """Whether a noun in the singular stands without an article for nothing that the lexicon knows: `dumbbell`."""
    words = lexicon()
    if item.universal or item.definite or item.count is not None:
        return False
    if isinstance(item.head, Anything):
        return item.called.split()[-1] in ('object', 'thing', 'item')
    if not isinstance(item.head, Noun):
        return False
    noun = item.head.word
    is_kind = words.is_category(noun) or {noun, noun.split()[-1]} & words.mass
    return item.called.endswith(noun) and not is_kind


def may_be_one(item: NounPhrase) -> bool:
    """Whether a kind may as well be one object: `green cup` among kinds, but not `toy`, a category, or `flour`."""
    if not item.bare or item.count is not None or item.universal:
        return False
    if not isinstance(item.head, Noun):
        return True
    return not (lexicon().is_single_category(item.head.word) or is_substance(item.head.word))


def with_kinds(directives: Sequence[Directive]) -> list[Directive]:
    """The directives; where they sort kinds, a single noun without an article is a kind as well, not one object.

    There may be none of it, as of any kind. If there are several of `green cup`, it is asked which one; see
    `may_be_one`.
    """
    return [
        replace(
            directive,
            items=tuple(
                replace(item, definite=False, count=None)
                if _is_bare(item) and is_among_kinds(item, directive, directives)
                else item
                for item in directive.items
            ),
        )
        for directive in directives
    ]


def _puts_elsewhere(other: Directive, directive: Directive) -> bool:
    """Whether both say where things belong, and not in the same place. What a person is given is not sorted."""
    places = [item.target for item in (other, directive) if item.target is not None and not item.target.is_recipient]
    return other.kind == 'do' and not other.weak and len(places) == 2 and places[0].words != places[1].words


def _is_kind(item: NounPhrase) -> bool:
    """Whether a noun phrase without an article is a plural or a mass noun."""
    if not isinstance(item.head, Noun) or item.definite or item.universal or item.count is not None:
        return False
    words = lexicon()
    return words.is_plural(item.text.split()[-1]) or (
        words.knows(item.head.word) and not words.is_countable(item.head.word)
    )


def _is_bare_category(item: NounPhrase) -> bool:
    return _is_bare(item) and isinstance(item.head, Noun) and lexicon().is_single_category(item.head.word)


def _is_bare(item: NounPhrase) -> bool:
    """Whether it names one object without an article."""
    one = item.count == 1 and item.definite and not item.pronoun
    return one and item.bare and isinstance(item.head, Noun)
