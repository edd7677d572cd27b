"""The network in a SQLite file of the data folder, for a single robot."""

from pathlib import Path

from lucca_memory.data_folder import INDEX_FOLDER
from lucca_memory.manifest import NETWORK_FILE
from lucca_memory.semantic.store.network_store import ARRAYS_FILE, NetworkStore
from lucca_memory.semantic.store.schema import MIGRATIONS
from lucca_memory.store.sqlite import IN_MEMORY, SqliteDatabase

__all__ = ['NETWORK_FILE', 'SqliteNetworkStore']


class SqliteNetworkStore(NetworkStore):
    """See NetworkStore."""

    def __init__(self, file: Path, *, write: bool = True, expected: bool = False) -> None:
        """See SqliteDatabase.

        Raises:
            MemoryFault: it cannot be opened, is missing or damaged, or was written by a newer version.
        """
        database = SqliteDatabase(file, MIGRATIONS, purpose='semantic memory', write=write, expected=expected)
        super().__init__(database, None if file == IN_MEMORY else file.parent / INDEX_FOLDER / ARRAYS_FILE)
