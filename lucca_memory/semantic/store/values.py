"""Values of the network store (counts, marks, states of nodes), and the error for concurrent changes."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from lucca_core.errors import MemoryFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Counts over the lifetime of a store."""

    next_id: int = 1
    heard: int = 0
    introduced_bytes: int = 0


class Mark(NamedTuple):
    """How far a followed source was read: its newest number at that time, and its revision."""

    at: int
    epoch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The state of a node told by a source. `valid_to` is None while it is valid; `away`: it was put away."""

    source: str
    node_id: int
    valid_to: datetime | None
    away: bool


class NetworkChangedError(MemoryFault):
    """Another process changed the rows since they were loaded, for example by erasing; nothing was stored."""
