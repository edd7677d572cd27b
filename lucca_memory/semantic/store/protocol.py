"""Where the network is kept: one protocol, a store that ends with the process, and (sqlite_store.py) one that survives."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, Protocol

from lucca_core.errors import MemoryFault
from lucca_memory.retrieval.times import from_microseconds
from lucca_memory.semantic.graph.change import OPEN, Change, Edge, EdgeKind, Node, Touch
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.values import ForgottenNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Counts over the whole life of a store."""

    next_id: int = 1
    heard: int = 0
    introduced_bytes: int = 0


class Mark(NamedTuple):
    """How far something that the network follows was taken in: the newest of its numbers, and which edition it was then."""

    at: int
    epoch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a node stands that a source told. `valid_to` is None while it holds; `away`: it was put away."""

    source: str
    node_id: int
    valid_to: datetime | None
    away: bool


class NetworkChangedError(MemoryFault):
    """The rows were changed by another since they were loaded, such as by an erasing on another robot; nothing was stored."""


class NetworkStore(Protocol):
    """Nodes, edges and what was put away. Safe to use from several threads.

    Every method raises MemoryFault where it cannot be read or written; a failed commit changes nothing.
    """

    @property
    def writable(self) -> bool:
        """False where it was opened to be read only."""
        ...

    def commit(self, change: Change) -> None:
        """Stores a step, whole or not at all.

        Raises:
            NetworkChangedError: the rows are not those that were loaded; load them again.
        """
        ...

    def load(self, dimensions: int, spec: str) -> Network:
        """The living network, with the vectors of an embedder; of those of another, none."""
        ...

    def keep_arrays(self, network: Network) -> None:
        """Keeps the arrays of a network, which is as the rows are, for the next `load` if that would take long."""
        ...

    def nodes(self, node_ids: Sequence[int]) -> Mapping[int, Node]:
        """Those of the nodes that are there or put away, without their vectors."""
        ...

    def edges_of(self, node_ids: Sequence[int]) -> Sequence[Edge]:
        """Every edge at one of the nodes, to those put away as well."""
        ...

    def already_heard(self, sources: Iterable[str]) -> set[str]:
        """Those of the sources that were heard."""
        ...

    def told_by(self, sources: Sequence[str]) -> Sequence[Standing]:
        """How the nodes stand that these sources told, those that were put away as well."""
        ...

    def marks(self) -> Mapping[str, Mark]:
        """How far each thing that the network follows was taken in, by name."""
        ...

    def set_mark(self, name: str, mark: Mark) -> None:
        """Keeps how far something was taken in."""
        ...

    def forgotten(self) -> Sequence[ForgottenNode]:
        """What was put away and can be restored, newest first."""
        ...

    def purge(self, before: int) -> int:
        """Lets go for good of what was put away before a time (microseconds); returns how many nodes."""
        ...

    def erase(self, owner: str) -> int:
        """Removes everything of an owner for good, what was put away as well; returns how many nodes."""
        ...

    def totals(self) -> Totals:
        """Counts."""
        ...

    def close(self) -> None:
        """Ends the use of the store."""
        ...


class MemoryStore:
    """A store that ends with the process: for evaluation, for tests, for guests."""

    writable = True

    def __init__(self) -> None:
        self._nodes: dict[int, Node] = {}
        self._away: dict[int, ForgottenNode | None] = {}
        self._edges: dict[tuple[int, int, EdgeKind], float] = {}
        self._at: dict[int, set[tuple[int, int, EdgeKind]]] = defaultdict(set)
        self._heard: set[str] = set()
        self._totals = Totals()
        self._marks: dict[str, Mark] = {}
        self._lock = threading.RLock()

    def commit(self, change: Change) -> None:
        """See NetworkStore."""
        with self._lock:
            self._heard.update(change.heard)
            next_id = max([self._totals.next_id, *(node.node_id + 1 for node in change.nodes)])
            self._totals = Totals(
                next_id=next_id,
                heard=self._totals.heard + len(change.heard),
                introduced_bytes=self._totals.introduced_bytes + change.introduced_bytes,
            )
            self._nodes.update((node.node_id, node) for node in change.nodes)
            for edge in change.edges:
                key = (edge.a, edge.b, edge.kind)
                self._edges[key] = self._edges.get(key, 0.0) + edge.weight
                self._at[edge.a].add(key)
                self._at[edge.b].add(key)
            for touch in change.touches:
                if touch.node_id in self._nodes:
                    self._nodes[touch.node_id] = touched(self._nodes[touch.node_id], touch)
            self._away.update((away.node_id, away) for away in change.away)
            self._away.update((concept, None) for concept in change.away_concepts)
            for node_id in change.back:
                self._away.pop(node_id, None)

    def load(self, dimensions: int, spec: str) -> Network:
        """See NetworkStore."""
        network = Network(dimensions)
        with self._lock:
            network.add_nodes([node for node_id, node in sorted(self._nodes.items()) if node_id not in self._away])
            network.add_edges([Edge(a=a, b=b, kind=kind, weight=w) for (a, b, kind), w in self._edges.items()])
        return network

    def keep_arrays(self, network: Network) -> None:
        """See NetworkStore. There is nothing to be kept."""

    def nodes(self, node_ids: Sequence[int]) -> Mapping[int, Node]:
        """See NetworkStore."""
        with self._lock:
            return {node_id: self._nodes[node_id] for node_id in node_ids if node_id in self._nodes}

    def edges_of(self, node_ids: Sequence[int]) -> Sequence[Edge]:
        """See NetworkStore."""
        with self._lock:
            keys = sorted({key for node_id in node_ids for key in self._at.get(node_id, ())})
            return [Edge(a=a, b=b, kind=kind, weight=self._edges[a, b, kind]) for a, b, kind in keys]

    def already_heard(self, sources: Iterable[str]) -> set[str]:
        """See NetworkStore."""
        with self._lock:
            return self._heard.intersection(sources)

    def told_by(self, sources: Sequence[str]) -> Sequence[Standing]:
        """See NetworkStore."""
        wanted = set(sources)
        with self._lock:
            return [
                Standing(
                    source=source,
                    node_id=node_id,
                    valid_to=None if node.valid_to == OPEN else from_microseconds(node.valid_to),
                    away=node_id in self._away,
                )
                for node_id, node in self._nodes.items()
                for source in wanted.intersection(node.sources)
            ]

    def marks(self) -> Mapping[str, Mark]:
        """See NetworkStore."""
        with self._lock:
            return dict(self._marks)

    def set_mark(self, name: str, mark: Mark) -> None:
        """See NetworkStore."""
        with self._lock:
            self._marks[name] = mark

    def forgotten(self) -> Sequence[ForgottenNode]:
        """See NetworkStore."""
        with self._lock:
            away = [item for item in self._away.values() if item is not None]
        return sorted(away, key=lambda item: (item.time, item.node_id), reverse=True)

    def purge(self, before: int) -> int:
        """See NetworkStore."""
        with self._lock:
            gone = [
                node_id
                for node_id, item in self._away.items()
                if item is not None and item.time.timestamp() * 1e6 < before
            ]
            self._delete(gone)
            return len(gone)

    def erase(self, owner: str) -> int:
        """See NetworkStore."""
        with self._lock:
            gone = [node_id for node_id, node in self._nodes.items() if node.owner == owner]
            self._delete(gone)
            self._marks.pop(owner, None)
            return len(gone)

    def _delete(self, node_ids: Iterable[int]) -> None:
        for node_id in node_ids:
            self._nodes.pop(node_id, None)
            self._away.pop(node_id, None)
            for key in self._at.pop(node_id, set()):
                self._edges.pop(key, None)
                self._at[key[0] if key[1] == node_id else key[1]].discard(key)

    def totals(self) -> Totals:
        """See NetworkStore."""
        with self._lock:
            return self._totals

    def close(self) -> None:
        """See NetworkStore."""


def touched(node: Node, touch: Touch) -> Node:
    """A node as a touch leaves it."""
    values = {
        name: value
        for name in ('last', 'valid_to', 'told', 'said', 'used', 'pinned', 'text')
        if (value := getattr(touch, name)) is not None
    }
    sources = tuple(dict.fromkeys((*node.sources, *touch.sources)))
    return replace(node, **values, sources=sources)
