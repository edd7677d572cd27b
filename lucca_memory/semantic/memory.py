"""The semantic memory: consolidates statements, answers questions, and forgets what is unimportant."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from lucca_memory.embedding.cache import RememberingEmbedder
from lucca_memory.embedding.embedder import Embedder, NoEmbedder, Vectors
from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.answering.context import Answering
from lucca_memory.semantic.answering.finder import is_told
from lucca_memory.semantic.config import ForgettingConfig, SemanticConfig
from lucca_memory.semantic.consolidation.consolidation import Consolidation
from lucca_memory.semantic.forgetting.compression import ShorteningCompressor
from lucca_memory.semantic.forgetting.decision import Decision, decide
from lucca_memory.semantic.forgetting.faithfulness import why_unfaithful
from lucca_memory.semantic.forgetting.forgetting_pass import plan_pass
from lucca_memory.semantic.forgetting.generals import GivenText, related, why_not_replaced
from lucca_memory.semantic.forgetting.importance import Terms, TermsOf, terms_of_importance
from lucca_memory.semantic.forgetting.restoration import plan_away, plan_restore
from lucca_memory.semantic.graph.change import CONCEPT, Change, Node, NodeUpdate
from lucca_memory.semantic.graph.live_network import LiveNetwork
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.graph.statistics import bytes_of, stats_of
from lucca_memory.semantic.language.extraction import Extractor, WordExtractor
from lucca_memory.semantic.language.understanding import Understanding
from lucca_memory.semantic.store.network_store import NetworkStore
from lucca_memory.semantic.store.sqlite_store import SqliteNetworkStore
from lucca_memory.semantic.store.values import Mark
from lucca_memory.semantic.values import EVERYBODY, Context, ForgottenNode, NetworkStats, Pass, Statement
from lucca_memory.store.rows import storable
from lucca_memory.store.sqlite import IN_MEMORY

_FOUND = 60
_REMEMBERED_VECTORS = 20_000


class ConceptMemory:
    """A network of concepts and statements that forgets. Thread-safe.

    Every method raises MemoryFault if the store cannot be read or written; a failed write changes nothing.
    """

    def __init__(
        self,
        embedder: Embedder | None = None,
        config: ForgettingConfig | None = None,
        *,
        store: NetworkStore | None = None,
        extractor: Extractor | None = None,
        settings: SemanticConfig | None = None,
        terms_of: TermsOf = terms_of_importance,
    ) -> None:
        """Loads the network from a store.

        Args:
            embedder: computes vectors; without one, words alone decide.
            config: the forgetting parameters; the attribute may be replaced between passes.
            store: of the network; by default in memory only.
            extractor: finds the concepts of statements.
            settings: of finding and superseding.
            terms_of: computes the importance of statements.

        Raises:
            MemoryFault: the store cannot be read.
        """
        self.config = config or ForgettingConfig()
        self._terms_of = terms_of
        self._settings = settings or SemanticConfig()
        self._compressor = ShorteningCompressor()
        remembering = RememberingEmbedder(embedder or NoEmbedder(), _REMEMBERED_VECTORS)
        self._understanding = Understanding(
            remembering, extractor or WordExtractor(), sentences=self._settings.sentences
        )
        self._live = LiveNetwork(store or SqliteNetworkStore(IN_MEMORY), remembering, self._settings)

    # -- hearing ------------------------------------------------------------------------------------------------

    def hear(self, statements: Sequence[Statement]) -> None:
        """Consolidates one batch, as a whole or not at all; sources heard before are ignored.

        Raises:
            MemoryFault: it could not be stored.
            ModelError: the embedder or the extractor failed; nothing was consolidated.
        """
        with self._live.writer:
            known = self._live.store.already_heard([statement.source for statement in statements])
            # Several statements with one source in a batch are parts of one turn, not repetitions.
            fresh = [statement for statement in statements if statement.source not in known]
            if not fresh:
                return
            # Models are called before taking any lock that questions need.
            pieces = self._understanding.pieces(sorted(fresh, key=lambda statement: statement.time))
            plan = Consolidation(
                self._live.network,
                self._live.store.nodes,
                self._near,
                self._understanding.meaning,
                self._settings,
                self._live.next_id(),
            )
            for piece in pieces:
                plan.add(piece)
            sources = tuple(dict.fromkeys(statement.source for statement in fresh))
            self._live.carry_out(
                plan.change(sources, sum(len(storable(statement.text).encode()) for statement in fresh))
            )

    def _near(self, vector: Vectors, owner: str, count: int) -> Sequence[int]:
        with self._live.lock:
            network = self._live.network
            owners = [network.number_of_owner(owner)]
            rows, _ = self._live.nearest.search(vector, count, lambda rows: is_told(network, rows, owners))
            return [int(node_id) for node_id in network.column('ids')[rows]]

    # -- answering ----------------------------------------------------------------------------------------------

    def context(self, question: str, now: datetime, token_budget: int = 512, *, owner: str = EVERYBODY) -> Context:
        """The texts that answer a question; the nodes found count as used.

        Args:
            question: the question as asked.
            now: time of the question, with a time zone.
            token_budget: maximum estimated tokens of the whole context.
            owner: whose memory is searched, in addition to everybody's.

        Raises:
            MemoryFault: texts could not be read.
        """
        if token_budget < 0:
            raise ValueError(f'token_budget must not be negative, got {token_budget}')
        live = self._live
        with live.lock:
            speakers = [name for name in live.network.speakers if name]
        asked = self._understanding.asked(storable(question), owner, speakers)
        with live.lock:
            network = live.network
            found = live.finder.find(asked, live.importance(), _FOUND)
            answering = Answering(network, live.store.nodes, self._settings)
            context = answering.context(question, found, token_budget, asked.vector)
            live.count_use(answering.uses(found), found.concepts, microseconds(now))
        return context

    def feedback(self, node_ids: Sequence[int], good: bool, read: Mapping[str, Mark] | None = None) -> None:
        """Records a verdict on an answer that used these nodes, together with how far a source was read for it.

        A good verdict counts as an additional use, a bad one as a use less.
        """
        with self._live.writer:
            touches = []
            for node_id in node_ids:
                row = self._live.network.row_of(node_id)
                if row is not None:
                    used = float(self._live.network.column('used')[row]) + (1.0 if good else -1.0)
                    touches.append(NodeUpdate(node_id=node_id, used=max(0.0, used)))
            marks = [(name, *mark) for name, mark in (read or {}).items()]
            self._live.carry_out(Change(touches=tuple(touches), marks=marks))

    # -- forgetting ---------------------------------------------------------------------------------------------

    def forget(self, now: datetime, budget_bytes: int | None = None) -> Pass:
        """Runs one forgetting pass; with a budget, `NetworkStats.bytes` meets it afterwards, except for pinned nodes.

        Raises:
            ValueError: the budget is negative.
            MemoryFault: the result could not be stored; nothing was forgotten.
        """
        if budget_bytes is not None and budget_bytes < 0:
            raise ValueError(f'budget_bytes must not be negative, got {budget_bytes}')
        with self._live.writer:
            frozen = self._live.frozen()
            begin = time.perf_counter()
            decision = decide(
                frozen, microseconds(now), self.config, budget_bytes=budget_bytes, terms_of=self._terms_of
            )
            decided = time.perf_counter()
            plan = plan_pass(
                frozen,
                decision,
                self._live.store,
                self._compressor,
                now=now,
                budget_bytes=budget_bytes,
                next_id=self._live.next_id(),
                concepts_since=microseconds(now - timedelta(days=self.config.kept_concepts_d)),
            )
            self._live.carry_out(plan.change)
            with self._live.lock:
                self._live.weighed(decision.terms.importance, frozen.generation)
                after = bytes_of(self._live.network)
            self._live.store.purge(microseconds(now - timedelta(days=self.config.kept_forgotten_d)))
            committed = time.perf_counter()
            self.keep_arrays()
            return Pass(
                time=now,
                pruned=plan.pruned,
                compressed=plan.compressed,
                theta=decision.theta,
                bytes_before=decision.bytes_before,
                bytes_after=after,
                decision_s=decided - begin,
                commit_s=committed - decided,
            )

    def about_to_go(self, now: datetime, budget_bytes: int | None = None) -> list[list[int]]:
        """Ids of what a pass would now forget, grouped by what it is about, most important group first."""
        frozen, config = self.network, replace(self.config, compress=False)
        decision = decide(frozen, microseconds(now), config, budget_bytes=budget_bytes, terms_of=self._terms_of)
        return [
            frozen.column('ids')[rows].tolist() for rows in related(frozen, decision.pruned[::-1], config.group_size)
        ]

    def generalize(self, members: Sequence[Node], text: str, now: datetime) -> str:
        """Replaces statements or general nodes by one general node with this text.

        Returns:
            Why it was not done; empty if it was. A text that says anything else than the members is refused, and so are
            members that have changed since they were read.

        Raises:
            MemoryFault: it could not be stored; nothing was changed.
        """
        if reason := why_unfaithful(text, [node.text for node in members]):
            return reason
        with self._live.writer:
            frozen = self._live.frozen()
            rows = frozen.rows_of([node.node_id for node in members])
            if reason := why_not_replaced(frozen, rows, members, self._live.store.nodes):
                return reason
            terms = self._terms_of(frozen, microseconds(now), self.config)
            nothing = rows[:0]
            plan = plan_pass(
                frozen,
                Decision(terms, terms.importance, 0.0, nothing, (rows,), 0),
                self._live.store,
                GivenText(text),
                now=now,
                budget_bytes=None,
                next_id=self._live.next_id(),
            )
            self._live.carry_out(plan.change)
        return ''

    def forgotten(self) -> Sequence[ForgottenNode]:
        """The forgotten nodes that can be restored, newest first."""
        return self._live.store.forgotten()

    def forget_nodes(
        self, node_ids: Sequence[int], now: datetime, reason: str = 'by hand', *, even_pinned: bool = False
    ) -> int:
        """Puts nodes away on request; returns how many. Pinned ones stay unless `even_pinned`."""
        with self._live.writer:
            change = plan_away(self._live.network, self._live.store, node_ids, now, reason, even_pinned=even_pinned)
            self._live.carry_out(change)
            return len(change.away)

    def restore(self, node_ids: Sequence[int], now: datetime) -> int:
        """Restores forgotten nodes with their edges; returns how many. They count as used now."""
        with self._live.writer:
            away = {item.node_id for item in self._live.store.forgotten()}
            ids = [node_id for node_id in dict.fromkeys(node_ids) if node_id in away]
            if not ids:
                return 0
            self._live.carry_out_anew(plan_restore(self._live.network, self._live.store, ids, now))
            return len(ids)

    def pin(self, node_ids: Sequence[int], pinned: bool = True) -> int:
        """Pins or unpins nodes; returns how many exist."""
        with self._live.writer:
            ids = [node_id for node_id in node_ids if self._live.network.row_of(node_id) is not None]
            self._live.carry_out(Change(touches=tuple(NodeUpdate(node_id=node_id, pinned=pinned) for node_id in ids)))
            return len(ids)

    # -- looking ------------------------------------------------------------------------------------------------

    def stats(self, now: datetime | None = None) -> NetworkStats:
        """Statistics of the network; importance is computed for `now`, by default the time of the last statement."""
        frozen = self._live.frozen()
        told = frozen.column('alive') & (frozen.column('kinds') != CONCEPT)
        at = int(frozen.column('last')[told].max(initial=0)) if now is None else microseconds(now)
        return stats_of(frozen, self._terms_of(frozen, at, self.config), self._live.store)

    @property
    def network(self) -> Network:
        """A read-only view of the current graph."""
        return self._live.frozen()

    def texts(self) -> Sequence[str]:
        """Every text that can answer questions, as counted by `NetworkStats.bytes`."""
        network = self.network
        telling = network.column('alive') & (network.column('kinds') != CONCEPT)
        nodes = self._live.store.nodes([int(node_id) for node_id in network.column('ids')[telling]])
        return [node.text for node in nodes.values()]

    @property
    def store(self) -> NetworkStore:
        """The store of texts and forgotten nodes."""
        return self._live.store

    def terms(self, now: datetime) -> tuple[Network, Terms]:
        """The graph and the importance of each of its rows."""
        frozen = self.network
        return frozen, self._terms_of(frozen, microseconds(now), self.config)

    def living(self, node_ids: Sequence[int]) -> list[int]:
        """The living nodes among the ids."""
        with self._live.lock:
            return [node_id for node_id in node_ids if self._live.network.row_of(node_id) is not None]

    def store_uses(self) -> None:
        """Stores uses that are counted but not stored yet; for a background thread.

        Raises:
            MemoryFault: they could not be stored; they stay counted.
        """
        with self._live.writer:
            self._live.store_uses()

    def prepare(self) -> None:
        """Builds and saves what the first question needs, which takes long for a large network."""
        with self._live.lock:
            self._live.nearest.prepare()
        self.keep_arrays()

    def keep_arrays(self) -> None:
        """Saves the arrays of a large network beside the rows, for a fast start."""
        self._live.keep_arrays()

    def close(self) -> None:
        """Stores what is counted but not stored yet, and closes the store.

        Raises:
            MemoryFault: it could not be stored.
        """
        with self._live.writer:
            try:
                self.keep_arrays()
            finally:
                self._live.store.close()
