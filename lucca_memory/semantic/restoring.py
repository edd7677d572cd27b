"""What puts nodes away by hand, and what brings forgotten ones back."""

from collections.abc import Sequence
from datetime import datetime

from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.changes import CONCEPT, OPEN, Change, Edge, EdgeKind, Node, Touch
from lucca_memory.semantic.network import Network
from lucca_memory.semantic.ports import Forgotten
from lucca_memory.semantic.store import NetworkStore


def plan_restore(network: Network, store: NetworkStore, node_ids: Sequence[int], now: datetime) -> Change:
    """The change that brings nodes back with their edges; they count as used now.

    Concepts that nothing mentioned any more return with them, unless a newer one has their key: that one is tied instead.
    What they had taken the place of is history again.

    Raises:
        MemoryFault: the store could not be read.
    """
    edges = store.edges_of(node_ids)
    ends = {end for edge in edges for end in (edge.a, edge.b)}
    nodes = store.nodes(sorted(ends))
    concepts = [node for node in nodes.values() if node.kind == CONCEPT and network.row_of(node.node_id) is None]
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
        touches=(
            *(Touch(node_id=node_id, last=microseconds(now)) for node_id in node_ids),
            *(
                Touch(node_id=edge.b, valid_to=max(nodes[edge.a].born, nodes[edge.b].born))
                for edge in edges
                if edge.kind == EdgeKind.SUPERSEDES
                and edge.a in node_ids
                and edge.b in nodes
                and nodes[edge.a].valid_to == nodes[edge.b].valid_to == OPEN
            ),
        ),
    )


def plan_away(
    network: Network, store: NetworkStore, node_ids: Sequence[int], now: datetime, reason: str, *, even_pinned: bool
) -> Change:
    """The change that puts nodes away, concepts and, unless `even_pinned`, pinned ones excepted.

    What one of them had taken the place of, while it held itself, holds again: a correction was taken back.

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
        ),
        touches=tuple(
            Touch(node_id=node_id, valid_to=OPEN) for node_id in _holding_again(network, [nodes[key] for key in ids])
        ),
    )


def _holding_again(network: Network, going: Sequence[Node]) -> list[int]:
    """Ids of living history whose every living successor goes, and held itself."""
    a, b, kinds, _ = network.edges
    alive, ids = network.column('alive'), network.column('ids')
    leaving = {node.node_id for node in going}
    found: dict[int, None] = {}
    for node in going:
        row = network.row_of(node.node_id)
        if row is None or node.valid_to != OPEN:
            continue
        out = network.edges_from(row)
        for older in b[out[kinds[out] == EdgeKind.SUPERSEDES]].tolist():
            into = network.edges_to(older)
            above = {int(ids[at]) for at in a[into[kinds[into] == EdgeKind.SUPERSEDES]].tolist() if alive[at]}
            if alive[older] and above <= leaving and int(ids[older]) not in leaving:
                found[int(ids[older])] = None
    return list(found)
