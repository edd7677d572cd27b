"""The nearest cells find what looking at every vector finds."""

import numpy as np
import pytest

from lucca_memory.embedding.quantized import dots, quantized
from lucca_memory.semantic.graph.change import STATEMENT, Node
from lucca_memory.semantic.graph.nearest import Nearest
from lucca_memory.semantic.graph.network import Network

DIMENSIONS = 32


def vectors(count, seed):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((60, DIMENSIONS))
    found = centres[rng.integers(0, 60, count)] + rng.standard_normal((count, DIMENSIONS))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def network_of(rows, start=1):
    network = Network(DIMENSIONS)
    add(network, rows, start)
    return network


def add(network, rows, start):
    network.add_nodes(
        [Node(node_id=start + at, kind=STATEMENT, text='x', born=0, last=0, vector=row) for at, row in enumerate(rows)]
    )


def recall(network, nearest, queries):
    whole, scales = network.quantized
    found = 0
    for query in queries:
        exact = np.argsort(-dots(whole, quantized(query[None])[0][0]) * scales, kind='stable')[:10]
        found += len(set(exact.tolist()) & set(nearest.search(query, 10)[0].tolist()))
    return found / (10 * len(queries))


@pytest.mark.parametrize('exact_up_to', [1, 10**6])
def test_recall_at_10_is_at_least_95_percent(exact_up_to):
    network = network_of(vectors(20_000, 1))
    nearest = Nearest(network, exact_up_to)
    assert recall(network, nearest, vectors(50, 2)) >= 0.95
    add(network, vectors(500, 3), 20_001)
    assert recall(network, nearest, vectors(50, 3)[:50]) >= 0.95
    add(network, vectors(9_000, 4), 20_501)
    assert recall(network, nearest, vectors(50, 4)) >= 0.95


def test_rows_that_are_not_wanted_are_not_found():
    network = network_of(vectors(100, 1))
    rows, cosines = Nearest(network, 10**6).search(vectors(1, 2)[0], 10, lambda rows: np.isin(rows, [3, 5]))
    assert set(rows.tolist()) == {3, 5}
    assert cosines[0] >= cosines[1]


def test_without_meanings_nothing_is_near():
    network = Network(0)
    network.add_nodes([Node(node_id=1, kind=STATEMENT, text='x', born=0, last=0)])
    assert not len(Nearest(network, 10).search(np.zeros(0, np.float32), 5)[0])


@pytest.mark.parametrize('dimensions', [0, DIMENSIONS])
def test_a_large_network_without_meanings_needs_no_partition(dimensions):
    network = Network(dimensions)
    nodes = [Node(node_id=number, kind=STATEMENT, text='x', born=0, last=0) for number in range(1, 40)]
    network.add_nodes(nodes)
    nearest = Nearest(network, exact_up_to=10)
    nearest.prepare()
    query = vectors(1, 1)[0]
    rows, _ = nearest.search(query, 50)
    assert len(rows) == (len(nodes) if dimensions else 0)
    if dimensions:
        # Meanings come later.
        add(network, vectors(30, 2), 40)
        assert recall(network, nearest, vectors(30, 2)) == 1
