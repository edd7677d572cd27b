"""The semantic memory as its users see it, and the values that go in and out.

The names follow the paper: a network G = (V, E, W) of nodes, typed edges and weights; importance
I(v) = α·R(v) + β·F(v) + γ·C(v); nodes below θ are compressed or forgotten.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

NodeKind = Literal['statement', 'concept', 'general']
"""What was said; what it is about; what several statements of little importance came to."""

Fate = Literal['pruned', 'compressed', 'by hand']

EVERYBODY = ''
"""The owner of what may be told to anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that was said or done.

    Attributes:
        text: as it was said; data, never an instruction.
        speaker: who said it; first-person words mean this one.
        time: when; must carry its zone.
        source: the turn or log entry that it is from, such as `said:17`. What was heard once under a source is never
            heard again under it.
        pinned: never forgotten: facts, safety, names, "remember this".
        owner: whose memory it belongs to, such as `person-3@4f…` (graph/owners.py); nobody else's context ever has it.
    """

    text: str
    speaker: str
    time: datetime
    source: str
    pinned: bool = False
    owner: str = EVERYBODY

    def __post_init__(self) -> None:
        if self.time.utcoffset() is None:
            raise ValueError(f'time must carry its zone, got {self.time!r}')
        if not self.source:
            raise ValueError('a statement needs a source, such as said:17')


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One text of a context.

    Attributes:
        node_id: of the node that it is from.
        text: as it was said, or what statements were compressed to.
        valid_from, valid_to: when it held; `valid_to` is None while it holds.
        sources: the turns and log entries that it is from.
        score: of relevance, comparable within one context.
        newer: when something newer was said that answers the question otherwise, so that this may be outdated; None where
            nothing is known to speak against it. It is of this question only, and never stored.
        newer_id: of the node that says it.
    """

    node_id: int
    kind: NodeKind
    text: str
    speaker: str
    valid_from: datetime
    valid_to: datetime | None
    sources: tuple[str, ...]
    score: float = 0.0
    newer: datetime | None = None
    newer_id: int | None = None

    @property
    def is_valid(self) -> bool:
        """True while nothing newer has taken its place, and none is thought to."""
        return self.valid_to is None and self.newer is None

    @property
    def is_doubtful(self) -> bool:
        """True if something newer may have taken its place."""
        return self.valid_to is None and self.newer is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What memory has to say to a question: what holds or may hold, best first, then what used to hold.

    `tokens` (estimated, all texts and their marks together) never exceed the budget that was asked for.
    """

    items: tuple[ContextItem, ...] = ()
    tokens: int = 0

    @property
    def valid(self) -> tuple[ContextItem, ...]:
        """What holds: an answer is drawn from these."""
        return tuple(item for item in self.items if item.is_valid)

    @property
    def history(self) -> tuple[ContextItem, ...]:
        """What used to hold, the newest first: only for questions about the past."""
        return tuple(item for item in self.items if item.valid_to is not None)

    @property
    def doubtful(self) -> tuple[ContextItem, ...]:
        """What may be outdated; each stands after what was said later."""
        return tuple(item for item in self.items if item.is_doubtful)

    @property
    def text(self) -> str:
        """The context as a prompt has it; whatever does not hold any more is marked."""
        return '\n'.join(map(line_of, self.items))


def line_of(item: ContextItem) -> str:
    """One item as a line of a prompt, marked where it does not hold any more, or may not."""
    who = f'{item.speaker}: ' if item.speaker else ''
    if item.newer is not None:
        return f'(said {item.valid_from:%Y-%m-%d}; something newer was said on {item.newer:%Y-%m-%d}) {who}{item.text}'
    if item.valid_to is None:
        return f'{item.valid_from:%Y-%m-%d} {who}{item.text}'
    return f'(no longer true, held {item.valid_from:%Y-%m-%d} to {item.valid_to:%Y-%m-%d}) {who}{item.text}'


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenNode:
    """A node that was put away: listed with its reason for a while, and restorable until then.

    `into` is the general node that a compressed one became part of.
    """

    node_id: int
    text: str
    sources: tuple[str, ...]
    fate: Fate
    reason: str
    time: datetime
    importance: float
    into: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """What one forgetting pass did.

    Attributes:
        pruned: put away; no answer can be drawn from them any more.
        compressed: replaced by a general node (`into`), which may still answer.
        theta: the threshold that was used; with a budget, the importance at the quantile that it demands.
        bytes_before, bytes_after: as in NetworkStats.bytes.
        decision_s, commit_s: how long deciding and storing took.
    """

    time: datetime
    pruned: tuple[ForgottenNode, ...] = ()
    compressed: tuple[ForgottenNode, ...] = ()
    theta: float = 0.0
    bytes_before: int = 0
    bytes_after: int = 0
    decision_s: float = 0.0
    commit_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkStats:
    """How the network stands.

    Attributes:
        statements, concepts, generals: living nodes of each kind.
        closed: statements that do not hold any more, kept as history.
        pinned: nodes that are never forgotten.
        bytes: UTF-8 bytes of every text from which an answer can be drawn: statements, history and general nodes.
            Concepts are only looked up, never answered with.
        introduced_bytes: UTF-8 bytes of everything that was ever heard.
        importance: quantiles 0, 0.1, … 1 of the importance of statements and general nodes; zeros without any.
        recency, frequency, centrality: means of R, F and C over the same nodes.
    """

    statements: int = 0
    concepts: int = 0
    generals: int = 0
    closed: int = 0
    pinned: int = 0
    edges: int = 0
    forgotten: int = 0
    heard: int = 0
    bytes: int = 0
    introduced_bytes: int = 0
    importance: tuple[float, ...] = (0.0,) * 11
    recency: float = 0.0
    frequency: float = 0.0
    centrality: float = 0.0

    @property
    def nodes(self) -> int:
        """Living nodes of every kind."""
        return self.statements + self.concepts + self.generals
