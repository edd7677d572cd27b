"""Opening the memory of people: its store, in the data folder or in a shared PostgreSQL, and its indexes."""

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from lucca_core.errors import ConfigError, MemoryFault
from lucca_memory.data_folder import INDEX_FOLDER, DataFolder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.manifest import PEOPLE_FILE, enter_memory, memories_of
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.person_source import source_of_scope
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import ROBOT
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.library import Library

__all__ = ['PEOPLE_FILE', 'index_folder', 'make_store', 'open_people', 'open_store', 'shared_address']

_log = logging.getLogger(__name__)


def index_folder(folder: DataFolder) -> Path | None:
    """The folder of the indexes; None for a data folder opened for reading.

    Raises:
        MemoryFault: it cannot be created.
    """
    if not folder.writable:
        return None
    path = folder.path / INDEX_FOLDER
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise MemoryFault(f'{path} cannot be made: {error}') from error
    return path


SQLITE = 'sqlite'
STORES = {
    SQLITE: 'a file in the data folder, of one robot',
    'postgresql://…': 'a PostgreSQL database with pgvector, shared by robots; '
    'passwords in PGPASSWORD or a password file',
}
"""Every form of a store spec, with a description."""

STORE_VARIABLE = 'LUCCA_STORE'
"""Environment variable with the default spec."""


def open_store(folder: DataFolder) -> SqliteStore:
    """The store of a data folder; read-only if the folder was opened for reading.

    Raises:
        MemoryFault: it cannot be opened, is damaged, or is missing.
    """
    memories = memories_of(folder.path)
    store = SqliteStore(
        folder.path / PEOPLE_FILE,
        write=folder.writable,
        expected=PEOPLE_FILE in memories,
        uid=memories.get(PEOPLE_FILE, ''),
    )
    try:
        enter_memory(folder, PEOPLE_FILE, store.uid)
    except MemoryFault:
        store.close()
        raise
    return store


def shared_address(spec: str = '') -> str:
    """The address of a shared store, from the spec or the environment; empty for a store in the data folder."""
    spec = spec or os.environ.get(STORE_VARIABLE) or SQLITE
    return spec if spec.startswith(('postgresql://', 'postgres://')) else ''


def make_store(spec: str, folder: DataFolder) -> PeopleStore:
    """The store of a spec (see STORES), else of the environment's spec, else the folder's own.

    Raises:
        ConfigError: the spec has none of the forms, or the packages for a shared store are not installed.
        MemoryFault: the store cannot be opened.
    """
    spec = spec or os.environ.get(STORE_VARIABLE) or SQLITE
    if spec == SQLITE:
        return open_store(folder)
    if shared_address(spec):
        try:
            from lucca_memory.people.postgres_store import PostgresStore
        except ImportError as error:
            raise ConfigError(f'a store in PostgreSQL needs: pip install "psycopg[binary]" ({error})') from error
        return PostgresStore(spec)
    # Without the spec itself, which may contain a password.
    raise ConfigError(f'{spec.partition(":")[0][:40]!r}… is not a store; the forms are {", ".join(STORES)}')


@contextlib.contextmanager
def open_people(
    folder: DataFolder,
    embedder: Embedder,
    config: PeopleConfig | None = None,
    retrieval: RetrievalConfig | None = None,
    *,
    store: PeopleStore | None = None,
) -> Iterator[PeopleMemory]:
    """The memory of people; at the end the indexes are saved and the store is closed.

    Args:
        folder: of the store (unless another one is given) and the indexes.
        embedder: computes vectors.
        config: settings.
        retrieval: weights of the signals.
        store: another store, such as one that several robots share.

    Raises:
        MemoryFault: the store cannot be opened.
    """
    kept = store or open_store(folder)
    try:
        library = Library(
            source_of_scope(kept), embedder, retrieval, folder=index_folder(folder), uid=kept.uid, robot=ROBOT
        )
        yield PeopleMemory(kept, embedder, library, config)
        try:
            library.save()
        except MemoryFault as error:
            # Indexes are derived: the next start reads missing lines from the store.
            _log.warning('%s', error)
    finally:
        kept.close()
