"""The memory of people in a data folder, put together: store, retriever and embedder, as every program uses them."""

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.ports import Embedder
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.memory import PeopleMemory, source_of_scope
from lucca_memory.people.ports import ROBOT, Store
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.library import Library

PEOPLE_FILE = 'people.sqlite'
INDEX_FOLDER = 'index'
"""In the data folder: one file a scope, derived, so that it may be deleted at any time."""

_log = logging.getLogger(__name__)


def index_folder(folder: DataFolder) -> Path | None:
    """Where indexes are kept; None where the folder is only read.

    Raises:
        MemoryFault: it cannot be made.
    """
    if not folder.writable:
        return None
    path = folder.path / INDEX_FOLDER
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise MemoryFault(f'{path} cannot be made: {error}') from error
    return path


def open_store(folder: DataFolder) -> SqliteStore:
    """The store of a data folder; read only where the folder was opened to be read.

    Raises:
        MemoryFault: it cannot be opened, or is not there to be read.
    """
    return SqliteStore(folder.path / PEOPLE_FILE, write=folder.writable)


@contextlib.contextmanager
def open_people(
    folder: DataFolder,
    embedder: Embedder,
    config: PeopleConfig | None = None,
    retrieval: RetrievalConfig | None = None,
    *,
    store: Store | None = None,
) -> Iterator[PeopleMemory]:
    """The memory of people; at the end indexes are written and the store is closed.

    Args:
        folder: where the store (unless another one is given) and the indexes are.
        embedder: finds meanings.
        config: how much is kept word for word.
        retrieval: how signals are weighed.
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
            # Derived: the next start reads from the store what this file lacks.
            _log.warning('%s', error)
    finally:
        kept.close()
