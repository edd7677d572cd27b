"""A noun phrase as read: the objects that it means, their number, and its wording."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from lucca_language.reading.selectors import And, Anything, Rest, Selector, either, is_within
from lucca_language.words.lexicon import Lexicon


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase. A `count` of None means all; `specific` is larger the more narrowly the words name an object."""

    selector: Selector
    head: Selector
    count: int | None = None
    definite: bool = False
    polarity: str = 'some'
    """some, none (`no cube`), only (`only cubes`)"""
    specific: int = 0
    abstract: bool = False
    pronoun: bool = False
    vague: bool = False
    """a bare `objects` or `things`, which names no particular object"""
    universal: bool = False
    text: str = field(default='', compare=False)
    """the wording; words that no other field holds are not part of the meaning"""
    elided: bool = False
    """without its own noun, as in `the red and the yellow cube`"""
    stated: int = 0
    """the total that is mentioned, as in `all three cubes`; 0 if none is"""
    left_out: int = 0
    """how many are left out, as in `all but one of the cubes`"""
    half: bool = False
    by_name: int = 0
    """1: in the order of their names, -1: in the reverse order"""
    plural: tuple['NounPhrase', ...] = ()
    """for an antecedent: all noun phrases that `them` stands for"""
    group: tuple['NounPhrase', ...] = ()
    """the noun phrases that explain this one, as in `what is needed, which is a bowl and a spoon`"""
    bare: bool = field(default=False, compare=False)
    """named without an article, as in `put green cup in box 1`; that it is one object, `count` and `definite` say"""
    stands_for: str = field(default='', compare=False)
    """for a pronoun: the wording of what it stands for"""
    example: bool = False
    """an example of what belongs somewhere, as in `things like the banana`; objects like it are meant"""

    @property
    def called(self) -> str:
        """The words that name the objects, as the question which ones are meant repeats them."""
        return self.stands_for or self.text

    @property
    def is_single(self) -> bool:
        """Whether it names one object, as `the cup` does."""
        return self.count == 1 and not (self.pronoun or self.universal or self.elided or self.group)

    @property
    def is_rest(self) -> bool:
        """Whether it means the remaining objects, as `everything else` does."""
        return isinstance(self.selector, Rest) or (
            isinstance(self.selector, And) and any(isinstance(part, Rest) for part in self.selector.parts)
        )


def kind_of_any(items: Iterable[NounPhrase]) -> Selector:
    """What `ones` stands for after several noun phrases: a thing of any of their kinds."""
    heads = dict.fromkeys(item.head for item in items)
    return Anything() if Anything() in heads else either(*heads)


def stands_for_kind(item: NounPhrase) -> bool:
    """Whether a noun phrase ends in `one` or `ones`, in place of a noun said before."""
    return item.text.endswith((' one', ' ones'))


def tells_which(item: NounPhrase, before: NounPhrase, lexicon: Lexicon) -> bool:
    """Whether a noun phrase tells which object the one before means: `a cube, the blue one`, `a fruit, the apple`."""
    if stands_for_kind(item):
        return before.selector == before.head == item.head != item.selector
    named = item.definite and item.is_single and before.count is not None and not before.definite
    return named and item.selector != before.selector and is_within(item.selector, before.selector, lexicon)
