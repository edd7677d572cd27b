"""A request with the table that it is said at, and what has to come of it."""

from dataclasses import dataclass

USER, POINTED = 'user', 'pointed at'
CONTAINERS = ('box 1', 'box 2', 'bowl', 'tower')

Deed = tuple[str, str]
"""A place, USER or POINTED, and the name of the object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnRequest:
    """A request with its table.

    Attributes:
        text: what is said.
        kind: how it is built, such as `pair`; `outside` where no action can do it.
        mood: how it is asked for.
        objects: on the table, as `noun (colour)`.
        wanted: the sets of deeds of which one has to come about; none: nothing may move.
        order: deeds that have to come in this order.
        places: the receptacles, each with an action of its own; none: the containers and actions of `config/`.
    """

    text: str
    kind: str
    mood: str
    objects: tuple[str, ...]
    wanted: tuple[frozenset[Deed], ...] = ()
    order: tuple[Deed, ...] = ()
    places: tuple[str, ...] = ()
