"""What a store of the network tells of itself, and the error when another changed it."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from lucca_core.errors import MemoryFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Counts over the whole life of a store."""

    next_id: int = 1
    heard: int = 0
    introduced_bytes: int = 0


class Mark(NamedTuple):
    """How far a source that the network follows was read: its newest number then, and its edition."""

    at: int
    epoch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a node stands that a source told. `valid_to` is None while it holds; `away`: it was put away."""

    source: str
    node_id: int
    valid_to: datetime | None
    away: bool


class NetworkChangedError(MemoryFault):
    """Another robot changed the rows since they were loaded, for example by erasing; nothing was stored."""
