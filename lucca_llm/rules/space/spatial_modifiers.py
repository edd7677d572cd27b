"""What a noun phrase tells of where something stands: directions, landmarks and the phrase as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from lucca_language.words.lexicon import lexicon

ALL = ('all', 'every', 'each', 'everything')
"""The words before a noun with which a phrase means all that fit."""


class Relation(Enum):
    """What a modifier does with the things that a noun may mean.

    EXTREME: the one furthest in a direction; HALF: those on one side of the middle; SIDE_OF: those on one side of a
    landmark; ORDINAL: one counted from a side; ONLY: there is just one.
    """

    EXTREME = 'extreme'
    HALF = 'half'
    NEXT_TO = 'next to'
    TOUCHING = 'touching'
    NEAREST = 'nearest'
    BETWEEN = 'between'
    ON = 'on'
    SIDE_OF = 'side of'
    MIDDLE = 'middle'
    ORDINAL = 'ordinal'
    ONLY = 'only'


class Whose(Enum):
    """From whose side a direction is seen; UNSAID if that is open, NOBODYS if it makes no difference."""

    USERS = 'user'
    ROBOTS = 'robot'
    UNSAID = ''
    NOBODYS = 'nobody'


@dataclass(frozen=True, slots=True)
class Direction:
    """A direction on the table as somebody sees it: to the right, or away from them, or against these."""

    is_across: bool
    sign: int
    whose: Whose

    def users(self) -> tuple[bool, int]:
        """Whether it is across, and its sign, as the user sees it. The robot looks from the other side."""
        return self.is_across, -self.sign if self.whose is Whose.ROBOTS else self.sign


@dataclass(frozen=True, slots=True)
class Modifier:
    """One modifier. `landmarks`: what it is told by, without direction; `said`: how it may be repeated."""

    kind: Relation
    said: str
    direction: Direction | None = None
    landmarks: 'tuple[SpatialPhrase, ...]' = ()
    number: int = 0

    def seen_by(self, whose: Whose) -> 'Modifier':
        """The modifier with the directions that are open as somebody sees them."""
        direction = self.direction
        if direction is not None and direction.whose is Whose.UNSAID:
            direction = replace(direction, whose=whose)
        landmarks = tuple(landmark.seen_by(whose) for landmark in self.landmarks)
        return replace(self, direction=direction, landmarks=landmarks)


@dataclass(frozen=True, slots=True)
class SpatialPhrase:
    """A phrase between two positions of a text: the names that its noun may mean, and what else it tells of them."""

    start: int
    end: int
    noun: str
    names: tuple[str, ...]
    modifiers: tuple[Modifier, ...]
    which: str = 'the'
    is_clause: bool = False
    """Whether a modifier stands in a relative clause, so that it cannot tell where something is put."""

    def seen_by(self, whose: Whose) -> 'SpatialPhrase':
        """The phrase with the directions that are open as somebody sees them."""
        return replace(self, modifiers=tuple(item.seen_by(whose) for item in self.modifiers))

    @property
    def is_plural(self) -> bool:
        """Whether it means all that fit."""
        return self.which in ALL or lexicon().is_plural(self.noun.split()[-1])


def with_sided_ordinals(modifiers: Sequence[Modifier]) -> tuple[Modifier, ...]:
    """The modifiers with the side that an ordinal counts from: `the second from the left`, `the second closest`."""
    ordinals = [item for item in modifiers if item.kind is Relation.ORDINAL]
    rest = [item for item in modifiers if item.kind is not Relation.ORDINAL]
    if not ordinals:
        return tuple(modifiers)
    if len(ordinals) == 1 and ordinals[0].direction is None:
        ends = [item for item in rest if item.kind is Relation.EXTREME]
        if len(ends) == 1:
            rest.remove(ends[0])
            return (*rest, replace(ordinals[0], direction=ends[0].direction))
    if len(ordinals) == 1 and ordinals[0].number:
        # Without a side, it counts to nothing.
        return (*rest, ordinals[0] if ordinals[0].direction is not None else replace(ordinals[0], number=0))
    side = next((item for item in ordinals if item.direction is not None), ordinals[0])
    number = max(item.number for item in ordinals) if len(ordinals) == 2 else 0
    return (*rest, replace(side, number=number))
