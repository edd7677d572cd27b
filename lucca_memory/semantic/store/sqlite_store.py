"""The network of one robot: a SQLite file in the data folder, written by the worker alone."""

from pathlib import Path

from lucca_memory.data_folder import INDEX_FOLDER
from lucca_memory.manifest import NETWORK_FILE
from lucca_memory.semantic.store.schema import MIGRATIONS
from lucca_memory.semantic.store.sql_store import ARRAYS_FILE, SqlNetworkStore
from lucca_memory.store.sqlite import SqliteDatabase

__all__ = ['NETWORK_FILE', 'SqliteNetworkStore']


class SqliteNetworkStore(SqlNetworkStore):
    """See NetworkStore."""

    def __init__(self, file: Path, *, write: bool = True, expected: bool = False) -> None:
        """See SqliteDatabase.

        Raises:
            MemoryFault: it cannot be opened, is missing or damaged, or was written by a newer version.
        """
        database = SqliteDatabase(file, MIGRATIONS, purpose='semantic memory', write=write, expected=expected)
        super().__init__(database, file.parent / INDEX_FOLDER / ARRAYS_FILE)
