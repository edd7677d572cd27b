"""Explaining why a node is kept or was forgotten: its importance, edges and history."""

from datetime import datetime
from typing import Any

from lucca_core.errors import MemoryFault
from lucca_memory.retrieval.times import from_microseconds
from lucca_memory.semantic.graph.change import KINDS, OPEN
from lucca_memory.semantic.memory import ConceptMemory


def explain(memory: ConceptMemory, node_id: int, now: datetime) -> dict[str, Any]:
    """Everything known for or against keeping a node, living or forgotten, as a JSON object.

    `importance` has R, F, C and I, and is null for a forgotten node; `forgotten` has the reason and time, and is empty
    for a living one. `members` are the nodes that a general node stands for, as long as they can be restored.
    `ties` are its edges: kind, `to` or `from`, the other node and its text.

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
    parts = {'R': terms.recency, 'F': terms.frequency, 'C': terms.centrality, 'I': terms.importance}
    return {
        'id': node_id,
        'kind': KINDS[node.kind],
        'text': node.text,
        'speaker': node.speaker,
        'sources': list(node.sources),
        'valid_from': from_microseconds(node.born).isoformat(),
        'valid_to': None if node.valid_to == OPEN else from_microseconds(node.valid_to).isoformat(),
        'pinned': node.pinned,
        'importance': None if row is None else {name: float(values[row]) for name, values in parts.items()},
        'forgotten': '' if away is None else f'{away.time:%Y-%m-%d %H:%M}, {away.reason}',
        'members': [[item.node_id, item.text] for item in memory.forgotten() if item.into == node_id],
        'ties': [
            [int(edge.kind), 'to' if edge.a == node_id else 'from', other, others[other].text]
            for edge in edges
            if (other := edge.b if edge.a == node_id else edge.a) in others
        ],
    }
