"""The people store on PostgreSQL: connection, SQL dialect and identity. The queries are in `store.py`."""

from lucca_core.errors import MemoryFault
from lucca_memory.people.schema import POSTGRES_MIGRATIONS, TABLES
from lucca_memory.people.store import PeopleStore, SqlDialect
from lucca_memory.store.postgres import Connection, PostgresDatabase

# A hash, since a PostgreSQL index row is too small for very long names.
_DIALECT = SqlDialect(
    name_column='name_hash',
    name_mark='md5(?)',
    lock=' FOR UPDATE',
    vector_table='vector_of_line',
    packed_vectors=False,
)


class PostgresStore(PeopleStore):
    """See PeopleStore. Each robot has an object of its own."""

    def __init__(self, address: str, *, schema: str = 'lucca') -> None:
        """Connects and upgrades the tables to the newest version.

        Args:
            address: `postgresql://…` or `host=… dbname=…`. Put passwords into a password file or `PGPASSWORD`.
            schema: of the tables.

        Raises:
            MemoryFault: the server does not answer or lacks pgvector, or the tables are of a newer version.
        """
        self._address = address
        self._uid = ''
        database = PostgresDatabase(
            address, schema, POSTGRES_MIGRATIONS, name='the shared memory', tables=TABLES, check=self._check_identity
        )
        super().__init__(database, _DIALECT, self._uid)

    @property
    def address(self) -> str:
        """See PeopleStore."""
        return self._address

    def _check_identity(self, connection: Connection) -> None:
        row = connection.execute("SELECT value FROM meta WHERE key = 'uid'").fetchone()
        uid = str(row[0]) if row else ''
        if self._uid and uid != self._uid:
            raise MemoryFault('the shared memory was replaced by another one; restart the worker')
        self._uid = uid
