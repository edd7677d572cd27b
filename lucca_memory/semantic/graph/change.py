"""Nodes, edges and changes to the graph, which are planned, stored, and then applied to the arrays.

Committing a change to the store is the single moment at which a batch or a pass takes effect.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.semantic.values import EVERYBODY, ForgottenNode, NodeKind

OPEN = 2**62
"""`valid_to` of valid statements, in microseconds since 1970."""

KINDS: tuple[NodeKind, ...] = ('statement', 'concept', 'general')
"""Node kinds by number."""

STATEMENT, CONCEPT, GENERAL = range(3)


class EdgeKind(IntEnum):
    """The relation from an edge's end a to its end b."""

    MENTIONS = 0
    """a, a statement or general node, is about the concept b; W is how informative the mention is."""
    SUPERSEDES = 1
    """a has superseded b."""
    FOLLOWS = 2
    """a was said right after b."""
    RELATED = 3
    """One statement named the concepts a and b; W counts such statements. The edge outlasts them: that the concepts are
    related is all that remains of forgotten statements, and it answers no question."""
    REPEATS = 4
    """a says nearly the same as b, but may be another fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A stored node. Times are microseconds since 1970 (UTC).

    Attributes:
        text: of statements and general nodes; the label of a concept.
        key: of a concept, by which texts and questions find it; 0 for all others.
        born, last: when it was first heard, and last heard or used (t_last).
        valid_to: when it was superseded, or OPEN.
        told: how often it was said; `said` is when last, 0 if unknown.
        used: graded use count; see forgetting/importance.py.
        vector: (d,), or None without an embedder.
    """

    node_id: int
    kind: int
    text: str
    born: int
    last: int
    owner: str = EVERYBODY
    speaker: str = ''
    sources: tuple[str, ...] = ()
    key: int = 0
    valid_to: int = OPEN
    told: int = 1
    said: int = 0
    used: float = 0.0
    pinned: bool = False
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An edge between two nodes by id; adding an existing edge increases its weight."""

    a: int
    b: int
    kind: EdgeKind
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeUpdate:
    """New values for a living node; None leaves a value as it is. `sources` are added to the existing ones."""

    node_id: int
    last: int | None = None
    valid_to: int | None = None
    told: int | None = None
    said: int | None = None
    used: float | None = None
    pinned: bool | None = None
    text: str | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Everything that one step changes, applied as a whole or not at all.

    Attributes:
        heard: sources heard in this step; they are ignored from then on.
        introduced_bytes: UTF-8 bytes of the new statements.
        nodes, edges, touches: additions and updates.
        away: nodes to put away, with the reason; `away_concepts` are concepts that nothing mentions any more.
        back: ids of nodes to restore.
        marks: how far followed sources were read for this step, each as name, number and revision.
    """

    heard: tuple[str, ...] = ()
    introduced_bytes: int = 0
    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()
    touches: Sequence[NodeUpdate] = ()
    away: Sequence[ForgottenNode] = ()
    away_concepts: Sequence[int] = ()
    back: Sequence[int] = field(default=())
    marks: Sequence[tuple[str, int, int]] = ()

    @property
    def is_empty(self) -> bool:
        """True if it changes nothing."""
        return not (
            self.heard
            or self.nodes
            or self.edges
            or self.touches
            or self.away
            or self.away_concepts
            or self.back
            or self.marks
        )


def touched(node: Node, touch: NodeUpdate) -> Node:
    """A node after an update."""
    values = {
        name: value
        for name in ('last', 'valid_to', 'told', 'said', 'used', 'pinned', 'text')
        if (value := getattr(touch, name)) is not None
    }
    sources = tuple(dict.fromkeys((*node.sources, *touch.sources)))
    return replace(node, **values, sources=sources)
