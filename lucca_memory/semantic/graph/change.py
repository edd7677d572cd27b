"""What a step would change: made first, stored as a whole, and only then carried out on the arrays.

So there is one moment at which a batch or a pass has happened: the commit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.semantic.values import EVERYBODY, ForgottenNode, NodeKind

OPEN = 2**62
"""`valid_to` of what still holds, in microseconds since 1970."""

KINDS: tuple[NodeKind, ...] = ('statement', 'concept', 'general')
"""Node kinds by number."""

STATEMENT, CONCEPT, GENERAL = range(3)


class EdgeKind(IntEnum):
    """What an edge says of its ends a and b."""

    MENTIONS = 0
    """a, a statement or general node, is about the concept b; W is how much the mention tells."""
    SUPERSEDES = 1
    """What a says has taken the place of what b says."""
    FOLLOWS = 2
    """a was said right after b."""
    RELATED = 3
    """Concepts a and b were named in one statement; W counts such statements. It outlasts them: what is left of a
    statement that was forgotten is that its things have to do with each other, and no answer can be drawn from that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as it is stored. Times are microseconds since 1970 (UTC).

    Attributes:
        text: of statements and general nodes; the label of a concept.
        key: of a concept: what texts and questions find it by; 0 for all others.
        born, last: when it was first heard, and last heard or used (t_last).
        valid_to: when something newer took its place, or OPEN.
        told: how often it was said; `said` is when last, 0 where that is not known.
        used: how often it was of use, graded; see forgetting/importance.py.
        vector: (d,), or None where no meaning is known.
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
    """An edge between two nodes by id; of what is there already the weight grows."""

    a: int
    b: int
    kind: EdgeKind
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeUpdate:
    """What becomes of a node that is there; None leaves a part as it is. `sources` are added to those it has."""

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
    """Everything that one step does, whole or not at all.

    Attributes:
        heard: sources that are heard with this step, and will not be again.
        introduced_bytes: by how much everything that was ever heard grows.
        nodes, edges, touches: see above.
        away: nodes that are put away, with the reason; `away_concepts` are concepts that nothing mentions any more.
        back: ids of nodes that return.
    """

    heard: tuple[str, ...] = ()
    introduced_bytes: int = 0
    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()
    touches: Sequence[NodeUpdate] = ()
    away: Sequence[ForgottenNode] = ()
    away_concepts: Sequence[int] = ()
    back: Sequence[int] = field(default=())

    @property
    def is_empty(self) -> bool:
        """True if it does nothing."""
        return not (
            self.heard or self.nodes or self.edges or self.touches or self.away or self.away_concepts or self.back
        )


def touched(node: Node, touch: NodeUpdate) -> Node:
    """A node as a touch leaves it."""
    values = {
        name: value
        for name in ('last', 'valid_to', 'told', 'said', 'used', 'pinned', 'text')
        if (value := getattr(touch, name)) is not None
    }
    sources = tuple(dict.fromkeys((*node.sources, *touch.sources)))
    return replace(node, **values, sources=sources)
