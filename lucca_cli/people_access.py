"""The memory of people for commands: read beside a running worker, written while the worker is paused."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_cli.writable_folder import writable_folder
from lucca_core.english import cut
from lucca_core.errors import MemoryFault
from lucca_core.paths import default_data_dir
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.people.erasure import finish_erasing
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import make_store, open_people
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import Person


def known_person(store: PeopleStore, name: str) -> Person:
    person = store.find(name)
    if person is None:
        raise MemoryFault(f'nobody is known by the name {one_line(name)!r}; lucca memory people lists them')
    return person


def one_line(text: str) -> str:
    line = ' '.join(text.split())
    return cut(line, 60)


@contextmanager
def _folder(data_dir: Path | None, *, write: bool) -> Iterator[DataFolder]:
    if write:
        with writable_folder(data_dir) as folder:
            yield folder
        return
    with DataFolder.open(data_dir or default_data_dir(), write=False) as folder:
        yield folder


@contextmanager
def people_store(data_dir: Path | None, *, write: bool = False) -> Iterator[PeopleStore]:
    with _folder(data_dir, write=write) as folder, make_store('', folder) as store:
        if write:
            finish_erasing(folder, store)
        yield store


@contextmanager
def people_memory(
    data_dir: Path | None, embedder: Embedder, *, write: bool
) -> Iterator[tuple[PeopleStore, PeopleMemory]]:
    with _folder(data_dir, write=write) as folder:
        store = make_store('', folder)
        if write:
            finish_erasing(folder, store)
        with open_people(folder, embedder, store=store) as memory:
            yield store, memory
