"""Plain graph centralities as C(v), which the paper's equation leaves open: degree, PageRank and betweenness.

All treat the living nodes and their edges as one undirected graph with weights W: mentions, relations between
concepts, and statements that follow each other. Betweenness leaves W out. Questions play no role. C is scaled by the
largest value among nodes of its kind (statements and general nodes, or concepts), since a statement has few edges and a
concept may have thousands. A superseded statement keeps `history_share`, as in centrality.py.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.graph.change import CONCEPT, OPEN, EdgeKind
from lucca_memory.semantic.graph.network import Floats, Network

if TYPE_CHECKING:
    from scipy.sparse import coo_array

_DAMPING = 0.85
"""Share of a walk that follows an edge, as in Brin and Page (1998)."""

_ENOUGH = 1e-8
_MOST_STEPS = 100

_PIVOTS = 128
"""Most nodes from which shortest paths are followed, drawn with a fixed seed (Brandes and Pich, 2007)."""

_AT_ONCE = 16

_Sums = NDArray[np.float64]


def plain_centrality(network: Network, config: ForgettingConfig) -> Floats:
    """C of every row by `config.centrality`, any but 'posterior'; meaningless for removed rows."""
    weights = _weights(network)
    alive = network.column('alive')
    if config.centrality == 'degree':
        values = _degree(weights)
    else:
        values = (_pagerank if config.centrality == 'pagerank' else _betweenness)(weights, alive)
    is_concept = network.column('kinds') == CONCEPT
    values = np.where(alive, values, 0)
    for part in (is_concept, ~is_concept):
        if part.any() and (most := float(values[part].max())) > 0:
            values[part] /= most
    values[network.column('valid_to') != OPEN] *= config.history_share
    return np.asarray(values, np.float32)


def _weights(network: Network) -> 'coo_array':
    """The symmetric matrix of the edges between living nodes, without supersessions, as these are history."""
    # Imported here: this takes half a second, for which a worker that starts again would not answer.
    from scipy.sparse import coo_array

    a, b, kinds, weights = network.edges
    alive = network.column('alive')
    here = np.flatnonzero(~np.isin(kinds, (EdgeKind.SUPERSEDES, EdgeKind.REPEATS)) & alive[a] & alive[b])
    a, b, tie = a[here], b[here], weights[here].astype(np.float64)
    one_way = coo_array((tie, (a, b)), shape=(len(network), len(network))).tocsr()
    return one_way + one_way.T


def _degree(weights: 'coo_array') -> _Sums:
    return np.asarray(weights.sum(axis=1), np.float64)


def _pagerank(weights: 'coo_array', alive: NDArray[np.bool_]) -> _Sums:
    """The stationary distribution of a walk over living nodes that restarts at a random node now and then."""
    count = max(1, int(alive.sum()))
    start = alive / count
    totals = np.asarray(weights.sum(axis=1), np.float64)
    share = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
    rank = start.copy()
    for _ in range(_MOST_STEPS):
        # A node without edges passes its rank to all nodes.
        lost = float(rank[totals == 0].sum())
        after = (1 - _DAMPING) * start + _DAMPING * (weights @ (rank * share) + lost * start)
        if np.abs(after - rank).sum() < _ENOUGH:
            return np.asarray(after, np.float64)
        rank = after
    return np.asarray(rank, np.float64)


def _betweenness(weights: 'coo_array', alive: NDArray[np.bool_]) -> _Sums:
    """How many of the shortest paths from the pivots lead through each node."""
    ties, nodes = (weights > 0).astype(np.float64), np.flatnonzero(alive)
    pivots = nodes if len(nodes) <= _PIVOTS else np.random.default_rng(0).choice(nodes, _PIVOTS, replace=False)
    through = np.zeros(len(alive))
    for first in range(0, len(pivots), _AT_ONCE):
        through += _paths_through(ties, pivots[first : first + _AT_ONCE])
    return through


def _paths_through(ties: 'coo_array', starts: NDArray[np.int64]) -> _Sums:
    """Brandes' algorithm (2001) from several nodes at once, a column each."""
    reached = np.zeros((ties.shape[0], len(starts)))
    reached[starts, np.arange(len(starts))] = 1
    paths, depth, steps = reached.copy(), np.where(reached > 0, 0, -1), 0
    while reached.any():
        steps += 1
        reached = np.where(depth < 0, ties @ reached, 0)
        depth[reached > 0] = steps
        paths += reached
    through = np.zeros_like(paths)
    for step in range(steps - 2, 0, -1):
        handed = np.divide(1 + through, paths, out=np.zeros_like(paths), where=depth == step + 1)
        through += np.where(depth == step, paths * (ties @ handed), 0)
    return np.asarray(through.sum(axis=1), np.float64)
