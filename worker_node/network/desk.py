"""The worker's interface to its semantic network: recall, commands, and upkeep as background chores."""

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from lucca_core.errors import DeskRefusal, LuccaError
from lucca_core.laboratory import required_instrument
from lucca_core.protocol.people import NetworkAnswer
from lucca_core.protocol.refusal import DeskCode
from lucca_core.protocol.remembered import Recollection
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import Person
from lucca_memory.retrieval.values import Question
from lucca_memory.semantic.command_runner import run_command
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.compression import Compressor
from lucca_memory.semantic.forgetting.importance import plain_centrality
from lucca_memory.semantic.generalizer import Generalizer
from lucca_memory.semantic.language.extraction import Extractor
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.opening import open_store
from lucca_memory.semantic.values import NetworkStats
from worker_node.network.config import NetworkConfig
from worker_node.network.follower import Follower, Passes
from worker_node.network.network_recall import Added, NetworkRecall
from worker_node.people.chores import Chore
from worker_node.people.episodes import NewEntries

NOTHING = Added({}, ())
_log = logging.getLogger(__name__)


class Policy(Protocol):
    """A learned forgetting policy, from the laboratory."""

    @property
    def base(self) -> ForgettingConfig:
        """The parameters with which the importances that it looks at are computed."""
        ...

    def decided(self, stats: NetworkStats, budget_bytes: int, *, asked: int, told: int) -> ForgettingConfig:
        """The parameters of a pass. `asked`, `told`: numbers of questions and statements since the last one."""
        ...


def _policy_of(config: NetworkConfig) -> Policy | None:
    if not config.policy_file:
        return None
    load = required_instrument('forgetting_policy', 'policy_file')
    policy: Policy = load(Path(config.policy_file), config.centrality)
    return policy


class NetworkDesk:
    """Access to the network. Safe to use from several threads, but `chores` belong to one background thread.

    Recalls work without the network until it has been read, and whenever it cannot be read. Call `close` when done.
    """

    def __init__(
        self,
        folder: DataFolder,
        people: PeopleMemory,
        store: PeopleStore,
        new_entries: NewEntries,
        embedder: Embedder,
        extractor: Extractor,
        config: NetworkConfig,
        now: Callable[[], datetime],
        compressor: Compressor | None = None,
    ) -> None:
        """
        Args:
            folder: the data folder, open for writing.
            people, store: the memory of people, and its store.
            new_entries: reads the task logs.
            embedder: computes the vectors of texts.
            extractor: finds concepts.
            config: the settings.
            now: the date and time.
            compressor: writes general nodes before a pass; without one, there are none.

        Raises:
            ConfigError: the policy file cannot be read, or a setting needs the laboratory, which is not installed.
        """
        self._folder = folder
        self._people = people
        self._store = store
        self._new_entries = new_entries
        self._embedder = embedder
        self._extractor = extractor
        self._config = config
        self._now = now
        self._compressor = compressor
        self._generalizer: Generalizer | None = None
        self._policy = _policy_of(config)
        if config.centrality != ForgettingConfig.centrality:
            plain_centrality(config.centrality)
        self._lock = threading.Lock()
        self._memory: ConceptMemory | None = None
        self._recall: NetworkRecall | None = None
        self._follower: Follower | None = None
        self._passes: Passes | None = None
        self._asked = self._heard = 0

    @property
    def chores(self) -> tuple[Chore, ...]:
        """The background chores, in the order in which they are done."""
        return self._load, self._follow, self._tidy

    # -- recall -------------------------------------------------------------------------------------------------

    def marked(self, person: Person, found: Sequence[Recollection]) -> list[Recollection]:
        """See NetworkRecall. For guests, and while the network cannot be read, nothing is marked."""
        if (recall := self._recall) is None or person.is_guest:
            return list(found)
        try:
            return recall.marked(person, found)
        except LuccaError as error:
            _log.warning('a recall goes without the network: %s', error)
            return list(found)

    def added(self, person: Person, question: Question, found: Sequence[Recollection]) -> Added:
        """See NetworkRecall. For guests, and while the network cannot be read, nothing is added."""
        if (recall := self._recall) is None or person.is_guest:
            return NOTHING
        self._asked += 1
        try:
            return recall.added(person, question, found)
        except LuccaError as error:
            _log.warning('a recall goes without the network: %s', error)
            return NOTHING

    def lines_of(self, person: Person, node_ids: Sequence[int]) -> list[str]:
        """See NetworkRecall.

        Raises:
            MemoryFault: the network cannot be read.
        """
        recall = self._recall
        return [] if recall is None or person.is_guest else recall.lines_of(person, node_ids)

    # -- by hand ------------------------------------------------------------------------------------------------

    def by_hand(self, command: str, folder: str, node_ids: Sequence[int]) -> NetworkAnswer:
        """Runs a command on the network; see lucca_memory.semantic.command_runner.

        Raises:
            DeskRefusal: the command is for another data folder, or the network has not been read yet.
            ValueError, MemoryFault: see there.
        """
        if Path(folder).resolve() != self._folder.path.resolve():
            raise DeskRefusal(
                DeskCode.BAD_REQUEST, f'this worker keeps its memory in {self._folder.path}, not {folder}'
            )
        if self._memory is None:
            raise DeskRefusal(DeskCode.UNAVAILABLE, 'the network has not been read yet; try again')
        return run_command(self._memory, command, node_ids, self._now())

    def close(self) -> None:
        """Stores the counts and closes the network. Closing twice is harmless.

        Raises:
            MemoryFault: the counts could not be stored.
        """
        with self._lock:
            memory, self._memory, self._recall = self._memory, None, None
        if memory is not None:
            memory.close()

    # -- in the background --------------------------------------------------------------------------------------

    def _load(self) -> bool:
        if self._memory is not None:
            return False
        store = open_store(self._folder, self._store.address)
        try:
            settings = ForgettingConfig(
                centrality=self._config.centrality,
                general_calls=self._config.general_calls,
                general_s=self._config.general_s,
            )
            memory = ConceptMemory(self._embedder, settings, store=store, extractor=self._extractor)
            memory.prepare()
        except BaseException:
            store.close()
            raise
        self._follower = Follower(memory, self._store, self._new_entries, self._config.consolidate_at_once, self._now)
        self._passes = Passes(memory, self._config.forget_every_h, self._forget, self._now, self._generalize)
        self._heard = store.totals().heard
        with self._lock:
            self._memory, self._recall = memory, NetworkRecall(memory, self._people, self._store)
        return True

    def _follow(self) -> bool:
        return self._follower is not None and self._follower.step()

    def _tidy(self) -> bool:
        if self._memory is None or self._passes is None:
            return False
        self._memory.store_uses()
        return self._passes.step()

    def _generalize(self, now: datetime) -> bool:
        if self._memory is None or self._compressor is None:
            return False
        if self._generalizer is None:
            self._generalizer = Generalizer(self._memory, self._compressor)
        return self._generalizer.step(now, self._config.forget_budget_bytes or None)

    def _forget(self, now: datetime) -> None:
        memory, budget = self._memory, self._config.forget_budget_bytes
        if memory is None:
            return
        if self._policy is not None and budget:
            # The policy was learned from importances computed with its own base parameters, not with those it set last.
            memory.config = self._policy.base
            stats = memory.stats(now)
            memory.config = self._policy.decided(stats, budget, asked=self._asked, told=stats.heard - self._heard)
            self._asked, self._heard = 0, stats.heard
        done = memory.forget(now, budget or None)
        made = self._generalizer.made if self._generalizer is not None else 0
        self._generalizer = None
        _log.info(
            'forgetting: %d put away, %d compressed, %d general nodes made before, %d of %d bytes left',
            len(done.pruned),
            len(done.compressed),
            made,
            done.bytes_after,
            done.bytes_before,
        )
