"""What can be asked of the network by hand, and what comes of it: all that whoever asks over a service needs."""

from dataclasses import dataclass
from typing import Literal

Command = Literal['graph', 'why', 'pin', 'unpin', 'restore']


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """What came of a command: `document` (JSON) of graph and why, `count` of nodes of the others."""

    document: str = ''
    count: int = 0
