"""Stores and memories for the tests of people."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.person_source import source_of_scope
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import ROBOT
from lucca_memory.retrieval.library import Library

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Clock:
    """Time that passes a minute at each look."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def embedder() -> HashedEmbedder:
    return HashedEmbedder()


@pytest.fixture(params=['sqlite', 'postgres'])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PeopleStore]:
    """An empty store of each kind: whatever holds for one holds for the other."""
    if request.param == 'postgres':
        opened = request.getfixturevalue('shared_schema')()
    else:
        opened = SqliteStore(tmp_path / 'people.sqlite')
    yield opened
    opened.close()


@pytest.fixture
def memory(store: PeopleStore, embedder: HashedEmbedder, clock: Clock) -> PeopleMemory:
    library = Library(source_of_scope(store), embedder, robot=ROBOT)
    return PeopleMemory(store, embedder, library, now=clock)
