"""A request with its table and the expected result."""

from collections.abc import Mapping
from dataclasses import dataclass, field

USER, POINTED = 'user', 'pointed at'
CONTAINERS = ('box 1', 'box 2', 'bowl', 'tower')

Deed = tuple[str, str]
"""A place, USER or POINTED, and the name of an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnRequest:
    """A request with its table.

    Attributes:
        text: what is said.
        kind: the form of the request, such as `pair`; `outside` if no action can do it.
        mood: the mood of the sentence, such as `question`.
        objects: the objects on the table, as `noun (colour)`.
        wanted: sets of deeds, one of which must be done exactly; if empty, nothing may move.
        order: deeds that must come in this order.
        places: the receptacles, each with its own action; if empty, the containers and actions of `config/`.
        at_m: where all objects and places are in the world (x, y), by name, for a user who sits at a large x and looks
            along -x; if empty, nobody knows.
        held: the place of each object that is not on the table, by name.
        group: the scene, for sets whose halves have different scenes; 0 for others.
        picks: whether the robot only hands over and picks up, and has no places.
        by_people: share of people who understood it rightly, if that is known.
    """

    text: str
    kind: str
    mood: str
    objects: tuple[str, ...]
    wanted: tuple[frozenset[Deed], ...] = ()
    order: tuple[Deed, ...] = ()
    places: tuple[str, ...] = ()
    at_m: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    group: int = 0
    picks: bool = False
    by_people: float | None = None
