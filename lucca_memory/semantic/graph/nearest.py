"""Nearest-neighbour search over the network's vectors: exact for few, in an inverted file for many.

The inverted file (Jégou et al. 2011, section IV, without the product quantizer) has k-means cells from a sample; a
query visits the nearest cells until it has seen enough rows. It is built from the network's own vectors, and removed
rows need no deletion. Vectors are copied in the order of their cells, since random access makes comparing them four
times slower. Rows newer than the partition are all compared until there are enough to assign them to cells.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.embedding.quantized import dots, quantized
from lucca_memory.semantic.graph.network import UNKNOWN_CELL, Cells, Floats, Ints, Mask, Network

_ITERATIONS = 4
_SAMPLE_PER_CELL = 24
_MOST_CELLS = 1024
_SEEN = 12_000
_LEAST_CELLS = 24
_TAIL = 8_192
_BLOCK = 16_384


class Nearest:
    """Searches the rows of one network. Not thread-safe."""

    def __init__(self, network: Network, exact_up_to: int) -> None:
        self._network = network
        self._exact_up_to = exact_up_to
        self._generation = -1
        self._centres: Floats = np.empty((0, network.dimensions), np.float32)
        self._cells: NDArray[np.int16] = np.empty(0, np.int16)
        self._order: NDArray[np.int32] = np.empty(0, np.int32)
        self._offsets: Ints = np.zeros(1, np.int64)
        self._packed: NDArray[np.int8] = np.empty((0, network.dimensions), np.int8)

    def search(self, query: Vectors, count: int, wanted: Callable[[Ints], Mask] | None = None) -> tuple[Ints, Floats]:
        """The rows nearest to a unit vector (d,), best first, and their cosines.

        Args:
            query: an empty vector finds nothing.
            count: maximum number of rows.
            wanted: returns which of some rows may be found; all by default.
        """
        if not len(self._network) or not self._network.dimensions or not query.size:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        self.prepare()
        if len(self._network) <= self._exact_up_to or self._generation != self._network.generation:
            rows, cosines = np.arange(len(self._network)), self.cosines(query, None)
        else:
            rows, cosines = self._in_cells(query)
        if wanted is not None:
            kept = wanted(rows)
            rows, cosines = rows[kept], cosines[kept]
        count = min(count, len(cosines))
        if not count:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        best = np.argpartition(-cosines, count - 1)[:count]
        best = best[np.lexsort((rows[best], -cosines[best]))]
        return rows[best].astype(np.int64), cosines[best]

    def cosines(self, query: Vectors, rows: NDArray[Any] | None) -> Floats:
        """Dot products with the given rows, or with all."""
        whole, peak = quantized(query[None])
        vectors, scales = self._network.quantized
        if rows is not None:
            vectors, scales = vectors[rows], scales[rows]
        return np.asarray(dots(vectors, whole[0]) * scales * peak[0], np.float32)

    def prepare(self) -> None:
        """Brings the partition up to date, as `search` does.

        There is none for few rows, or without vectors; then all rows are compared.
        """
        network = self._network
        if len(network) <= self._exact_up_to or not network.dimensions or not network.column('has_vector').any():
            return
        if self._generation != network.generation and network.cells is not None:
            self._take(network.cells)
        if self._generation != network.generation or len(network) > 4 * max(len(self._cells), 1):
            self._partition()
        elif len(network) - len(self._cells) > _TAIL:
            fresh = np.arange(len(self._cells), len(network))
            self._cells = np.concatenate([self._cells, self._assigned(fresh)])
            self._sort()

    def _take(self, cells: Cells) -> None:
        """Adopts an existing partition; rows without a known cell are assigned to the nearest one."""
        self._centres, self._cells = cells.centres, cells.of_row.copy()
        self._generation = self._network.generation
        unknown = np.flatnonzero(self._cells == UNKNOWN_CELL)
        self._cells[unknown] = self._assigned(unknown)
        self._sort()

    def _in_cells(self, query: Vectors) -> tuple[Ints, Floats]:
        """The rows of the nearest cells and the newest rows, with their cosines."""
        nearest = np.argsort(-(self._centres @ query), kind='stable')
        seen = np.cumsum(self._offsets[nearest + 1] - self._offsets[nearest])
        probed = max(_LEAST_CELLS, int(np.searchsorted(seen, _SEEN)) + 1)
        whole, peak = quantized(query[None])
        vectors, scales = self._network.quantized
        parts, products = [], []
        for cell in nearest[:probed].tolist():
            place = slice(self._offsets[cell], self._offsets[cell + 1])
            parts.append(self._order[place])
            products.append(dots(self._packed[place], whole[0]))
        parts.append(np.arange(len(self._cells), len(self._network), dtype=np.int32))
        products.append(dots(vectors[len(self._cells) :], whole[0]))
        rows = np.concatenate(parts).astype(np.int64)
        return rows, np.asarray(np.concatenate(products) * scales[rows] * peak[0], np.float32)

    def _partition(self) -> None:
        network = self._network
        has = np.flatnonzero(network.column('has_vector'))
        rng = np.random.default_rng(0)
        count = int(min(_MOST_CELLS, max(16, np.sqrt(max(len(has), 1)))))
        sample = network.vectors_at(np.sort(rng.choice(has, min(len(has), count * _SAMPLE_PER_CELL), replace=False)))
        centres = sample[rng.choice(len(sample), min(count, len(sample)), replace=False)]
        for _ in range(_ITERATIONS):
            cells = np.argmax(sample @ centres.T, axis=1)
            sums = np.zeros_like(centres)
            np.add.at(sums, cells, sample)
            lengths = np.linalg.norm(sums, axis=1, keepdims=True)
            # An empty cell keeps its centre.
            centres = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), centres).astype(np.float32)
        self._centres = centres
        self._generation = network.generation
        self._cells = self._assigned(np.arange(len(network)))
        self._sort()

    def _assigned(self, rows: Ints) -> NDArray[np.int16]:
        cells = np.empty(len(rows), np.int16)
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            cells[start : start + len(block)] = np.argmax(self._network.vectors_at(block) @ self._centres.T, axis=1)
        # Rows without a vector are in no cell.
        cells[~self._network.column('has_vector')[rows]] = len(self._centres)
        return cells

    def _sort(self) -> None:
        self._order = np.argsort(self._cells, kind='stable').astype(np.int32)
        counts = np.bincount(self._cells, minlength=len(self._centres) + 1)
        self._offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._packed = np.take(self._network.quantized[0], self._order, axis=0)
        self._network.cells = Cells(self._centres, self._cells)
