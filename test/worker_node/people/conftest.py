"""A desk on a folder of its own, with words hashed for meanings and a clock that tests set."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.facts.facts import Facts
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import open_people, open_store
from lucca_memory.people.values import Person
from worker_node.people.config import DeskConfig
from worker_node.people.desk import PeopleDesk
from worker_node.people.episodes import Episodes
from worker_node.people.long_term import LongTermMemory

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Office:
    """A desk and what it stands on; the task logs are what `logs` holds."""

    def __init__(
        self, path: Path, stack: ExitStack, config: DeskConfig, people: PeopleConfig, embedder: Embedder
    ) -> None:
        self.now = START
        self.path = path
        self.logs: dict[str, list[Entry]] = {}
        self.turns_of: list[Person] = []
        folder = stack.enter_context(DataFolder.open(path, write=True))
        self.store = open_store(folder)
        self.memory: PeopleMemory = stack.enter_context(open_people(folder, embedder, people, store=self.store))
        self.facts = Facts(path / 'facts', embedder)
        self.summaries = LongTermMemory(self.memory, embedder)
        self.tasks = Episodes(self.new_entries, embedder)
        self.desk = PeopleDesk(
            self.memory,
            self.summaries,
            self.facts,
            self.tasks,
            config,
            now=self.clock,
            on_turn=self.turns_of.append,
        )

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def new_entries(self, seen: Mapping[str, int]) -> Mapping[str, Sequence[Entry]]:
        return {task: entries[seen.get(task, 0) :] for task, entries in self.logs.items()}

    def says(self, person: str, *utterances: str, conversation: str = '') -> tuple[str, ...]:
        """Turns in a conversation of a person; returns the ids of all their lines."""
        conversation = conversation or f'{person} at home'
        self.desk.meet('cli', person, conversation)
        return tuple(item for text in utterances for item in self.desk.record_turn(conversation, text, 'I see.'))

    def texts(self, conversation: str, query: str, **more: object) -> list[str]:
        """What is recalled."""
        return [item.text for item in self.desk.recall(conversation, query, **more)]  # type: ignore[arg-type]


@pytest.fixture
def make_office(tmp_path: Path) -> Iterator[Callable[..., Office]]:
    """Opens a desk; the second one is the worker after a restart, so it closes the first."""
    stack = ExitStack()

    def make(embedder: Embedder | None = None, people: PeopleConfig | None = None, **settings: object) -> Office:
        stack.close()
        config = DeskConfig(**settings)  # type: ignore[arg-type]
        return Office(tmp_path / 'data', stack, config, people or PeopleConfig(), embedder or HashedEmbedder())

    with stack:
        yield make


@pytest.fixture
def office(make_office: Callable[..., Office]) -> Office:
    return make_office()
