"""The graph G = (V, E, W) as arrays with one row per node and per edge; removed rows are marked and compacted later."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.embedding.quantized import quantized
from lucca_memory.retrieval.columns import Table
from lucca_memory.semantic.forgetting.compression import shortened
from lucca_memory.semantic.forgetting.telling import telling
from lucca_memory.semantic.graph.change import CONCEPT, STATEMENT, Edge, EdgeKind, Node, NodeUpdate

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

COLUMNS: dict[str, Any] = {
    'ids': np.int64,
    'kinds': np.int8,
    'owners': np.int32,
    'speakers': np.int32,
    'keys': np.int64,
    'born': np.int64,
    'last': np.int64,
    'valid_to': np.int64,
    'told': np.int32,
    'used': np.float32,
    'sizes': np.int32,
    'short': np.int32,
    'tells': np.float32,
    'turns': np.int64,
    'pinned': np.bool_,
    'alive': np.bool_,
    'has_vector': np.bool_,
}
"""The columns of a node, by name; see `Network.column`. A node also has `vectors` and `scales`."""

_EDGES: dict[str, Any] = {'a': np.int32, 'b': np.int32, 'edge_kinds': np.int8, 'weights': np.float32}

UNKNOWN_CELL = -1
_LEAST_TAIL = 2048


class Adjacency:
    """The edges by one of their ends: a sorted base (CSR), rebuilt now and then, and a tail of newer edges."""

    def __init__(self) -> None:
        self._offsets: Ints = np.zeros(1, np.int64)
        self._rows: NDArray[np.int32] = np.empty(0, np.int32)
        self._tail: dict[int, list[int]] = {}
        self._tail_size = 0

    def rebuild(self, ends: NDArray[np.int32], count: int) -> None:
        """Sorts all edges; `ends` has one end of each, `count` is the number of nodes."""
        self._rows = np.argsort(ends, kind='stable').astype(np.int32)
        self._offsets = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=count))]).astype(np.int64)
        self._tail, self._tail_size = {}, 0

    def add(self, end: int, edge: int) -> None:
        """Adds an edge at a node."""
        self._tail.setdefault(end, []).append(edge)
        self._tail_size += 1

    @property
    def is_due(self) -> bool:
        """True if the tail has grown so much that the base should be rebuilt."""
        return self._tail_size > max(_LEAST_TAIL, len(self._rows) // 8)

    def of(self, node: int) -> NDArray[np.int32]:
        """The edges at a node, oldest first."""
        base = self._rows[self._offsets[node] : self._offsets[node + 1]] if node + 1 < len(self._offsets) else _NONE
        tail = self._tail.get(node)
        return base if tail is None else np.concatenate([base, np.array(tail, np.int32)])


_NONE: NDArray[np.int32] = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class Cells:
    """A partition of the vectors; see nearest.py.

    Attributes:
        centres: (c, d), unit vectors.
        of_row: (r,) cell of each of the first rows; c for rows without a vector, UNKNOWN_CELL for unassigned rows.
    """

    centres: Floats
    of_row: NDArray[np.int16]


class Network:
    """The graph as arrays. Rows increase with node ids. Not thread-safe."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._nodes = _nodes(dimensions)
        self._edges = Table(_EDGES)
        self._out, self._in = Adjacency(), Adjacency()
        self._concept_rows: dict[int, int] = {}
        self.owners: list[str] = []
        self.speakers: list[str] = []
        self._number: dict[tuple[int, str], int] = {}
        self.generation = 0
        """Incremented when rows are renumbered."""
        self.cells: Cells | None = None
        """The partition of the vectors, stored here by the search so that it is saved with them."""

    def __len__(self) -> int:
        return len(self._nodes)

    def column(self, name: str) -> NDArray[Any]:
        """A read-only view of a column: ids, kinds, owners, speakers, keys, born, last, valid_to, told, used, sizes,
        short, tells, turns, pinned, alive, has_vector.

        `sizes` are the UTF-8 bytes of the node's text, `short` those of its shortened text in a general node, `tells`
        its information per byte, and `turns` the key of its source.
        """
        return self._nodes[name]

    # -- edges --------------------------------------------------------------------------------------------------

    @property
    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8], Floats]:
        """Rows a and b, kinds and weights of every edge, including those at removed nodes."""
        edges = self._edges
        return edges['a'], edges['b'], edges['edge_kinds'], edges['weights']

    def edges_from(self, row: int) -> NDArray[np.int32]:
        """Edges whose end a is this row."""
        return self._out.of(row)

    def edges_to(self, row: int) -> NDArray[np.int32]:
        """Edges whose end b is this row."""
        return self._in.of(row)

    def count_edges(self) -> int:
        """Edges between living nodes."""
        alive = self.column('alive')
        return int(np.count_nonzero(alive[self._edges['a']] & alive[self._edges['b']]))

    # -- finding ------------------------------------------------------------------------------------------------

    def row_of(self, node_id: int) -> int | None:
        """The row of a living node; None for an unknown id."""
        ids = self.column('ids')
        row = int(np.searchsorted(ids, node_id))
        if row == len(ids) or ids[row] != node_id or not self.column('alive')[row]:
            return None
        return row

    def rows_of(self, node_ids: Iterable[int]) -> Ints:
        """The rows of living nodes among the ids, in their order."""
        rows, there = self._located(np.fromiter(node_ids, np.int64))
        return rows[there]

    def _located(self, node_ids: Ints) -> tuple[Ints, Mask]:
        """The row of each id, and whether it is alive there."""
        ids = self.column('ids')
        if not len(ids):
            return np.zeros(len(node_ids), np.int64), np.zeros(len(node_ids), np.bool_)
        rows = np.minimum(np.searchsorted(ids, node_ids), len(ids) - 1)
        return rows, np.asarray((ids[rows] == node_ids) & self.column('alive')[rows], np.bool_)

    def concept_row(self, key: int) -> int | None:
        """The row of a living concept by its key."""
        return self._concept_rows.get(key)

    def number_of_owner(self, owner: str) -> int:
        """An owner's number in the column `owners`; -1 for an owner without nodes."""
        return self._number.get((0, owner), -1)

    def vectors_at(self, rows: Ints) -> Vectors:
        """Vectors of rows: shape (r, d), zeros for rows without one."""
        return np.asarray(self._nodes['vectors'][rows] * self._nodes['scales'][rows][:, None], np.float32)

    @property
    def quantized(self) -> tuple[NDArray[np.int8], Floats]:
        """All vectors as integers up to 127, and the scale of each row."""
        return self._nodes['vectors'], self._nodes['scales']

    def frozen(self, *, copied: Iterable[str] = ()) -> 'Network':
        """A view of the current graph that does not grow with it. Values that change later change in the view too,
        except in the columns that are copied."""
        view = Network(self.dimensions)
        view.__dict__.update(self.__dict__)
        view._nodes, view._edges = self._nodes.frozen(copied=copied), self._edges.frozen()
        return view

    # -- changing -----------------------------------------------------------------------------------------------

    def add_nodes(self, nodes: Sequence[Node]) -> None:
        """Adds nodes; ids must be above all existing ones.

        Raises:
            ValueError: they are not.
        """
        if not nodes:
            return
        start, ids = len(self), [node.node_id for node in nodes]
        newest = int(self.column('ids')[-1]) if start else 0
        if ids[0] <= newest or any(after <= before for before, after in itertools.pairwise(ids)):
            raise ValueError(f'node ids must be above {newest}, got {ids[:5]}')
        vectors = np.zeros((len(nodes), self.dimensions), np.float32)
        for row, node in enumerate(nodes):
            if node.vector is not None and node.vector.size:
                vectors[row] = node.vector
        whole, scales = quantized(vectors)
        values = {
            'ids': ids,
            'kinds': [node.kind for node in nodes],
            'owners': [self._named(0, self.owners, node.owner) for node in nodes],
            'speakers': [self._named(1, self.speakers, node.speaker) for node in nodes],
            'keys': [node.key for node in nodes],
            'born': [node.born for node in nodes],
            'last': [node.last for node in nodes],
            'valid_to': [node.valid_to for node in nodes],
            'told': [node.told for node in nodes],
            'used': [node.used for node in nodes],
            'sizes': [0 if node.kind == CONCEPT else len(node.text.encode()) for node in nodes],
            'short': [short_size(node.kind, node.text) for node in nodes],
            'tells': [0.0 if node.kind == CONCEPT else telling(node.text) for node in nodes],
            'turns': [turn_key(node.kind, node.sources[0] if node.sources else '') for node in nodes],
            'pinned': [node.pinned for node in nodes],
            'alive': [True] * len(nodes),
            'has_vector': [node.vector is not None and node.vector.size > 0 for node in nodes],
            'vectors': whole,
            'scales': scales,
        }
        self.extend({name: np.asarray(column) for name, column in values.items()})

    def extend(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Adds nodes as whole columns (see `column`) with their quantized `vectors` (n, d) and `scales`; ids must
        increase."""
        start = len(self)
        self._nodes.extend(columns)
        concepts = np.flatnonzero((columns['kinds'] == CONCEPT) & columns['alive'])
        self._concept_rows.update(
            zip(columns['keys'][concepts].tolist(), (concepts + start).tolist(), strict=True),
        )

    def number_all(self, owners: Sequence[str], speakers: Sequence[str]) -> None:
        """Sets the numbers of owners and speakers in an empty network."""
        for which, names, given in ((0, self.owners, owners), (1, self.speakers, speakers)):
            for name in given:
                self._named(which, names, name)

    def number_of(self, *, owner: str, speaker: str) -> tuple[int, int]:
        """The column values of an owner and a speaker; unknown ones get new numbers."""
        return self._named(0, self.owners, owner), self._named(1, self.speakers, speaker)

    def add_edges(self, edges: Sequence[Edge]) -> None:
        """Adds edges, or strengthens existing ones; edges at nodes that are not alive are ignored."""
        summed: dict[tuple[int, int, int], float] = {}
        for edge in edges:
            key = (edge.a, edge.b, int(edge.kind))
            summed[key] = summed.get(key, 0.0) + edge.weight
        if not summed:
            return
        a_rows, a_there = self._located(np.array([key[0] for key in summed], np.int64))
        b_rows, b_there = self._located(np.array([key[1] for key in summed], np.int64))
        fresh: list[tuple[int, int, int, float]] = []
        for (key, weight), a, b, there in zip(
            summed.items(), a_rows.tolist(), b_rows.tolist(), (a_there & b_there).tolist(), strict=True
        ):
            if not there:
                continue
            known = self.find_edge(a, b, EdgeKind(key[2]))
            if known is None:
                fresh.append((a, b, key[2], weight))
            else:
                self._edges['weights'][known] += np.float32(weight)
        if not fresh:
            return
        start = len(self._edges)
        self._edges.extend(dict(zip(_EDGES, zip(*fresh, strict=True), strict=True)))
        for number, (a, b, _, _) in enumerate(fresh, start):
            self._out.add(a, number)
            self._in.add(b, number)
        if self._out.is_due:
            self._sort_edges()

    def extend_edges(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Adds edges as whole columns: rows of nodes `a` and `b`, `edge_kinds` and `weights`."""
        self._edges.extend(columns)
        self._sort_edges()

    def find_edge(self, a: int, b: int, kind: EdgeKind) -> int | None:
        """The edge of a kind from row a to row b; None if there is none."""
        candidates = self._out.of(a)
        found = candidates[(self._edges['b'][candidates] == b) & (self._edges['edge_kinds'][candidates] == kind)]
        return int(found[0]) if len(found) else None

    def touch(self, touches: Sequence[NodeUpdate]) -> None:
        """Updates living nodes."""
        for touch in touches:
            row = self.row_of(touch.node_id)
            if row is None:
                continue
            for name in ('last', 'valid_to', 'told', 'used', 'pinned'):
                value = getattr(touch, name)
                if value is not None:
                    self.column(name)[row] = value
            if touch.text is not None:
                self.column('sizes')[row] = len(touch.text.encode())
                self.column('short')[row] = short_size(int(self.column('kinds')[row]), touch.text)
                self.column('tells')[row] = telling(touch.text)

    def remove(self, node_ids: Iterable[int]) -> None:
        """Removes nodes; rows are compacted once half of them are removed."""
        rows = self.rows_of(node_ids)
        self.column('alive')[rows] = False
        for key in self.column('keys')[rows[self.column('kinds')[rows] == CONCEPT]].tolist():
            self._concept_rows.pop(key, None)
        if np.count_nonzero(self.column('alive')) * 2 < len(self) > _LEAST_TAIL:
            self._sweep()

    def _sweep(self) -> None:
        """Renumbers the living rows without the removed ones."""
        alive = self.column('alive').copy()
        rows = np.cumsum(alive) - 1
        a, b, _, _ = self.edges
        edges, nodes = self._edges.arrays(alive[a] & alive[b]), self._nodes.arrays(alive)
        if self.cells is not None:
            of_row = self.cells.of_row
            self.cells = Cells(self.cells.centres, of_row[alive[: len(of_row)]])
        self._nodes, self._edges = _nodes(self.dimensions), Table(_EDGES)
        self._concept_rows = {}
        self.generation += 1
        self.extend(nodes)
        self.extend_edges({**edges, 'a': rows[edges['a']], 'b': rows[edges['b']]})

    def _sort_edges(self) -> None:
        # New objects, as a frozen view keeps using the old ones.
        self._out, self._in = Adjacency(), Adjacency()
        self._out.rebuild(self._edges['a'], len(self))
        self._in.rebuild(self._edges['b'], len(self))

    def _named(self, which: int, names: list[str], name: str) -> int:
        number = self._number.get((which, name))
        if number is None:
            number = self._number[which, name] = len(names)
            names.append(name)
        return number


def short_size(kind: int, text: str) -> int:
    """UTF-8 bytes of a statement as a part of a general node; a general node cannot be shortened."""
    if kind == CONCEPT:
        return 0
    return len((shortened(text) if kind == STATEMENT else text).encode())


def turn_key(kind: int, source: str) -> int:
    """A 63-bit key of the source that a statement was first heard from; 0 for other nodes, and without a source."""
    if kind != STATEMENT or not source:
        return 0
    return int.from_bytes(blake2b(source.encode('utf-8', 'surrogatepass'), digest_size=8).digest()) >> 1


def _nodes(dimensions: int) -> Table:
    return Table({**COLUMNS, 'vectors': np.int8, 'scales': np.float32}, vectors=dimensions)
