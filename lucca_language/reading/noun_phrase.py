"""A noun phrase as read: which objects it means, how many, and how it was said."""

from dataclasses import dataclass, field

from lucca_language.reading.selectors import And, Rest, Selector


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase. A `count` of None means all; `specific` grows with how narrowly the words name an object."""

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
    """as it was said; what no other field holds has no part in the reading"""
    elided: bool = False
    """without its own noun, as in `the red and the yellow cube`"""
    plural: tuple['NounPhrase', ...] = ()
    """for an antecedent: all noun phrases that `them` stands for"""
    group: tuple['NounPhrase', ...] = ()
    """the noun phrases that explain this one, as in `what is needed, which is a bowl and a spoon`"""

    @property
    def is_rest(self) -> bool:
        """Whether it means the remaining objects, as `everything else` does."""
        return isinstance(self.selector, Rest) or (
            isinstance(self.selector, And) and any(isinstance(part, Rest) for part in self.selector.parts)
        )
