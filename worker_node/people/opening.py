"""The desk on an open data folder: store, embedder, facts, task logs and background work, put together."""

import contextlib
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

from lucca_core.errors import ModelError
from lucca_llm.model import ChatModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import utc_now
from lucca_memory.embedding.cache import RememberingEmbedder
from lucca_memory.embedding.embedder import Embedder, NoEmbedder
from lucca_memory.embedding.spec import make_embedder
from lucca_memory.facts.facts import Facts
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.erasure import finish_erasing
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import make_store, open_people
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import Person, Summarizer
from worker_node.network.concepts import make_model_extractor
from worker_node.network.config import NetworkConfig
from worker_node.network.desk import NetworkDesk
from worker_node.network.model_compressor import make_compressor
from worker_node.people.chores import ChoreThread
from worker_node.people.config import DeskConfig
from worker_node.people.desk import PeopleDesk
from worker_node.people.desks import Desks
from worker_node.people.episodes import Episodes, NewEntries
from worker_node.people.long_term import LongTermMemory
from worker_node.people.model_summarizer import make_summarizer
from worker_node.quiet_periods import QuietPeriods

FACTS_FOLDER = 'facts'
FACTS_VECTORS = 'facts.sqlite'
"""Names within the data folder."""

_EMBEDDED_AT_ONCE = 1
"""Sentences embedded in one background step. With fewer, an intent that arrives meanwhile is recorded sooner."""

_LOOKED_AROUND_S = 60.0
"""Actions of tasks wake no thread, so new log entries are looked for this often, in s."""

_log = logging.getLogger(__name__)


def usable_embedder(spec: str) -> Embedder:
    """The embedder of a spec. If its model cannot be had now, the error is logged and search goes by words only.

    Raises:
        ConfigError: the spec is not valid.
    """
    try:
        return make_embedder(spec, _embedder_of_server)
    except ModelError as error:
        # The robot still remembers and moves; the next start tries again.
        _log.error('memory is searched by words only: %s', error)
        return NoEmbedder()


def _embedder_of_server(spec: str) -> Embedder:
    # Imported here: the HTTP client takes half a second, also where no server is asked.
    from lucca_llm.servers.embedder import make_http_embedder

    return make_http_embedder(spec)


@contextlib.contextmanager
def opened_store(spec: str, folder: DataFolder) -> Iterator[PeopleStore]:
    """The store of people. It first completes an erasure that was interrupted, so open the task logs only after it.

    Raises:
        ConfigError: the spec names no store.
        MemoryFault: the store cannot be used.
    """
    store = make_store(spec, folder)
    try:
        finish_erasing(folder, store)
        yield store
    finally:
        store.close()


@contextlib.contextmanager
def open_desk(
    folder: DataFolder,
    store: PeopleStore,
    model: ChatModel,
    new_entries: NewEntries,
    config: DeskConfig,
    people: PeopleConfig,
    embedder: Embedder,
    network: NetworkConfig | None = None,
    calm: QuietPeriods | None = None,
) -> Iterator[Desks]:
    """The desks. When the context ends, background work stops, the indexes are written and the store is closed.

    Args:
        folder: the data folder, open for writing.
        store: the store of people; see opened_store.
        model: the worker's model; writes the summaries.
        new_entries: reads the task logs; see episodes.py.
        config: settings of the desk.
        people: settings of the memory of people.
        embedder: computes the vectors of texts.
        network: settings of the semantic network; None for its defaults.
        calm: decides when background work may run; notified when the desk is used.

    Raises:
        MemoryFault: the folder of facts cannot be used.
        ConfigError: the network's extractor or policy cannot be had.
    """
    settings, calm = network or NetworkConfig(), calm or QuietPeriods()
    # A question goes to five memories, and a line is processed by the network soon after it was said.
    embedder = RememberingEmbedder(embedder)
    with contextlib.ExitStack() as stack:
        memory = stack.enter_context(open_people(folder, embedder, people, store=store))
        facts_dir = Path(config.facts_dir).expanduser() if config.facts_dir else folder.path / FACTS_FOLDER
        facts = stack.enter_context(Facts(facts_dir, embedder, vectors_file=folder.path / FACTS_VECTORS))
        summaries, tasks = LongTermMemory(memory, embedder), Episodes(new_entries, embedder)
        chores = _Chores(memory, summaries, tasks, drops=isinstance(store, SqliteStore) and embedder.dimensions > 0)
        stopping = threading.Event()
        graph = None
        if settings.network:
            extractor = make_model_extractor(model, settings, stopping.is_set)

            def unwanted() -> bool:
                # A text before a pass is never worth making anybody wait.
                return stopping.is_set() or calm.in_use

            compressor = make_compressor(model, settings, unwanted)
            graph = NetworkDesk(folder, memory, store, new_entries, embedder, extractor, settings, utc_now, compressor)
            stack.callback(graph.close)
        keeper = ChoreThread(
            # Summaries come last: a language model may take minutes for each.
            (*(graph.chores if graph else ()), chores.embed_lines, chores.embed_others, chores.summarize),
            config.retry_s,
            calm,
            again_s=_LOOKED_AROUND_S,
        )
        chores.summarizer = make_summarizer(model, config, keeper.stopping.is_set)

        def on_turn(person: Person) -> None:
            chores.due.setdefault(person)
            keeper.wake()

        desk = PeopleDesk(
            memory,
            summaries,
            facts,
            tasks,
            config,
            on_turn=on_turn,
            on_call=calm.asked,
            network=graph,
            statements=settings.recall_statements,
        )
        chores.due.update(dict.fromkeys(memory.people()))
        keeper.start()
        stack.callback(keeper.close)
        # Ends a running call of the model at once, so that the thread can end.
        stack.callback(stopping.set)
        yield Desks(desk, graph, keeper, by_words_only=not embedder.dimensions)


class _Chores:
    """The background chores: vectors first, then summaries."""

    def __init__(self, memory: PeopleMemory, summaries: LongTermMemory, tasks: Episodes, *, drops: bool) -> None:
        self._memory = memory
        self._others = (summaries, tasks)
        self._drops_vectors = drops
        self._embedded = False
        self.summarizer: Summarizer | None = None
        self.due: dict[Person, None] = {}
        """People whose short-term memory may be full, the one who has waited longest first."""

    def embed_lines(self) -> bool:
        if self._memory.embed_missing():
            self._embedded = True
            return True
        if self._drops_vectors and self._embedded:
            # The other vectors may be of an earlier model. In a shared store, robots may use different models.
            self._memory.drop_other_vectors()
        self._embedded = False
        return False

    def embed_others(self) -> bool:
        return any(finder.embed_missing(_EMBEDDED_AT_ONCE) for finder in self._others)

    def summarize(self) -> bool:
        if not self.due or self.summarizer is None:
            return False
        # Other threads add to it meanwhile; tuple() copies it in one piece.
        person, *_ = tuple(self.due)
        del self.due[person]
        try:
            self._memory.save_index_if_due(person)
            again = self._memory.condense(person, self.summarizer) is not None
        except BaseException:
            # Put at the end: a person whose summary fails again and again must not block the others.
            self.due[person] = None
            raise
        if again:
            self.due[person] = None
        return True
