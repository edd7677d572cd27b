"""One noun phrase, as read."""

from dataclasses import dataclass

from lucca_language.reading.selectors import And, Rest, Selector


@dataclass(frozen=True)
class NounPhrase:
    """One noun phrase. `count` None means all; `specific` grows with how narrowly the words name a thing."""

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
    """a bare `objects` or `things`, which means no object in particular"""
    universal: bool = False
    text: str = ''
    elided: bool = False
    """without a noun of its own, as in `the red and the yellow cube`"""
    plural: tuple['NounPhrase', ...] = ()
    """for an antecedent: all the noun phrases that `them` stands for"""
    group: tuple['NounPhrase', ...] = ()
    """the noun phrases that say what this one is, as in `what is needed, which is a bowl and a spoon`"""

    @property
    def is_rest(self) -> bool:
        """True for `everything else` and the like."""
        return isinstance(self.selector, Rest) or (
            isinstance(self.selector, And) and any(isinstance(part, Rest) for part in self.selector.parts)
        )
