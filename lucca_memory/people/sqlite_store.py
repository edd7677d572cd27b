"""People in a SQLite file of the data folder, for a single robot."""

from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_memory.people.schema import MIGRATIONS
from lucca_memory.people.store import PeopleStore, SqlDialect
from lucca_memory.store.sqlite import IN_MEMORY, SqliteDatabase
from lucca_memory.store.sqlite_check import ADVICE

__all__ = ['IN_MEMORY', 'SqliteStore']

# There is only one writer, so rows need no lock.
_DIALECT = SqlDialect(name_column='name_key', name_mark='?', lock='', vector_table='vector', packed_vectors=True)


class SqliteStore(PeopleStore):
    """See PeopleStore."""

    def __init__(self, file: Path, *, write: bool = True, expected: bool = False, uid: str = '') -> None:
        """See SqliteDatabase.

        Raises:
            MemoryFault: it cannot be opened, is missing or damaged, or was written by a newer version.
        """
        database = SqliteDatabase(file, MIGRATIONS, purpose='memory of people', write=write, expected=expected, uid=uid)
        rows = database.read("SELECT value FROM meta WHERE key = 'uid'")
        if not rows:
            database.close()
            raise MemoryFault(f'{file} is damaged: it has no identity; {ADVICE}')
        super().__init__(database, _DIALECT, str(rows[0][0]))
