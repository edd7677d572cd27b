"""The semantic memory put together: what is heard is consolidated, what is asked is found, what matters little goes."""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np

from lucca_core.errors import LuccaError, MemoryFault
from lucca_memory.embedding.ports import Embedder, NoEmbedder, Vectors
from lucca_memory.embedding.remembering import RememberingEmbedder
from lucca_memory.people.rows import storable
from lucca_memory.retrieval.phrasing import phrase
from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.answering import Answering
from lucca_memory.semantic.changes import CONCEPT, Change, Touch
from lucca_memory.semantic.compression import Compressor, ShorteningCompressor
from lucca_memory.semantic.config import Ablations, ForgettingConfig, SemanticConfig
from lucca_memory.semantic.consolidation import Consolidation, Piece
from lucca_memory.semantic.evolution import sentences_of
from lucca_memory.semantic.extraction import Extractor, Mention, WordExtractor, mentions_of
from lucca_memory.semantic.forgetting import decide
from lucca_memory.semantic.importance import Terms, terms_of_importance
from lucca_memory.semantic.nearest import Nearest
from lucca_memory.semantic.network import Network
from lucca_memory.semantic.passes import plan_pass
from lucca_memory.semantic.ports import EVERYBODY, Context, Forgotten, NetworkStats, Pass, Statement
from lucca_memory.semantic.restoring import plan_away, plan_restore
from lucca_memory.semantic.retrieval import Asked, Finder, is_told
from lucca_memory.semantic.statistics import bytes_of, stats_of
from lucca_memory.semantic.store import MemoryStore, NetworkChangedError, NetworkStore

_FOUND = 60
_REMEMBERED_VECTORS = 20_000
_NEW_IMPORTANCE = 0.5
_log = logging.getLogger(__name__)


class ConceptMemory:
    """See SemanticMemory.

    Two locks: one writer at a time plans and stores, and only carrying a change out on the arrays holds up a question.
    """

    def __init__(
        self,
        embedder: Embedder | None = None,
        config: ForgettingConfig | None = None,
        *,
        store: NetworkStore | None = None,
        extractor: Extractor | None = None,
        compressor: Compressor | None = None,
        settings: SemanticConfig | None = None,
        ablations: Ablations | None = None,
    ) -> None:
        """Loads the network of a store.

        Args:
            embedder: finds meanings; without one, words alone decide.
            config: the forgetting parameters; may be replaced between passes through the attribute.
            store: where the network is kept; in this process only if not given.
            extractor: finds what statements are about.
            compressor: makes the texts of general nodes.
            settings: how things are found.
            ablations: parts that are switched off.

        Raises:
            MemoryFault: the store cannot be read.
        """
        self.config = config or ForgettingConfig()
        self._ablations = ablations or Ablations()
        self._settings = settings or SemanticConfig()
        self._embedder = RememberingEmbedder(embedder or NoEmbedder(), _REMEMBERED_VECTORS)
        self._extractor = extractor or WordExtractor()
        self._compressor = compressor or ShorteningCompressor()
        self._store = store or MemoryStore()
        self._writer = threading.RLock()
        self._lock = threading.RLock()
        self._used: dict[int, None] = {}
        self._load()

    def _load(self) -> None:
        self._network = self._store.load(self._embedder.dimensions, self._embedder.spec)
        self._nearest = Nearest(self._network, self._settings.exact_up_to)
        self._finder = Finder(self._network, self._nearest, self._settings)
        self._importance = np.full(len(self._network), _NEW_IMPORTANCE, np.float32)
        self._importance_generation = self._network.generation

    # -- hearing ------------------------------------------------------------------------------------------------

    def note(self, statements: Sequence[Statement]) -> None:
        """Puts statements into the episodic buffer, word for word: quick, and on the disk when it returns."""
        self._store.note(statements)

    def consolidate(self, most: int = 64) -> int:
        """Hears the oldest of the episodic buffer; returns how many. For a thread in the background.

        Raises:
            LuccaError: as `hear`; they stay in the buffer.
        """
        batch = self._store.noted(most)
        self.hear(batch)
        return len(batch)

    def hear(self, statements: Sequence[Statement]) -> None:
        """See SemanticMemory.

        Raises:
            MemoryFault: it could not be stored.
            ModelError: the embedder or the extractor failed; nothing was heard.
        """
        with self._writer:
            known = self._store.already_heard([statement.source for statement in statements])
            # Later ones under a source that is in the batch already are part of the same turn, not repetitions of it.
            fresh = [statement for statement in statements if statement.source not in known]
            if not fresh:
                return
            # Models are asked before any lock that a question needs.
            pieces = self._pieces(sorted(fresh, key=lambda statement: statement.time))
            plan = Consolidation(
                self._network,
                self._store.nodes,
                self._near,
                self._meaning,
                self._settings,
                max(self._store.totals().next_id, self._newest_id() + 1),
            )
            for piece in pieces:
                plan.add(piece)
            sources = tuple(dict.fromkeys(statement.source for statement in fresh))
            self._carry_out(plan.change(sources, sum(len(storable(statement.text).encode()) for statement in fresh)))

    def _pieces(self, statements: Sequence[Statement]) -> list[Piece]:
        told = [(statement, text) for statement in statements for text in sentences_of(storable(statement.text))]
        texts = [text for _, text in told]
        mentions = self._extractor.extract(texts)
        vectors = self._embedder.embed(texts)
        return [
            Piece(statement, text, found, vector)
            for (statement, text), found, vector in zip(told, mentions, vectors, strict=True)
        ]

    def _near(self, vector: Vectors, owner: str, count: int) -> Sequence[int]:
        with self._lock:
            network = self._network
            owners = [network.number_of_owner(owner)]
            rows, _ = self._nearest.search(vector, count, lambda rows: is_told(network, rows, owners))
            return [int(node_id) for node_id in network.column('ids')[rows]]

    def _meaning(self, text: str) -> Vectors | None:
        vector = self._embedder.embed([text])[0]
        return vector if vector.size else None

    # -- answering ----------------------------------------------------------------------------------------------

    def context(self, question: str, now: datetime, token_budget: int = 512, *, owner: str = EVERYBODY) -> Context:
        """See SemanticMemory.

        Raises:
            MemoryFault: texts could not be read.
        """
        if token_budget < 0:
            raise ValueError(f'token_budget must not be negative, got {token_budget}')
        asked = self._asked_of(storable(question), owner)
        with self._lock:
            network = self._network
            importance = self._known_importance()
            found = self._finder.find(asked, importance, _FOUND)
            answering = Answering(network, self._store.nodes, owner, self._settings)
            context = answering.context(question, found, token_budget, asked.vector)
            self._count_use(answering.uses(found), found.concepts, microseconds(now))
        return context

    def _asked_of(self, question: str, owner: str) -> Asked:
        with self._lock:
            speakers = [name for name in self._network.speakers if name]
        phrasing = phrase(question, speakers)
        vector = np.zeros(0, np.float32)
        if self._embedder.dimensions:
            try:
                both = self._embedder.embed(list(dict.fromkeys([phrasing.without_names, phrasing.first_person])))
                total = np.sum(both, axis=0)
                vector = np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)
            except LuccaError as error:
                # Words still answer where a server with the meanings is away.
                _log.warning('a question is answered by words alone: %s', error)
        return Asked(_as_told(question), vector, phrasing.speakers, owner)

    def _known_importance(self) -> np.ndarray:
        """Importance of each row as of the last pass or look; what came since counts as middling."""
        network = self._network
        if self._importance_generation != network.generation:
            self._importance = np.full(len(network), _NEW_IMPORTANCE, np.float32)
            self._importance_generation = network.generation
        missing = len(network) - len(self._importance)
        if missing > 0:
            self._importance = np.concatenate([self._importance, np.full(missing, _NEW_IMPORTANCE, np.float32)])
        return self._importance

    def _count_use(self, uses: Mapping[int, float], concepts: Sequence[int], now: int) -> None:
        """Uses are counted in the arrays at once and stored with the next change."""
        used, last = self._network.column('used'), self._network.column('last')
        # Being asked about counts for a thing whether or not there was an answer: it may have been forgotten.
        for row, use in [*uses.items(), *((row, 1.0) for row in concepts)]:
            used[row] += np.float32(use)
            if use >= 0.5:
                last[row] = max(int(last[row]), now)
            self._used[int(self._network.column('ids')[row])] = None

    def feedback(self, node_ids: Sequence[int], good: bool) -> None:
        """See SemanticMemory. A good verdict is a use more, a bad one a use less."""
        with self._writer:
            touches = []
            for node_id in node_ids:
                row = self._network.row_of(node_id)
                if row is not None:
                    used = float(self._network.column('used')[row]) + (1.0 if good else -1.0)
                    touches.append(Touch(node_id=node_id, used=max(0.0, used)))
            self._carry_out(Change(touches=tuple(touches)))

    # -- forgetting ---------------------------------------------------------------------------------------------

    def forget(self, now: datetime, budget_bytes: int | None = None) -> Pass:
        """See SemanticMemory.

        Raises:
            ValueError: the budget is negative.
            MemoryFault: it could not be stored; nothing was forgotten.
        """
        if budget_bytes is not None and budget_bytes < 0:
            raise ValueError(f'budget_bytes must not be negative, got {budget_bytes}')
        with self._writer:
            with self._lock:
                frozen = self._network.frozen()
            noted = self._store.noted_bytes()
            room = None if budget_bytes is None else max(0, budget_bytes - noted)
            begin = time.perf_counter()
            decision = decide(frozen, microseconds(now), self.config, self._ablations, budget_bytes=room)
            decided = time.perf_counter()
            plan = plan_pass(
                frozen,
                decision,
                self._store,
                self._compressor,
                now=now,
                budget_bytes=room,
                next_id=max(self._store.totals().next_id, self._newest_id() + 1),
                concepts_since=microseconds(now - timedelta(days=self.config.kept_concepts_d)),
            )
            self._carry_out(plan.change)
            with self._lock:
                self._importance, self._importance_generation = decision.terms.importance, frozen.generation
                after = bytes_of(self._network) + noted
            self._store.purge(microseconds(now - timedelta(days=self.config.kept_forgotten_d)))
            committed = time.perf_counter()
            self.keep_arrays()
            return Pass(
                time=now,
                pruned=plan.pruned,
                compressed=plan.compressed,
                theta=decision.theta,
                bytes_before=decision.bytes_before + noted,
                bytes_after=after,
                decision_s=decided - begin,
                commit_s=committed - decided,
            )

    def forgotten(self) -> Sequence[Forgotten]:
        """What was put away and can be restored, newest first."""
        return self._store.forgotten()

    def forget_nodes(
        self, node_ids: Sequence[int], now: datetime, reason: str = 'by hand', *, even_pinned: bool = False
    ) -> int:
        """Puts nodes away by hand; returns how many. Pinned ones stay unless `even_pinned`: what a person takes back."""
        with self._writer:
            change = plan_away(self._network, self._store, node_ids, now, reason, even_pinned=even_pinned)
            self._carry_out(change)
            return len(change.away)

    def restore(self, node_ids: Sequence[int], now: datetime) -> int:
        """Brings forgotten nodes back, with their edges; returns how many. They count as used now."""
        with self._writer:
            away = {item.node_id for item in self._store.forgotten()}
            ids = [node_id for node_id in dict.fromkeys(node_ids) if node_id in away]
            if not ids:
                return 0
            self._commit(plan_restore(self._network, self._store, ids, now))
            with self._lock:
                # Their ids lie between those that live, so the arrays are made anew.
                self._flush_uses()
                self._load()
            return len(ids)

    def pin(self, node_ids: Sequence[int], pinned: bool = True) -> int:
        """Pins nodes, or lets go of them; returns how many there were."""
        with self._writer:
            ids = [node_id for node_id in node_ids if self._network.row_of(node_id) is not None]
            self._carry_out(Change(touches=tuple(Touch(node_id=node_id, pinned=pinned) for node_id in ids)))
            return len(ids)

    def erase(self, owner: str) -> int:
        """Removes everything of an owner for good, what was forgotten as well; returns how many nodes."""
        with self._writer, self._lock:
            count = self._store.erase(owner)
            self._embedder.clear()
            self._used.clear()
            self._load()
            return count

    # -- looking ------------------------------------------------------------------------------------------------

    def stats(self, now: datetime | None = None) -> NetworkStats:
        """See SemanticMemory."""
        with self._lock:
            frozen = self._network.frozen()
        told = frozen.column('alive') & (frozen.column('kinds') != CONCEPT)
        at = int(frozen.column('last')[told].max(initial=0)) if now is None else microseconds(now)
        return stats_of(frozen, terms_of_importance(frozen, at, self.config, self._ablations), self._store)

    @property
    def network(self) -> Network:
        """The graph as it is now, to be looked at."""
        with self._lock:
            return self._network.frozen()

    def texts(self) -> Sequence[str]:
        """Every text from which an answer can be drawn: what `NetworkStats.bytes` counts, the episodic buffer included."""
        network = self.network
        telling = network.column('alive') & (network.column('kinds') != CONCEPT)
        nodes = self._store.nodes([int(node_id) for node_id in network.column('ids')[telling]])
        return [*(node.text for node in nodes.values()), *(item.text for item in self._store.noted(2**31))]

    @property
    def store(self) -> NetworkStore:
        """Where texts and what was put away are."""
        return self._store

    def terms(self, now: datetime) -> tuple[Network, Terms]:
        """The graph and the importance of each of its rows."""
        frozen = self.network
        return frozen, terms_of_importance(frozen, microseconds(now), self.config, self._ablations)

    def living(self, node_ids: Sequence[int]) -> list[int]:
        """Those of the nodes that are there and not put away."""
        with self._lock:
            return [node_id for node_id in node_ids if self._network.row_of(node_id) is not None]

    def store_uses(self) -> None:
        """Stores the uses that are counted and not stored yet; for a thread in the background.

        Raises:
            MemoryFault: it could not be done; they stay counted.
        """
        with self._writer:
            self._flush_uses()

    def prepare(self) -> None:
        """Makes what the first question would have to make, which takes long in a large network, and keeps it."""
        with self._lock:
            self._nearest.prepare()
        self.keep_arrays()

    def keep_arrays(self) -> None:
        """Keeps the arrays of a large network beside the rows, so that it is up at once the next time."""
        if not self._store.writable:
            return
        with self._writer:
            self._flush_uses()
            with self._lock:
                # Uses are counted while this is written; the rows have those of before.
                frozen = self._network.frozen(copied=('used', 'last'))
            try:
                self._store.keep_arrays(frozen)
            except MemoryFault as error:
                _log.warning('the next start will take longer: %s', error)

    def close(self) -> None:
        """Stores what is counted and not stored yet, and closes the store.

        Raises:
            MemoryFault: it could not be stored.
        """
        with self._writer:
            try:
                self.keep_arrays()
            finally:
                self._store.close()

    # -- one way to change anything -----------------------------------------------------------------------------

    def _carry_out(self, change: Change) -> None:
        """Stores a change and then carries it out on the arrays; nothing is done where it cannot be stored."""
        self._flush_uses()
        if change.is_empty:
            return
        self._commit(change)
        with self._lock:
            self._network.remove([item.node_id for item in change.away])
            self._network.remove(change.away_concepts)
            self._network.add_nodes(change.nodes)
            self._network.add_edges(change.edges)
            self._network.touch(change.touches)

    def _commit(self, change: Change) -> None:
        try:
            self._store.commit(change)
        except NetworkChangedError:
            with self._lock:
                # What was erased is in no row any more, so in none of our memory either.
                self._embedder.clear()
                self._used.clear()
                self._load()
            raise

    def _flush_uses(self) -> None:
        with self._lock:
            network, touches = self._network, []
            for node_id in self._used:
                row = network.row_of(node_id)
                if row is not None:
                    last, used = int(network.column('last')[row]), float(network.column('used')[row])
                    touches.append(Touch(node_id=node_id, last=last, used=used))
            pending, self._used = self._used, {}
        # Who only looks leaves no trace.
        if not touches or not self._store.writable:
            return
        try:
            self._commit(Change(touches=tuple(touches)))
        except NetworkChangedError:
            raise
        except MemoryFault:
            with self._lock:
                self._used = {**pending, **self._used}
            raise

    def _newest_id(self) -> int:
        ids = self._network.column('ids')
        return int(ids[-1]) if len(ids) else 0


def _as_told(question: str) -> tuple[Mention, ...]:
    """The mentions of a question, weighed as if it were told: what is asked about is what is looked for."""
    return mentions_of(question.replace('?', '.'))
