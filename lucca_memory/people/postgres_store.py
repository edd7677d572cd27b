"""The people that several robots share: a schema of a PostgreSQL server with pgvector, any number of writers."""

from lucca_core.errors import MemoryFault
from lucca_memory.people.schema import POSTGRES_MIGRATIONS, TABLES
from lucca_memory.people.store import PeopleStore, SqlDialect
from lucca_memory.store.postgres import Connection, PostgresDatabase

# A hash, as an index row of PostgreSQL holds no name of 10,000 characters.
_DIALECT = SqlDialect(
    name_column='name_hash',
    name_mark='md5(?)',
    lock=' FOR UPDATE',
    vector_table='vector_of_line',
    packed_vectors=False,
)


class PostgresStore(PeopleStore):
    """See Store. Each robot has an object of its own."""

    def __init__(self, address: str, *, schema: str = 'lucca') -> None:
        """Connects and brings the tables to the newest version.

        Args:
            address: `postgresql://…` or `host=… dbname=…`. Keep passwords in a password file or `PGPASSWORD`.
            schema: in which the tables are.

        Raises:
            MemoryFault: the server does not answer, lacks pgvector, or the tables are of a newer version.
        """
        self._address = address
        self._uid = ''
        database = PostgresDatabase(
            address, schema, POSTGRES_MIGRATIONS, name='the shared memory', tables=TABLES, check=self._check_identity
        )
        super().__init__(database, _DIALECT, self._uid)

    @property
    def address(self) -> str:
        """See Store."""
        return self._address

    def _check_identity(self, connection: Connection) -> None:
        row = connection.execute("SELECT value FROM meta WHERE key = 'uid'").fetchone()
        uid = str(row[0]) if row else ''
        if self._uid and uid != self._uid:
            raise MemoryFault('the shared memory is another one than before; start the worker anew')
        self._uid = uid
