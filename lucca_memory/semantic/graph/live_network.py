"""The live network: arrays in this process and rows in a store, kept in step by one way to change both."""

import logging
import threading
from collections.abc import Mapping, Sequence

import numpy as np

from lucca_core.errors import MemoryFault
from lucca_memory.embedding.cache import RememberingEmbedder
from lucca_memory.semantic.answering.finder import NodeFinder
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.graph.change import Change, NodeUpdate
from lucca_memory.semantic.graph.nearest import Nearest
from lucca_memory.semantic.graph.network import Floats, Network
from lucca_memory.semantic.store.network_store import NetworkStore
from lucca_memory.semantic.store.values import NetworkChangedError

_NEW_IMPORTANCE = 0.5
_log = logging.getLogger(__name__)


class LiveNetwork:
    """A network with its store, its search structures and its importance.

    Two locks: holders of `writer` plan and store changes, one at a time; holders of `lock` read or change the arrays.
    Only applying a change to the arrays blocks questions.
    """

    network: Network
    nearest: Nearest
    finder: NodeFinder

    def __init__(self, store: NetworkStore, embedder: RememberingEmbedder, settings: SemanticConfig) -> None:
        """Loads the network of a store.

        Raises:
            MemoryFault: the store cannot be read.
        """
        self.store = store
        self.writer = threading.RLock()
        self.lock = threading.RLock()
        self._embedder = embedder
        self._settings = settings
        self._used: dict[int, None] = {}
        self._load()

    def _load(self) -> None:
        self.network = self.store.load(self._embedder.dimensions, self._embedder.spec)
        self.nearest = Nearest(self.network, self._settings.exact_up_to)
        self.finder = NodeFinder(self.network, self.nearest, self._settings)
        self._importance = np.full(len(self.network), _NEW_IMPORTANCE, np.float32)
        self._importance_generation = self.network.generation

    # -- looking ------------------------------------------------------------------------------------------------

    def frozen(self) -> Network:
        """A read-only view of the current graph."""
        with self.lock:
            return self.network.frozen()

    def next_id(self) -> int:
        """The first unused id, in rows and arrays."""
        ids = self.network.column('ids')
        return max(self.store.totals().next_id, (int(ids[-1]) if len(ids) else 0) + 1)

    def importance(self) -> Floats:
        """Importance of each row as last computed; newer rows count as average."""
        network = self.network
        if self._importance_generation != network.generation:
            self._importance = np.full(len(network), _NEW_IMPORTANCE, np.float32)
            self._importance_generation = network.generation
        missing = len(network) - len(self._importance)
        if missing > 0:
            self._importance = np.concatenate([self._importance, np.full(missing, _NEW_IMPORTANCE, np.float32)])
        return self._importance

    def weighed(self, importance: Floats, generation: int) -> None:
        """Stores the importance that a pass computed for the rows of a generation of the network."""
        self._importance, self._importance_generation = importance, generation

    # -- uses ---------------------------------------------------------------------------------------------------

    def count_use(self, uses: Mapping[int, float], concepts: Sequence[int], now: int) -> None:
        """Counts uses in the arrays; they are stored with the next change."""
        used, last = self.network.column('used'), self.network.column('last')
        # Questions count for a concept with or without an answer, which may have been forgotten.
        for row, use in [*uses.items(), *((row, 1.0) for row in concepts)]:
            used[row] += np.float32(use)
            if use >= 0.5:
                last[row] = max(int(last[row]), now)
            self._used[int(self.network.column('ids')[row])] = None

    def store_uses(self) -> None:
        """Stores uses that are counted but not stored yet.

        Raises:
            MemoryFault: they could not be stored; they stay counted.
        """
        with self.lock:
            network, touches = self.network, []
            for node_id in self._used:
                row = network.row_of(node_id)
                if row is not None:
                    last, used = int(network.column('last')[row]), float(network.column('used')[row])
                    touches.append(NodeUpdate(node_id=node_id, last=last, used=used))
            pending, self._used = self._used, {}
        # Read-only access leaves no trace.
        if not touches or not self.store.writable:
            return
        try:
            self._commit(Change(touches=tuple(touches)))
        except NetworkChangedError:
            raise
        except MemoryFault:
            with self.lock:
                self._used = {**pending, **self._used}
            raise

    # -- one way to change anything -----------------------------------------------------------------------------

    def carry_out(self, change: Change) -> None:
        """Stores a change, then applies it to the arrays; if storing fails, nothing changes."""
        self.store_uses()
        if change.is_empty:
            return
        self._commit(change)
        with self.lock:
            self.network.remove([item.node_id for item in change.away])
            self.network.remove(change.away_concepts)
            self.network.add_nodes(change.nodes)
            self.network.add_edges(change.edges)
            self.network.touch(change.touches)

    def carry_out_anew(self, change: Change) -> None:
        """As `carry_out`, for nodes whose ids are not above all living ones: rebuilds the arrays."""
        self._commit(change)
        with self.lock:
            self.store_uses()
            self._load()

    def keep_arrays(self) -> None:
        """Saves the arrays of a large network beside the rows, for a fast start."""
        if not self.store.writable:
            return
        with self.writer:
            self.store_uses()
            with self.lock:
                # Uses counted while this is written are not in the rows yet.
                frozen = self.network.frozen(copied=('used', 'last'))
            try:
                self.store.keep_arrays(frozen)
            except MemoryFault as error:
                _log.warning('the next start will take longer: %s', error)

    def _commit(self, change: Change) -> None:
        try:
            self.store.commit(change)
        except NetworkChangedError:
            with self.lock:
                # What is cached may include texts that were erased.
                self._embedder.clear()
                self._used.clear()
                self._load()
            raise
