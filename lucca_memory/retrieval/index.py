"""The search index of one scope: postings and vectors as arrays.

Word statistics are per scope, so that a person is remembered equally well among thousands. Older documents are in a
memory-mapped file; newer ones (the tail) are in memory until `save` writes both. The index is derived: it can always be
rebuilt from the documents and vectors in the store.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.embedding.quantized import dots, quantized
from lucca_memory.retrieval.analysis import analysed
from lucca_memory.retrieval.columns import Column, Table, map_arrays, write_arrays
from lucca_memory.retrieval.naming import DocumentNames
from lucca_memory.retrieval.times import microseconds
from lucca_memory.retrieval.values import Document

NO_TIME = np.iinfo(np.int64).min
"""In `times`: a document without a time."""

_COLUMNS: dict[str, Any] = {
    'keys': np.int64,
    'groups': np.int32,
    'speakers': np.int32,
    'times': np.int64,
    'lengths': np.int32,
    'scales': np.float32,
    'pooled': np.float32,
    'tells': np.float32,
    'dated': np.bool_,
    'over': np.bool_,
}
_MOST_COUNTED = 255
_POOLED_AT_ONCE = 4096
_log = logging.getLogger(__name__)

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a term occurs: increasing row numbers, and how often in each."""

    rows: NDArray[np.int32]
    counts: NDArray[np.float32]


class ScopeIndex:
    """The index of one scope. Rows are numbered in the order of adding. Not thread-safe."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._rows = Table(_COLUMNS)
        self._tail_vectors = Column(np.int8, dimensions)
        self._base_vectors: NDArray[np.int8] = np.empty((0, dimensions), np.int8)
        self._base_terms: Ints = np.empty(0, np.int64)
        self._base_offsets: Ints = np.zeros(1, np.int64)
        self._base_rows: NDArray[np.int32] = np.empty(0, np.int32)
        self._base_counts: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._tail: dict[int, tuple[list[int], list[int]]] = {}
        self._base_size = 0
        self._last_group = ''
        self.speakers: list[str] = []
        self.names = DocumentNames()
        self.unsaved_vectors = 0
        """Vectors set for rows of the file since it was written."""

    # -- what it holds ------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def tail_size(self) -> int:
        """Number of documents that are not in the file."""
        return len(self) - self._base_size

    def column(self, name: str) -> NDArray[Any]:
        """A view of a column.

        `keys` increase. `groups` are consecutive numbers for conversations, files and tasks. `speakers` are positions
        in the list `speakers`. `times` are in microseconds since 1970, or NO_TIME. `lengths` are in counted words.
        `tells` is the share of the text that is not a question. `dated` marks rows that mention a time, `over` rows
        that say that they no longer hold.
        """
        return self._rows[name]

    @property
    def last_key(self) -> int:
        """Key of the newest document; 0 if there is none."""
        return int(self.column('keys')[-1]) if len(self) else 0

    @property
    def has_vector(self) -> NDArray[np.bool_]:
        """Rows with a vector."""
        return np.asarray(self.column('scales') > 0)

    def rows_of(self, keys: Iterable[int]) -> Ints:
        """The rows of known keys among those given."""
        wanted = np.array(sorted(keys), np.int64)
        keys = self.column('keys')
        rows = np.searchsorted(keys, wanted)
        there = rows < len(self)
        there[there] = keys[rows[there]] == wanted[there]
        return rows[there]

    def postings(self, term: int) -> Postings:
        """Where a term occurs; empty arrays if nowhere."""
        place = int(np.searchsorted(self._base_terms, term))
        rows: NDArray[np.int32] = np.empty(0, np.int32)
        counts: NDArray[Any] = np.empty(0, np.uint8)
        if place < len(self._base_terms) and self._base_terms[place] == term:
            part = slice(int(self._base_offsets[place]), int(self._base_offsets[place + 1]))
            rows, counts = self._base_rows[part], self._base_counts[part]
        if term in self._tail:
            tail_rows, tail_counts = self._tail[term]
            rows = np.concatenate([rows, np.array(tail_rows, np.int32)])
            counts = np.concatenate([counts, np.array(tail_counts, np.uint8)])
        return Postings(rows, counts.astype(np.float32))

    def similarities(self, query: Vectors) -> NDArray[np.float32]:
        """Dot products of a unit vector (d,) with every row; 0 for rows without a vector. Errors stay below 0.01."""
        similarities = np.empty(len(self), np.float32)
        whole, peak = quantized(query[None])
        for part, start in ((self._base_vectors, 0), (self._tail_vectors.rows, self._base_size)):
            similarities[start : start + len(part)] = dots(part, whole[0])
        similarities *= self.column('scales') * peak[0]
        return similarities

    def pooled(self, similarities: NDArray[np.float32]) -> NDArray[np.float32]:
        """Dot products with each row's context vector, given the dot products with each row alone.

        The context vector is the mean of the row and its two neighbours, weighted by their lengths, of unit length.
        """
        mass = similarities * self._mass(slice(None))
        total = mass.copy()
        groups = self.column('groups')
        same = groups[1:] == groups[:-1]
        total[1:] += same * mass[:-1]
        total[:-1] += same * mass[1:]
        return np.asarray(total / np.maximum(self.column('pooled'), 1e-6), np.float32)

    def vectors_at(self, rows: Ints) -> Vectors:
        """The vectors of rows: shape (r, d), zeros for rows without one."""
        vectors = np.zeros((len(rows), self.dimensions), np.float32)
        old = rows < self._base_size
        vectors[old] = self._base_vectors[rows[old]]
        vectors[~old] = self._tail_vectors.rows[rows[~old] - self._base_size]
        return np.asarray(vectors * self.column('scales')[rows][:, None], np.float32)

    # -- what it is given ---------------------------------------------------------------------------------------

    def add(self, documents: Iterable[Document]) -> None:
        """Adds documents at the end.

        Raises:
            ValueError: keys do not increase; the index is unusable afterwards.
        """
        fresh: dict[str, list[float]] = {name: [] for name in _COLUMNS}
        row, last_key = len(self), self.last_key
        group = int(self.column('groups')[-1]) if row else -1
        for document in documents:
            if document.key <= last_key:
                raise ValueError(f'keys must increase, got {document.key} after {last_key}')
            read = document.analysed or analysed(document.text)
            for term, count in read.terms.items():
                rows, counts = self._tail.setdefault(term, ([], []))
                rows.append(row)
                counts.append(min(count, _MOST_COUNTED))
            if row == 0 or document.group != self._last_group:
                group += 1
            self._last_group, last_key, row = document.group, document.key, row + 1
            values = {
                'keys': document.key,
                'groups': group,
                'speakers': self._number_of(document.speaker),
                'times': NO_TIME if document.time is None else microseconds(document.time),
                'lengths': sum(read.terms.values()),
                'scales': 0.0,
                'pooled': 0.0,
                'tells': read.told,
                'dated': read.dated,
                'over': read.over,
            }
            self.names.add(row - 1, document.names)
            for name, value in values.items():
                fresh[name].append(value)
        self._rows.extend(fresh)
        self._tail_vectors.extend(np.zeros((len(fresh['keys']), self.dimensions), np.int8))

    def set_vectors(self, vectors: Mapping[int, Vectors]) -> None:
        """Sets the vectors (d,) of documents; unknown keys are ignored."""
        keys = sorted(vectors)
        rows = self.rows_of(keys)
        if not len(rows) or not self.dimensions:
            return
        whole, scales = quantized(np.stack([vectors[int(key)] for key in self.column('keys')[rows]]))
        old = rows < self._base_size
        if old.any():
            if not self._base_vectors.flags.writeable:
                self._base_vectors = self._base_vectors.copy()
            self._base_vectors[rows[old]] = whole[old]
            self.unsaved_vectors += int(old.sum())
        self._tail_vectors.rows[rows[~old] - self._base_size] = whole[~old]
        self.column('scales')[rows] = scales
        self._pool(rows)

    # -- the file -----------------------------------------------------------------------------------------------

    def save(self, file: Path, stamp: Mapping[str, Any]) -> None:
        """Writes everything into a file, which the index uses from then on.

        Args:
            file: path, in an existing folder.
            stamp: compared by `load`.

        Raises:
            MemoryFault: it could not be written; the index stays usable.
        """
        terms, offsets, rows, counts = self._merged_postings()
        header = {
            'stamp': dict(stamp),
            'speakers': self.speakers,
            'last_group': self._last_group,
            'names': self.names.as_json(),
        }
        vectors = np.concatenate([self._base_vectors, self._tail_vectors.rows])
        postings: dict[str, NDArray[Any]] = {'terms': terms, 'offsets': offsets, 'rows': rows, 'counts': counts}
        write_arrays(file, header, {**self._rows.arrays(), 'vectors': vectors, **postings})
        self._use(map_arrays(file)[1])

    @classmethod
    def load(cls, file: Path, dimensions: int, stamp: Mapping[str, Any]) -> 'ScopeIndex | None':
        """The index in a file; None if the file is missing, damaged or has another stamp."""
        index = cls(dimensions)
        try:
            header, arrays = map_arrays(file)
            if header['stamp'] != dict(stamp) or arrays['vectors'].shape[1:] != (dimensions,):
                return None
            index._rows.extend(arrays)
            index.speakers = list(header['speakers'])
            index.names = DocumentNames((int(row), names) for row, names in header['names'])
            index._last_group = str(header['last_group'])
            index._use(arrays)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError) as error:
            _log.warning('an index is rebuilt: %s', error)
            return None
        return index

    def _use(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._base_vectors = arrays['vectors']
        self._base_terms, self._base_offsets = arrays['terms'], arrays['offsets']
        self._base_rows, self._base_counts = arrays['rows'], arrays['counts']
        self._base_size = len(arrays['keys'])
        self._tail = {}
        self._tail_vectors = Column(np.int8, self.dimensions)
        self.unsaved_vectors = 0

    def _merged_postings(self) -> tuple[Ints, Ints, NDArray[np.int32], NDArray[np.uint8]]:
        base_terms = np.repeat(self._base_terms, np.diff(self._base_offsets))
        tail = sorted(self._tail.items())
        tail_terms = np.repeat([term for term, _ in tail], [len(rows) for _, (rows, _) in tail]).astype(np.int64)
        tail_rows = np.array([row for _, (rows, _) in tail for row in rows], np.int32)
        tail_counts = np.array([count for _, (_, counts) in tail for count in counts], np.uint8)
        terms = np.concatenate([base_terms, tail_terms])
        # A stable sort keeps rows of the base before those of the tail, so each term's rows stay increasing.
        order = np.argsort(terms, kind='stable')
        unique, starts = np.unique(terms[order], return_index=True)
        offsets = np.append(starts, len(terms)).astype(np.int64)
        rows = np.concatenate([self._base_rows, tail_rows])[order]
        counts = np.concatenate([self._base_counts, tail_counts])[order]
        return unique, offsets, rows, counts

    def _mass(self, rows: slice | Ints) -> NDArray[np.float32]:
        """The weight of each row in the context vector; rows without words still have a little."""
        return np.asarray(self.column('lengths')[rows] + 1, np.float32)

    def _pool(self, changed: Ints) -> None:
        """Updates the norms of context vectors around rows whose vectors have changed."""
        groups = self.column('groups')
        around = np.unique(np.concatenate([changed - 1, changed, changed + 1]))
        around = around[(around >= 0) & (around < len(self))]
        for start in range(0, len(around), _POOLED_AT_ONCE):
            rows = around[start : start + _POOLED_AT_ONCE]
            total = self.vectors_at(rows) * self._mass(rows)[:, None]
            for step in (-1, 1):
                beside = np.clip(rows + step, 0, len(self) - 1)
                counts = (beside != rows) & (groups[beside] == groups[rows])
                total += self.vectors_at(beside) * (self._mass(beside) * counts)[:, None]
            self.column('pooled')[rows] = np.linalg.norm(total, axis=1)

    def _number_of(self, speaker: str) -> int:
        if speaker not in self.speakers:
            self.speakers.append(speaker)
        return self.speakers.index(speaker)
