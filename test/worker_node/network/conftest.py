"""Desks with a network on a folder of their own; opening them again is a restart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.store import PeopleStore
from lucca_memory.semantic.graph.change import CONCEPT
from lucca_memory.semantic.memory import ConceptMemory
from worker_node.network.config import NetworkConfig
from worker_node.people.config import DeskConfig
from worker_node.people.desks import Desks
from worker_node.people.opening import open_desk, opened_store

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
IDLE_S = 60.0


class House:
    """A data folder and the desks on it. `logs` is what the task logs hold."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.logs: dict[str, list[Entry]] = {}
        self._stack = ExitStack()
        self.desks: Desks
        self.store: PeopleStore

    def open(self, embedder: Any = None, model: Any = None, store: Any = None, **settings: Any) -> 'House':
        self.close()
        folder = self._stack.enter_context(DataFolder.open(self.path, write=True))
        self.store = self._stack.enter_context(opened_store(store or '', folder))
        self.desks = self._stack.enter_context(
            open_desk(
                folder,
                self.store,
                model or RuleBasedModel(),
                self.new_entries,
                DeskConfig(retry_s=0.05),
                PeopleConfig(),
                embedder or HashedEmbedder(),
                NetworkConfig(**{'extractor': 'words', **settings}),
            )
        )
        return self

    def close(self) -> None:
        self._stack.close()

    def new_entries(self, seen: Mapping[str, int]) -> Mapping[str, Sequence[Entry]]:
        return {task: entries[seen.get(task, 0) :] for task, entries in self.logs.items()}

    def settle(self) -> None:
        """Waits until the background has done all that is due."""
        self.desks.keeper.wake()
        assert self.desks.keeper.wait_until_idle(IDLE_S)

    def say(self, person: str, *texts: str, settle: bool = True) -> list[str]:
        """Says things, one turn each; returns the ids of the lines of the person."""
        desk, conversation = self.desks.people, self.meet(person)
        ids = [desk.record_turn(conversation, text, 'I see.')[0] for text in texts]
        if settle:
            self.settle()
        return ids

    def meet(self, person: str) -> str:
        conversation = f'with {person}'
        self.desks.people.meet('cli', person, conversation)
        return conversation

    def recall(self, person: str, query: str, *kinds: str, **more: Any) -> tuple[Any, ...]:
        return self.desks.people.recall(self.meet(person), query, kinds=list(kinds), **more)

    @property
    def memory(self) -> ConceptMemory:
        network = self.desks.network
        assert network is not None
        memory = network._memory
        assert memory is not None
        return memory

    def nodes(self) -> dict[str, Any]:
        """The statements and general nodes that live, by text."""
        network = self.memory.network
        telling = network.column('alive') & (network.column('kinds') != CONCEPT)
        found = self.memory.store.nodes([int(node_id) for node_id in network.column('ids')[telling]])
        return {node.text: node for node in found.values()}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = House(tmp_path / 'data')
    yield opened
    opened.close()


@pytest.fixture
def make_house(tmp_path: Path) -> Iterator[Callable[[str], House]]:
    houses: list[House] = []

    def make(name: str) -> House:
        houses.append(House(tmp_path / name))
        return houses[-1]

    yield make
    for item in houses:
        item.close()
