"""Plain graph centralities as C(v), which the paper's equation leaves open: weighted degree and PageRank.

Both treat the living nodes and their edges as one undirected graph with weights W: mentions, relations between
concepts, and statements that follow each other. Questions play no role. C is scaled by the largest value among nodes of
its kind (statements and general nodes, or concepts), since a statement has few edges and a concept may have thousands.
A superseded statement keeps `history_share`, as in centrality.py.
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

_Sums = NDArray[np.float64]


def plain_centrality(network: Network, config: ForgettingConfig) -> Floats:
    """C of every row by `config.centrality`, 'degree' or 'pagerank'; meaningless for removed rows."""
    weights = _weights(network)
    values = _degree(weights) if config.centrality == 'degree' else _pagerank(weights, network.column('alive'))
    is_concept = network.column('kinds') == CONCEPT
    values = np.where(network.column('alive'), values, 0)
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
    here = np.flatnonzero((kinds != EdgeKind.SUPERSEDES) & alive[a] & alive[b])
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
