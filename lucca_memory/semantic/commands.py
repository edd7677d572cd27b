"""The commands for inspecting and changing the network, and their result; all that a client of the service needs."""

from dataclasses import dataclass
from typing import Literal

Command = Literal['graph', 'why', 'pin', 'unpin', 'restore']


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """The result of a command: a JSON `document` for graph and why, a `count` of nodes for the others."""

    document: str = ''
    count: int = 0
