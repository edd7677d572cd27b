"""Opening the semantic memory of a data folder."""

import contextlib
import logging
import os
import secrets
from collections.abc import Iterator

from lucca_core.errors import ConfigError, MemoryFault
from lucca_core.regular_file import read_regular
from lucca_memory.data_folder import INDEX_FOLDER, DataFolder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.manifest import NETWORK_FILE, enter_memory, leave_out, memories_of
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.store.array_file import forget_arrays
from lucca_memory.semantic.store.network_store import ARRAYS_FILE, NetworkStore
from lucca_memory.semantic.store.sqlite_store import SqliteNetworkStore

__all__ = ['ID_FILE', 'NETWORK_FILE', 'open_semantic', 'open_store']

ID_FILE = 'network.id'
"""File in a data folder whose network is on a server: the identity of that network."""

_log = logging.getLogger(__name__)


def open_store(folder: DataFolder, address: str = '') -> NetworkStore:
    """The store of a data folder; read-only if the folder was opened for reading.

    If the network is on a server, a local network file from before is deleted when the folder is opened for writing.

    Args:
        folder: of the network.
        address: of the server with the people and the network; empty for the folder's own file.

    Raises:
        ConfigError: the packages for a network on a server are not installed.
        MemoryFault: it cannot be opened, is in use, or is missing when reading.
    """
    if not address:
        expected = NETWORK_FILE in memories_of(folder.path)
        kept = SqliteNetworkStore(folder.path / NETWORK_FILE, write=folder.writable, expected=expected)
        try:
            enter_memory(folder, NETWORK_FILE)
        except MemoryFault:
            kept.close()
            raise
        return kept
    try:
        from lucca_memory.semantic.store.postgres_store import PREFIX, PostgresNetworkStore
    except ImportError as error:
        raise ConfigError(f'a network in PostgreSQL needs: pip install "psycopg[binary]" ({error})') from error
    arrays = folder.path / INDEX_FOLDER / ARRAYS_FILE
    store = PostgresNetworkStore(address, f'{PREFIX}{_id_of(folder)}', arrays, write=folder.writable)
    try:
        if folder.writable:
            _remove_left_over(folder)
    except MemoryFault:
        store.close()
        raise
    return store


def _remove_left_over(folder: DataFolder) -> None:
    """Deletes the local network from before it moved to a server, since erasing on another robot cannot reach it."""
    file = folder.path / NETWORK_FILE
    leave_out(folder, NETWORK_FILE)
    try:
        if file.exists():
            forget_arrays(folder.path / INDEX_FOLDER / ARRAYS_FILE)
            _log.warning('the network of this robot is on a server: %s, used before, is deleted', file)
        # The main file last, so that a crash leaves something to be found and deleted.
        for name in (f'{NETWORK_FILE}-wal', f'{NETWORK_FILE}-shm', f'{NETWORK_FILE}-journal', NETWORK_FILE):
            (folder.path / name).unlink(missing_ok=True)
    except OSError as error:
        raise MemoryFault(f'{file} could not be removed: {error}; it names people whom erasing cannot reach') from error


def _id_of(folder: DataFolder) -> str:
    file = folder.path / ID_FILE
    try:
        if not os.path.lexists(file):
            if not folder.writable:
                raise MemoryFault(f'{folder.path} has no network on a server yet')
            folder.write_atomically(ID_FILE, secrets.token_hex(8) + '\n')
        name = read_regular(file).decode('ascii').strip()
    except (OSError, ValueError) as error:
        raise MemoryFault(f'{file} cannot be read: {error}') from error
    if not name.isalnum():
        raise MemoryFault(f'{file} names no network')
    return name


@contextlib.contextmanager
def open_semantic(
    folder: DataFolder,
    embedder: Embedder,
    *,
    address: str = '',
    settings: SemanticConfig | None = None,
) -> Iterator[ConceptMemory]:
    """The semantic memory; at the end pending counts are stored and the store is closed.

    Args:
        folder: of the network.
        embedder: computes vectors.
        address: see `open_store`.
        settings: of finding and superseding.

    Raises:
        MemoryFault: the store cannot be opened.
    """
    store = open_store(folder, address)
    try:
        memory = ConceptMemory(embedder, store=store, settings=settings)
    except BaseException:
        store.close()
        raise
    try:
        yield memory
    finally:
        memory.close()
