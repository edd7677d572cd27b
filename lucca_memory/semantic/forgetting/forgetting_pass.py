"""Turning the decision of a forgetting pass into a change, with general nodes, reasons and an exact budget."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from lucca_memory.semantic.forgetting.compression import Compressor
from lucca_memory.semantic.forgetting.decision import Decision
from lucca_memory.semantic.graph.centrality import mentions_of
from lucca_memory.semantic.graph.change import CONCEPT, GENERAL, Change, Edge, EdgeKind, Node, NodeUpdate
from lucca_memory.semantic.graph.network import Ints, Network
from lucca_memory.semantic.store.network_store import NetworkStore
from lucca_memory.semantic.values import Fate, ForgottenNode


@dataclass(frozen=True, slots=True)
class PlannedPass:
    """The change to store, and the report of the pass."""

    change: Change
    pruned: tuple[ForgottenNode, ...]
    compressed: tuple[ForgottenNode, ...]


def plan_pass(
    network: Network,
    decision: Decision,
    store: NetworkStore,
    compressor: Compressor,
    *,
    now: datetime,
    budget_bytes: int | None,
    next_id: int,
    concepts_since: int = 0,
) -> PlannedPass:
    """The change for a decision.

    Concepts that nothing mentions any more are put away if they were neither heard nor asked about since
    `concepts_since` (microseconds since 1970).

    Raises:
        MemoryFault: texts could not be read.
    """
    builder = _Builder(network, decision, store, compressor, now, next_id)
    generals = list(builder.generals())
    gone = _rows(decision, [*(group for group, _ in generals)])
    room = None
    if budget_bytes is not None:
        sizes = network.column('sizes').astype(np.int64)
        room = budget_bytes - (decision.bytes_before - int(sizes[gone].sum()) - builder.lost_bytes)
    kept, dropped = _within(generals, room)
    pruned = [int(row) for group, _ in dropped for row in group]
    pruned = [*builder.empty, *pruned, *decision.pruned.tolist()]
    away = [*builder.forgotten(pruned, 'pruned')]
    compressed: list[ForgottenNode] = []
    for group, node in kept:
        compressed += builder.forgotten(group.tolist(), 'compressed', into=node.node_id)
    nodes = tuple(node for _, node in kept)
    edges = tuple(edge for group, node in kept for edge in builder.edges(group, node))
    away_rows = np.array([*pruned, *(int(row) for group, _ in kept for row in group)], np.int64)
    heard = mentions_of(network, away_rows)
    change = Change(
        nodes=nodes,
        edges=edges,
        touches=_remembered(network, heard),
        away=(*away, *compressed),
        away_concepts=_lonely(network, away_rows, edges, heard, concepts_since),
    )
    return PlannedPass(change, tuple(away), tuple(compressed))


@dataclass(slots=True)
class _Builder:
    network: Network
    decision: Decision
    store: NetworkStore
    compressor: Compressor
    now: datetime
    next_id: int
    empty: list[int] = field(default_factory=list)
    """Rows whose compressed text would be empty."""
    lost_bytes: int = 0

    def generals(self) -> Iterator[tuple[Ints, Node]]:
        """Each group with its general node, most important first."""
        ids = self.network.column('ids')
        texts = self.store.nodes([int(ids[row]) for group in self.decision.groups for row in group])
        for rows in self.decision.groups:
            members = [texts[int(ids[row])] for row in rows if int(ids[row]) in texts]
            text = self.compressor.compress([node.text for node in members]) if members else ''
            if not text:
                self.empty += rows.tolist()
                self.lost_bytes += int(self.network.column('sizes')[rows].sum())
                continue
            yield rows, self._general(rows, members, text)

    def _general(self, rows: Ints, members: Sequence[Node], text: str) -> Node:
        vectors = self.network.vectors_at(rows).sum(axis=0)
        length = float(np.linalg.norm(vectors))
        self.next_id += 1
        return Node(
            node_id=self.next_id - 1,
            kind=GENERAL,
            text=text,
            born=min(node.born for node in members),
            last=int(self.network.column('last')[rows].max()),
            owner=members[0].owner,
            speaker=members[0].speaker,
            sources=tuple(dict.fromkeys(source for node in members for source in node.sources)),
            told=max(node.told for node in members),
            used=float(self.network.column('used')[rows].max()),
            vector=None if length == 0 else (vectors / length).astype(np.float32),
        )

    def edges(self, rows: Ints, node: Node) -> Iterator[Edge]:
        """The edges of a general node: its members' concepts, most frequent first, and what its members superseded."""
        _, b, kinds, weights = self.network.edges
        ids, alive = self.network.column('ids'), self.network.column('alive')
        strongest: dict[tuple[int, int], float] = {}
        members: Counter[tuple[int, int]] = Counter()
        for row in rows.tolist():
            for edge in self.network.edges_from(row).tolist():
                if kinds[edge] in (EdgeKind.FOLLOWS, EdgeKind.REPEATS) or not alive[b[edge]]:
                    continue
                key = (int(ids[b[edge]]), int(kinds[edge]))
                strongest[key] = max(strongest.get(key, 0.0), float(weights[edge]))
                members[key] += 1
        for (other, kind), weight in strongest.items():
            if kind == EdgeKind.MENTIONS:
                weight *= 0.5 + 0.5 * members[other, kind] / len(rows)
            yield Edge(a=node.node_id, b=other, kind=EdgeKind(kind), weight=weight)

    def forgotten(self, rows: Sequence[int], fate: Fate, into: int | None = None) -> list[ForgottenNode]:
        """Rows as forgotten nodes with the reason."""
        ids, importance = self.network.column('ids'), self.decision.terms.importance
        nodes = self.store.nodes([int(ids[row]) for row in rows])
        return [
            ForgottenNode(
                node_id=int(ids[row]),
                text=nodes[int(ids[row])].text,
                sources=nodes[int(ids[row])].sources,
                fate=fate,
                reason=(
                    self._why_pruned(row)
                    if fate == 'pruned'
                    else f'importance {importance[row]:.3f}: part of node {into} from now on'
                ),
                time=self.now,
                importance=float(importance[row]),
                into=into,
            )
            for row in rows
            if int(ids[row]) in nodes
        ]

    def _why_pruned(self, row: int) -> str:
        decision, terms = self.decision, self.decision.terms
        importance = terms.importance[row]
        # A budget may forget what is more important than what it keeps; see `decide`.
        why = (
            f'importance {importance:.3f} < {decision.theta:.3f}'
            if importance < decision.theta
            else f'worth {decision.worth[row]:.3f} is among the least for the budget, importance {importance:.3f}'
        )
        return f'{why} (R {terms.recency[row]:.2f}, F {terms.frequency[row]:.2f}, C {terms.centrality[row]:.2f})'


def _rows(decision: Decision, groups: Sequence[Ints]) -> Ints:
    return np.concatenate([decision.pruned, *groups]).astype(np.int64)


def _within(
    generals: Sequence[tuple[Ints, Node]], room: int | None
) -> tuple[list[tuple[Ints, Node]], list[tuple[Ints, Node]]]:
    """Splits general nodes into those that fit the budget and the others."""
    if room is None:
        return list(generals), []
    kept, dropped = list[tuple[Ints, Node]](), list[tuple[Ints, Node]]()
    for group, node in generals:
        size = len(node.text.encode())
        if size <= room:
            kept.append((group, node))
            room -= size
        else:
            dropped.append((group, node))
    return kept, dropped


def _remembered(network: Network, heard: tuple[Ints, Ints, Ints]) -> tuple[NodeUpdate, ...]:
    """For each concept mentioned by rows that are put away: how many there were, and when it was last heard of."""
    rows, counts, last = heard
    ids, told = network.column('ids')[rows], network.column('told')[rows]
    return tuple(
        NodeUpdate(node_id=node_id, told=before + more, last=heard)
        for node_id, before, more, heard in zip(
            ids.tolist(), told.tolist(), counts.tolist(), last.tolist(), strict=True
        )
    )


def _lonely(
    network: Network, gone: Ints, added: Sequence[Edge], heard: tuple[Ints, Ints, Ints], since: int
) -> tuple[int, ...]:
    """Ids of concepts that nothing mentions without these rows, and that were not heard or asked about lately."""
    a, b, kinds, _ = network.edges
    alive = network.column('alive').copy()
    concepts = alive & (network.column('kinds') == CONCEPT) & ~network.column('pinned')
    last = network.column('last').copy()
    last[heard[0]] = heard[2]
    concepts &= last < since
    alive[gone] = False
    mentioned = np.bincount(b[(kinds == EdgeKind.MENTIONS) & alive[a]], minlength=len(network)) > 0
    ids = set(network.column('ids')[concepts & ~mentioned].tolist())
    return tuple(sorted(ids - {edge.b for edge in added}))
