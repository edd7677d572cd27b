"""The network as it lives: arrays in this process and rows in a store, changed together and in one way."""

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
    """A network and its store, with what is made of the arrays: what is near, what is found, what is important.

    Two locks: who holds `writer` plans and stores, one at a time; who holds `lock` looks at the arrays or changes them.
    Only carrying a change out on the arrays holds up a question.
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
        """The graph as it is now, to be looked at."""
        with self.lock:
            return self.network.frozen()

    def next_id(self) -> int:
        """The first id that is free, in the rows and in the arrays."""
        ids = self.network.column('ids')
        return max(self.store.totals().next_id, (int(ids[-1]) if len(ids) else 0) + 1)

    def importance(self) -> Floats:
        """Importance of each row as of the last pass or look; what came since counts as middling."""
        network = self.network
        if self._importance_generation != network.generation:
            self._importance = np.full(len(network), _NEW_IMPORTANCE, np.float32)
            self._importance_generation = network.generation
        missing = len(network) - len(self._importance)
        if missing > 0:
            self._importance = np.concatenate([self._importance, np.full(missing, _NEW_IMPORTANCE, np.float32)])
        return self._importance

    def weighed(self, importance: Floats, generation: int) -> None:
        """A pass has found the importance of each row of the network of a generation."""
        self._importance, self._importance_generation = importance, generation

    # -- uses ---------------------------------------------------------------------------------------------------

    def count_use(self, uses: Mapping[int, float], concepts: Sequence[int], now: int) -> None:
        """Uses are counted in the arrays at once and stored with the next change."""
        used, last = self.network.column('used'), self.network.column('last')
        # Being asked about counts for a thing whether or not there was an answer: it may have been forgotten.
        for row, use in [*uses.items(), *((row, 1.0) for row in concepts)]:
            used[row] += np.float32(use)
            if use >= 0.5:
                last[row] = max(int(last[row]), now)
            self._used[int(self.network.column('ids')[row])] = None

    def store_uses(self) -> None:
        """Stores the uses that are counted and not stored yet.

        Raises:
            MemoryFault: it could not be done; they stay counted.
        """
        with self.lock:
            network, touches = self.network, []
            for node_id in self._used:
                row = network.row_of(node_id)
                if row is not None:
                    last, used = int(network.column('last')[row]), float(network.column('used')[row])
                    touches.append(NodeUpdate(node_id=node_id, last=last, used=used))
            pending, self._used = self._used, {}
        # Who only looks leaves no trace.
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
        """Stores a change and then carries it out on the arrays; nothing is done where it cannot be stored."""
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
        """As `carry_out`, for nodes whose ids lie between those that live: the arrays are made anew."""
        self._commit(change)
        with self.lock:
            self.store_uses()
            self._load()

    def erase(self, owner: str) -> int:
        """Removes everything of an owner for good; returns how many nodes."""
        with self.writer, self.lock:
            count = self.store.erase(owner)
            self._forget_texts()
            return count

    def keep_arrays(self) -> None:
        """Keeps the arrays of a large network beside the rows, so that it is up at once the next time."""
        if not self.store.writable:
            return
        with self.writer:
            self.store_uses()
            with self.lock:
                # Uses are counted while this is written; the rows have those of before.
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
                self._forget_texts()
            raise

    def _forget_texts(self) -> None:
        """What was erased is in no row any more, so in none of our memory either."""
        self._embedder.clear()
        self._used.clear()
        self._load()
