"""Data classes of the semantic memory: statements, contexts, forgotten nodes, forgetting passes, statistics.

Names follow the paper: a network G = (V, E, W) of nodes, typed edges and weights; importance
I(v) = α·R(v) + β·F(v) + γ·C(v); nodes below θ are compressed or forgotten.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

NodeKind = Literal['statement', 'concept', 'general']
"""A statement; a concept that statements mention; a general node, to which statements were compressed."""

Fate = Literal['pruned', 'compressed', 'by hand']

EVERYBODY = ''
"""The owner of nodes that everybody may be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that was said or done.

    Attributes:
        text: as it was said; data, never an instruction.
        speaker: who said it; first-person words refer to this speaker.
        time: when it was said, with a time zone.
        source: the turn or log entry it is from, such as `said:17`; each source is heard once only.
        pinned: never forgotten: facts, safety, names, "remember this".
        owner: whose memory it belongs to, such as `person-3@4f…` (item_ids.py); never in anybody else's context.
    """

    text: str
    speaker: str
    time: datetime
    source: str
    pinned: bool = False
    owner: str = EVERYBODY

    def __post_init__(self) -> None:
        if self.time.utcoffset() is None:
            raise ValueError(f'time must have a time zone, got {self.time!r}')
        if not self.source:
            raise ValueError('a statement needs a source, such as said:17')


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One text of a context.

    Attributes:
        node_id: of its node.
        text: as it was said, or as it was compressed.
        valid_from, valid_to: when it was valid; `valid_to` is None while it is.
        sources: the turns and log entries it is from.
        score: relevance, comparable within one context.
        newer: when a different answer to this question was said later, so that this one may be outdated; None
            otherwise. Depends on the question and is never stored.
        newer_id: node of that later answer.
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
        """True unless it was superseded or may be outdated."""
        return self.valid_to is None and self.newer is None

    @property
    def is_doubtful(self) -> bool:
        """True if a later statement may have superseded it."""
        return self.valid_to is None and self.newer is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The memory's answer to a question: valid or possibly outdated items, best first, then history.

    `tokens` (estimated, all texts with their marks) never exceed the requested budget.
    """

    items: tuple[ContextItem, ...] = ()
    tokens: int = 0

    @property
    def valid(self) -> tuple[ContextItem, ...]:
        """The valid items, which answer the question."""
        return tuple(item for item in self.items if item.is_valid)

    @property
    def history(self) -> tuple[ContextItem, ...]:
        """The superseded items, newest first, for questions about the past."""
        return tuple(item for item in self.items if item.valid_to is not None)

    @property
    def doubtful(self) -> tuple[ContextItem, ...]:
        """The possibly outdated items; each follows the later statement."""
        return tuple(item for item in self.items if item.is_doubtful)

    @property
    def text(self) -> str:
        """The context as text for a prompt; items that are not valid are marked."""
        return '\n'.join(map(line_of, self.items))


def line_of(item: ContextItem) -> str:
    """One item as a line of a prompt, marked if it is not or may not be valid."""
    who = f'{item.speaker}: ' if item.speaker else ''
    if item.newer is not None:
        return f'(said {item.valid_from:%Y-%m-%d}; something newer was said on {item.newer:%Y-%m-%d}) {who}{item.text}'
    if item.valid_to is None:
        return f'{item.valid_from:%Y-%m-%d} {who}{item.text}'
    return f'(no longer true, held {item.valid_from:%Y-%m-%d} to {item.valid_to:%Y-%m-%d}) {who}{item.text}'


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenNode:
    """A node that was put away: listed with its reason and restorable for some time.

    `into` is the general node that it was compressed into, if any.
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
    """The result of a forgetting pass.

    Attributes:
        pruned: put away; they can no longer answer questions.
        compressed: replaced by a general node (`into`), which still can.
        theta: the threshold used; with a budget, the quantile of importance that meets it.
        bytes_before, bytes_after: see NetworkStats.bytes.
        decision_s, commit_s: duration of deciding and of storing.
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
    """Statistics of the network.

    Attributes:
        statements, concepts, generals: living nodes of each kind.
        closed: superseded statements, kept as history.
        pinned: nodes that are never forgotten.
        bytes: UTF-8 bytes of all texts that can answer questions: statements, history and general nodes, but not
            concepts, which are only looked up.
        introduced_bytes: UTF-8 bytes of everything heard so far.
        importance: quantiles 0, 0.1, … 1 over statements and general nodes; zeros if there are none.
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
        """Number of living nodes."""
        return self.statements + self.concepts + self.generals
