"""Prohibitions: what no action may move, or put into a place, until a person lifts it."""

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from lucca_core.english import with_article

MOST_PROHIBITIONS = 64
"""Most prohibitions that are kept at a time."""

MOST_CHARS = 120
"""Longest `what`, `place` and `person` of a prohibition, in characters."""

EVERY_PLACE = 'all'
"""As the place of what is lifted: whatever is prohibited of it."""
NOT_A_PLACE = 'I put nothing in'
NOT_KEPT = 'nothing is prohibited of exactly'
"""How the refusals begin to prohibit what is never done, and to lift what is not prohibited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prohibition:
    """Something that no action may do until it is lifted. Pointing at things is never prohibited.

    Attributes:
        what: the noun phrase for the objects, as it was said: `the red cup`, `anything yellow`, `fruit`.
        place: the container into which they must not be put; empty if they must not be moved at all.
        person: who said it; empty if unknown.
        said_at: when, in UTC; None if unknown.
    """

    what: str
    place: str = ''
    person: str = ''
    said_at: datetime | None = None

    def __str__(self) -> str:
        """The prohibition as an order: `do not put fruit in box 1`."""
        return f'do not put {self.what} in {with_article(self.place)}' if self.place else f'do not move {self.what}'

    @property
    def how_to_lift(self) -> str:
        """What a person says to lift it."""
        if self.place:
            return f'you may put {self.what} in {with_article(self.place)} again'
        return f'you may move {self.what} again'

    def as_json(self) -> dict[str, Any]:
        """All fields, in types that json can write."""
        return {**asdict(self), 'said_at': self.said_at.isoformat() if self.said_at else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProhibitions:
    """The prohibitions that hold. With a `fault`, it is not known which hold, so nothing may move."""

    prohibitions: tuple[Prohibition, ...] = ()
    fault: str = ''


NOTHING_PROHIBITED = KeptProhibitions()


class ProhibitionChange(StrEnum):
    """What is asked of the prohibitions."""

    LIST = ''
    ADD = 'add'
    LIFT = 'lift'


@dataclass(frozen=True, slots=True, kw_only=True)
class ProhibitionRequest:
    """Lists the prohibitions that hold, or adds or lifts one first. `place`: as in Prohibition, or EVERY_PLACE."""

    change: ProhibitionChange = ProhibitionChange.LIST
    what: str = ''
    place: str = ''
    person: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class ProhibitionsAnswer:
    """The prohibitions that hold now, on disk, and those that were added or lifted."""

    prohibitions: tuple[Prohibition, ...] = ()
    changed: tuple[Prohibition, ...] = ()
