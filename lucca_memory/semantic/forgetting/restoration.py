"""Planning the removal of nodes on request, and the restoration of forgotten ones."""

from collections.abc import Callable, Sequence
from datetime import datetime

from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.graph.change import CONCEPT, OPEN, Change, Edge, EdgeKind, Node, NodeUpdate
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.store.network_store import NetworkStore
from lucca_memory.semantic.values import ForgottenNode


def plan_restore(network: Network, store: NetworkStore, node_ids: Sequence[int], now: datetime) -> Change:
    """The change that restores nodes with their edges; they count as used now.

    Their concepts are restored too, unless a newer concept has the same key; then that one is linked instead.
    Statements that they superseded become history again; those whose successor is away now are valid.

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
            *(NodeUpdate(node_id=node_id, last=microseconds(now)) for node_id in node_ids),
            *_in_turn(network, store, node_ids),
        ),
    )


def plan_away(
    network: Network, store: NetworkStore, node_ids: Sequence[int], now: datetime, reason: str, *, even_pinned: bool
) -> Change:
    """The change that puts nodes away; concepts stay, and pinned nodes stay unless `even_pinned`.

    What a removed valid statement had superseded becomes valid again, as a correction was withdrawn. If several are
    removed, at once or one after the other, the statement before all of them does.

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
            ForgottenNode(
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
            NodeUpdate(node_id=node_id, valid_to=OPEN)
            for node_id in _holding_again(network, store, [nodes[key] for key in ids])
        ),
    )


def _holding_again(network: Network, store: NetworkStore, going: Sequence[Node]) -> list[int]:
    """Ids of living history that was superseded only by valid statements that are being removed."""
    leaving = {node.node_id for node in going}

    def stays(node_id: int) -> bool:
        return node_id not in leaving and network.row_of(node_id) is not None

    below = dict.fromkeys(
        older for node in going if node.valid_to == OPEN for older in _nearest(store, node.node_id, stays, newer=False)
    )
    return [node_id for node_id in below if not _nearest(store, node_id, stays, newer=True)]


def _in_turn(network: Network, store: NetworkStore, node_ids: Sequence[int]) -> list[NodeUpdate]:
    """The validity changes of restored nodes: of several versions only the newest is valid."""
    back = set(node_ids)

    def there(node_id: int) -> bool:
        return node_id in back or network.row_of(node_id) is not None

    touches = []
    below = (older for node_id in node_ids for older in _nearest(store, node_id, there, newer=False))
    for node_id in dict.fromkeys((*node_ids, *below)):
        above = _nearest(store, node_id, there, newer=True)
        nodes = store.nodes([node_id, *above])
        node, closing = nodes[node_id], [nodes[key].born for key in above if key in nodes]
        if closing and node.valid_to == OPEN:
            touches.append(NodeUpdate(node_id=node_id, valid_to=max(node.born, min(closing))))
        elif not closing and node.valid_to != OPEN and node_id in back and _is_followed(store, node_id):
            touches.append(NodeUpdate(node_id=node_id, valid_to=OPEN))
    return touches


def _is_followed(store: NetworkStore, node_id: int) -> bool:
    """True if a statement superseded it (even if it was put away), so that it was not closed for another reason."""
    return any(edge.kind == EdgeKind.SUPERSEDES and edge.b == node_id for edge in store.edges_of([node_id]))


def _nearest(store: NetworkStore, node_id: int, there: Callable[[int], bool], *, newer: bool) -> list[int]:
    """The nearest living successors of a node (or, unless `newer`, predecessors), skipping those put away."""
    found: dict[int, None] = {}
    seen, waiting = {node_id}, [node_id]
    while waiting:
        edges = [edge for edge in store.edges_of(waiting) if edge.kind == EdgeKind.SUPERSEDES]
        at = set(waiting)
        beside = [edge.a for edge in edges if edge.b in at] if newer else [edge.b for edge in edges if edge.a in at]
        fresh = [key for key in dict.fromkeys(beside) if key not in seen]
        seen.update(fresh)
        found.update(dict.fromkeys(key for key in fresh if there(key)))
        waiting = [key for key in fresh if not there(key)]
    return list(found)
