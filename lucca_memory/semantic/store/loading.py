"""Loading the network's rows as arrays in bulk: a million nodes in seconds."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_memory.semantic.forgetting.telling import telling
from lucca_memory.semantic.graph.change import CONCEPT
from lucca_memory.semantic.graph.network import Network, short_size, turn_key
from lucca_memory.store.database import Read

_AT_ONCE = 50_000
_NUMBERS = np.dtype(
    [
        ('ids', np.int64),
        ('kinds', np.int8),
        ('keys', np.int64),
        ('born', np.int64),
        ('last', np.int64),
        ('valid_to', np.int64),
        ('told', np.int32),
        ('used', np.float32),
        ('pinned', np.bool_),
    ]
)
_EDGE = np.dtype([('a', np.int64), ('b', np.int64), ('kind', np.int8), ('weight', np.float32)])


def network_of(read: Read, dimensions: int, spec: str) -> Network:
    """The living network, with vectors of the embedder `spec`."""
    network = Network(dimensions)
    nodes = iter(
        read(
            'SELECT id, kind, key, born, last, valid_to, told, used, pinned, owner, speaker, text, sources '
            'FROM node WHERE away = 0 ORDER BY id'
        )
    )
    while rows := list(islice(nodes, _AT_ONCE)):
        _add_nodes(read, network, rows, spec)
    edges = np.fromiter(read('SELECT a, b, kind, weight FROM edge'), _EDGE)
    ids = network.column('ids')
    if len(edges) and len(ids):
        a, a_there = _rows_of(ids, edges['a'])
        b, b_there = _rows_of(ids, edges['b'])
        there = a_there & b_there
        kinds, weights = edges['kind'][there], edges['weight'][there]
        network.extend_edges({'a': a[there], 'b': b[there], 'edge_kinds': kinds, 'weights': weights})
    return network


def _rows_of(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return at.astype(np.int32), ids[at] == wanted


def _add_nodes(read: Read, network: Network, rows: Sequence[Any], spec: str) -> None:
    numbers = np.array([row[:9] for row in rows], _NUMBERS)
    columns: dict[str, NDArray[Any]] = {name: numbers[name] for name in _NUMBERS.names or ()}
    named = [network.number_of(owner=row[9], speaker=row[10]) for row in rows]
    columns['owners'] = np.array([owner for owner, _ in named], np.int32)
    columns['speakers'] = np.array([speaker for _, speaker in named], np.int32)
    columns['sizes'] = np.array([0 if row[1] == CONCEPT else len(row[11].encode()) for row in rows], np.int32)
    columns['short'] = np.array([short_size(row[1], row[11]) for row in rows], np.int32)
    columns['tells'] = np.array([0.0 if row[1] == CONCEPT else telling(row[11]) for row in rows], np.float32)
    columns['turns'] = np.array([turn_key(row[1], row[12].partition('\n')[0]) for row in rows], np.int64)
    columns['alive'] = np.ones(len(rows), np.bool_)
    vectors = np.zeros((len(rows), network.dimensions), np.int8)
    scales = np.zeros(len(rows), np.float32)
    columns['has_vector'] = np.zeros(len(rows), np.bool_)
    if network.dimensions:
        ids = columns['ids']
        stored = list(
            read(
                'SELECT node, scale, data FROM vector WHERE node BETWEEN ? AND ? AND spec = ? AND length(data) = ?',
                (int(ids[0]), int(ids[-1]), spec, network.dimensions),
            )
        )
        if stored:
            nodes, factors, data = zip(*stored, strict=True)
            at, there = _rows_of(ids, np.array(nodes, np.int64))
            at = at[there]
            whole = np.frombuffer(b''.join(data), np.int8).reshape(-1, network.dimensions)
            vectors[at], scales[at], columns['has_vector'][at] = (
                whole[there],
                np.array(factors, np.float32)[there],
                True,
            )
    network.extend({**columns, 'vectors': vectors, 'scales': scales})
