"""Explaining why a node is kept or was forgotten: its importance, edges and history."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lucca_core.errors import MemoryFault
from lucca_memory.retrieval.times import from_microseconds
from lucca_memory.semantic.graph.change import KINDS, OPEN
from lucca_memory.semantic.memory import ConceptMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Everything known for or against keeping a node.

    Attributes:
        importance: R, F, C and I; None for a forgotten node.
        forgotten: the reason and time; empty for a living node.
        ties: its edges: kind, `to` or `from`, the other node and its text.
    """

    node_id: int
    kind: str
    text: str
    speaker: str
    sources: tuple[str, ...]
    valid_from: datetime
    valid_to: datetime | None
    pinned: bool
    importance: tuple[float, float, float, float] | None
    forgotten: str
    ties: tuple[tuple[int, str, int, str], ...]

    def as_json(self) -> dict[str, Any]:
        """A JSON object for `--json`."""
        return {
            'id': self.node_id,
            'kind': self.kind,
            'text': self.text,
            'speaker': self.speaker,
            'sources': list(self.sources),
            'valid_from': self.valid_from.isoformat(),
            'valid_to': None if self.valid_to is None else self.valid_to.isoformat(),
            'pinned': self.pinned,
            'importance': None
            if self.importance is None
            else dict(zip(('R', 'F', 'C', 'I'), self.importance, strict=True)),
            'forgotten': self.forgotten,
            'ties': [list(tie) for tie in self.ties],
        }


def explain(memory: ConceptMemory, node_id: int, now: datetime) -> Explained:
    """Explains a living or forgotten node.

    Raises:
        MemoryFault: the node does not exist or was deleted.
    """
    node = memory.store.nodes([node_id]).get(node_id)
    if node is None:
        raise MemoryFault(f'there is no node {node_id}, or it was deleted')
    network, terms = memory.terms(now)
    row = network.row_of(node_id)
    away = next((item for item in memory.forgotten() if item.node_id == node_id), None)
    edges = memory.store.edges_of([node_id])
    others = memory.store.nodes(sorted({end for edge in edges for end in (edge.a, edge.b)}))
    return Explained(
        node_id=node_id,
        kind=KINDS[node.kind],
        text=node.text,
        speaker=node.speaker,
        sources=node.sources,
        valid_from=from_microseconds(node.born),
        valid_to=None if node.valid_to == OPEN else from_microseconds(node.valid_to),
        pinned=node.pinned,
        importance=None
        if row is None
        else (
            float(terms.recency[row]),
            float(terms.frequency[row]),
            float(terms.centrality[row]),
            float(terms.importance[row]),
        ),
        forgotten='' if away is None else f'{away.time:%Y-%m-%d %H:%M}, {away.reason}',
        ties=tuple(
            (int(edge.kind), 'to' if edge.a == node_id else 'from', other, others[other].text)
            for edge in edges
            if (other := edge.b if edge.a == node_id else edge.a) in others
        ),
    )
