"""Programs: task descriptions as data, with directives in order and the words that the descriptions define."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import Selector
from lucca_language.words.verbs import target_words
from lucca_language.words.word_sets import any_of

TABLE_WORDS = any_of('table tabletop')
FITTING_RELATIONS = any_of('in into inside on onto upon to over at toward towards within')


@dataclass(frozen=True)
class Destination:
    """Where something should go: the words for the place and their preposition."""

    words: tuple[str, ...]
    relation: str = 'in'

    @property
    def is_recipient(self) -> bool:
        """Whether it is a person."""
        return bool(self.words) and all(target_words().get(word) == 'user' for word in self.words)

    @property
    def is_table(self) -> bool:
        """Whether it is the table itself, on which everything stands anyway."""
        return len(self.words) == 1 and self.words[0] in TABLE_WORDS  # a coffee table is a place of its own

    def __str__(self) -> str:
        return f'{self.relation} {" ".join(self.words)}'


@dataclass(frozen=True)
class Presence:
    """A condition: that there is an object of some kind, or that there is none."""

    selector: Selector
    wanted: bool


@dataclass(frozen=True)
class Directive:
    """Something that the text asks for (`do`), forbids (`dont`) or limits to some objects (`only`)."""

    kind: str
    verb: str
    senses: frozenset[str]
    items: tuple[NounPhrase, ...]
    target: Destination | None = None
    stage: float = 0.0
    weak: bool = False
    """only a step towards another directive (`take the cup and …`), or implied (`when the cups are in the box, …`)"""
    given: tuple[Presence, ...] = ()
    """the conditions under which it holds, as in `unless there is an orange`"""
    sentence: int = field(default=0, compare=False)
    """number of its sentence"""

    @property
    def text(self) -> str:
        """The directive in a few words, for explanations."""
        what = ' and '.join(item.text for item in self.items)
        return ' '.join(part for part in (self.verb, what, str(self.target or '')) if part)


@dataclass(frozen=True)
class Program:
    """The meaning of a description."""

    directives: tuple[Directive, ...] = ()
    meanings: Mapping[str, Selector] = field(default_factory=dict)
    no_colours: frozenset[str] = frozenset()
    needed: tuple[NounPhrase, ...] = ()
    """what the text says is needed, which `the ingredients` and the like refer to"""
    goal: Destination | None = None
    """what is to be built or filled, as in `build a tower`"""
    asides: tuple[str, ...] = ()
    """clauses that are understood but ask for nothing themselves, such as `tidy up` before the rules"""
    unclear: tuple[str, ...] = ()
    """conditions and times that the reader does not understand, such as `after lunch`"""
    excepted: tuple[NounPhrase, ...] = field(default=(), compare=False)
    """what is excepted somewhere, as in `except the red one`"""
    as_named: bool = False
    """whether things come in the order in which the text names them: `in this order`, or as a numbered list"""
    in_turn: bool = field(default=False, compare=False)
    """whether the text says of anything that it comes before or after something else; no part of what was read"""

    @property
    def lacks_its_goal(self) -> bool:
        """Whether it builds or fills something with none of its objects: `give me the ball and build a tower`."""
        asked = [item for item in self.directives if item.kind == 'do' and not item.weak]
        return self.goal is not None and bool(asked) and not any(_serves(item, self.goal) for item in asked)


def _serves(directive: Directive, goal: Destination) -> bool:
    """Whether a directive puts its objects to a goal."""
    known = target_words()
    built = known.get(goal.words[-1], goal.words[-1])
    if directive.target is None:
        return 'use' in directive.senses or (built == 'tower' and 'stack' in directive.senses)
    named = directive.target.words[-1]
    return known.get(named, named) == built
