"""Statistics of a network: its size in bytes and nodes, and its importance."""

import numpy as np

from lucca_memory.semantic.forgetting.importance import Terms
from lucca_memory.semantic.graph.change import CONCEPT, GENERAL, OPEN, STATEMENT
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.store.network_store import NetworkStore
from lucca_memory.semantic.values import NetworkStats


def bytes_of(network: Network) -> int:
    """UTF-8 bytes of the living statements and general nodes."""
    told = network.column('alive') & (network.column('kinds') != CONCEPT)
    return int(network.column('sizes')[told].astype(np.int64).sum())


def stats_of(network: Network, terms: Terms, store: NetworkStore) -> NetworkStats:
    """See NetworkStats.

    Raises:
        MemoryFault: the store could not be read.
    """
    alive, kinds = network.column('alive'), network.column('kinds')
    told = alive & (kinds != CONCEPT)
    importance = terms.importance[told]
    totals = store.totals()
    return NetworkStats(
        statements=int(np.count_nonzero(alive & (kinds == STATEMENT))),
        concepts=int(np.count_nonzero(alive & (kinds == CONCEPT))),
        generals=int(np.count_nonzero(alive & (kinds == GENERAL))),
        closed=int(np.count_nonzero(told & (network.column('valid_to') != OPEN))),
        pinned=int(np.count_nonzero(alive & network.column('pinned'))),
        edges=network.count_edges(),
        forgotten=len(store.forgotten()),
        heard=totals.heard,
        bytes=bytes_of(network),
        introduced_bytes=totals.introduced_bytes,
        importance=tuple(np.quantile(importance, np.linspace(0, 1, 11)).tolist()) if len(importance) else (0.0,) * 11,
        recency=float(terms.recency[told].mean()) if len(importance) else 0.0,
        frequency=float(terms.frequency[told].mean()) if len(importance) else 0.0,
        centrality=float(terms.centrality[told].mean()) if len(importance) else 0.0,
    )
