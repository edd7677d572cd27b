"""What puts nodes away by hand, and what brings forgotten ones back."""

from collections.abc import Sequence
from datetime import datetime

from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.changes import CONCEPT, Change, Edge, Touch
from lucca_memory.semantic.network import Network
from lucca_memory.semantic.ports import Forgotten
from lucca_memory.semantic.store import NetworkStore


def plan_restore(network: Network, store: NetworkStore, node_ids: Sequence[int], now: datetime) -> Change:
    """The change that brings nodes back with their edges; they count as used now.

    Concepts that nothing mentioned any more return with them, unless a newer one has their key: that one is tied instead.

    Raises:
        MemoryFault: the store could not be read.
    """
    edges = store.edges_of(node_ids)
    ends = {end for edge in edges for end in (edge.a, edge.b)}
    concepts = [
        node
        for node in store.nodes(sorted(ends)).values()
        if node.kind == CONCEPT and network.row_of(node.node_id) is None
    ]
    replaced: dict[int, int] = {}
    for node in concepts:
        row = network.concept_row(node.key)
        if row is not None:
            replaced[node.node_id] = int(network.column('ids')[row])
    return Change(
        back=(*node_ids, *(node.node_id for node in concepts if node.node_id not in replaced)),
        edges=tuple(
            Edge(a=edge.a, b=replaced[edge.b], kind=edge.kind, weight=edge.weight)
            for edge in edges
            if edge.b in replaced and edge.a in node_ids
        ),
        touches=tuple(Touch(node_id=node_id, last=microseconds(now)) for node_id in node_ids),
    )


def plan_away(
    network: Network, store: NetworkStore, node_ids: Sequence[int], now: datetime, reason: str, *, even_pinned: bool
) -> Change:
    """The change that puts nodes away, concepts and, unless `even_pinned`, pinned ones excepted.

    Raises:
        MemoryFault: the store could not be read.
    """
    rows = network.rows_of(node_ids)
    rows = rows[network.column('kinds')[rows] != CONCEPT]
    if not even_pinned:
        rows = rows[~network.column('pinned')[rows]]
    ids = [int(node_id) for node_id in network.column('ids')[rows]]
    nodes = store.nodes(ids)
    return Change(
        away=tuple(
            Forgotten(
                node_id=node_id,
                text=nodes[node_id].text,
                sources=nodes[node_id].sources,
                fate='by hand',
                reason=reason,
                time=now,
                importance=0.0,
            )
            for node_id in ids
        )
    )
