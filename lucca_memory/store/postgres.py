"""A PostgreSQL schema as a database: connecting, upgrading, reading, writing and scrubbing."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from typing import Any, LiteralString

import psycopg
from psycopg.sql import SQL, Identifier

from lucca_core.errors import MemoryFault
from lucca_memory.store.database import Database, Read, Transaction

_MIGRATING = 7_245_311
"""Advisory lock held while tables are upgraded."""
_WRITING = 7_245_312
"""First key of the advisory lock of a schema's only writer; the second is a hash of the schema's name."""
_ROWS_AT_ONCE = 20_000

_LINK: dict[str, Any] = {
    'keepalives': 1,
    'keepalives_idle': 10,
    'keepalives_interval': 5,
    'keepalives_count': 3,
    'tcp_user_timeout': 20_000,
}
"""Lets the client notice a dead connection within half a minute instead of the system's default."""

LOCK_FREED_S = 25
"""Seconds until the server releases the locks of a robot that lost power: 10 + 3 * 5, as set below."""

_SERVER_LINK = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'
"""The same for the server, whose default is two hours. Set with SQL, so that the address keeps its own options."""

Connection = psycopg.Connection[Any]


class PostgresDatabase(Database):
    """See Database. A call whose connection breaks fails; the next call reconnects."""

    def __init__(
        self,
        address: str,
        schema: str,
        steps: Sequence[LiteralString],
        *,
        name: str,
        tables: Sequence[str],
        write: bool = True,
        alone: bool = False,
        check: Callable[[Connection], None] | None = None,
    ) -> None:
        """Connects, creates the schema if it is missing, and upgrades the tables to the newest version.

        Args:
            address: `postgresql://…` or `host=… dbname=…`. Put passwords into a password file or `PGPASSWORD`.
            schema: of the tables.
            steps: SQL from each version of the tables to the next; released ones are never edited.
            name: used in error messages, such as `the shared memory`.
            tables: with personal data, which `scrub` rewrites.
            write: False to only read.
            alone: take the lock of the schema's only writer.
            check: called with every new connection; may refuse it (MemoryFault).

        Raises:
            MemoryFault: the server does not answer, the lock is taken, a step failed, or the tables are newer.
        """
        self._address, self._schema, self._steps = address, schema, steps
        self._name, self._tables, self._alone, self._check = name, tables, alone, check
        self._write_lock, self._read_lock = threading.RLock(), threading.RLock()
        self._writer = self._connected(alone) if write else None
        try:
            self._reader = self._connected()
        except MemoryFault:
            if self._writer is not None:
                self._writer.close()
            raise

    def _connected(self, alone: bool = False) -> Connection:
        connection = _connected(self._address, self._schema, self._steps)
        try:
            if self._check is not None:
                self._check(connection)
            lock = 'SELECT pg_try_advisory_lock(%s, hashtext(%s))'
            free = not alone or connection.execute(lock, (_WRITING, self._schema)).fetchone() == (True,)
            if not free:
                raise MemoryFault(
                    f'{self._name} is in use by another worker, which may have a copy of this folder; '
                    f'after a power cut, wait {LOCK_FREED_S} s and try again'
                )
        except psycopg.Error as error:
            connection.close()
            raise MemoryFault(f'{self._name} cannot be used: {error}') from error
        except MemoryFault:
            connection.close()
            raise
        return connection

    @property
    def writable(self) -> bool:
        """See Database."""
        return self._writer is not None

    def read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """See Database."""
        with self._reading() as connection:
            return connection.execute(_marked(query), values).fetchall()

    @contextmanager
    def snapshot(self) -> Iterator[Read]:
        """See Database."""
        with self._reading() as connection, connection.transaction():
            connection.execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
            numbers = count()

            def read(query: str, values: Sequence[Any] = (), /) -> Iterable[Any]:
                # A server-side cursor, so that a million rows are not in memory at once.
                with connection.cursor(name=f'bulk_{next(numbers)}') as cursor:
                    cursor.itersize = _ROWS_AT_ONCE
                    cursor.execute(_marked(query), values)
                    yield from cursor

            yield read

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._read_lock:
            try:
                # `broken` means lost, not closed by us; psycopg notices it after a failed call.
                if self._reader.broken:
                    self._reader = self._connected()
                yield self._reader
            except psycopg.Error as error:
                raise MemoryFault(f'{self._name} could not be read: {error}') from error

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """See Database."""
        if self._writer is None:
            raise MemoryFault(f'{self._name} could not be written: it was opened read-only')
        with self._write_lock:
            try:
                if self._writer.broken:
                    self._writer = self._connected(self._alone)
                with self._writer.transaction(), self._writer.cursor() as cursor:
                    yield _MarkedCursor(cursor)
            except psycopg.Error as error:
                raise MemoryFault(f'{self._name} could not be written: {error}; nothing was recorded') from error

    def scrub(self) -> None:
        """See Database. Covers rows and statistics; logs and archives are up to the server's administrator."""
        if self._writer is None:
            raise MemoryFault(f'{self._name} could not be written: it was opened read-only')
        with self._write_lock:
            try:
                _scrub(self._writer, self._tables)
            except psycopg.Error as error:
                raise MemoryFault(f'erased, but old rows remain until this succeeds: {error}') from error

    def close(self) -> None:
        """See Database."""
        with self._write_lock, self._read_lock:
            self._reader.close()
            if self._writer is not None:
                # The server ends a session some time after the connection closes; the next writer need not wait for it.
                if self._alone:
                    with suppress(psycopg.Error):
                        self._writer.execute('SELECT pg_advisory_unlock_all()')
                self._writer.close()


def schemas_of(address: str, prefix: str) -> list[str]:
    """The names of a server's schemas with a prefix.

    Raises:
        MemoryFault: the server does not answer.
    """
    query = 'SELECT nspname FROM pg_namespace WHERE starts_with(nspname::text, %s)'
    try:
        with psycopg.connect(address, autocommit=True) as connection:
            return [name for [name] in connection.execute(query, (prefix,)).fetchall()]
    except psycopg.Error as error:
        raise MemoryFault(f'the schemas {prefix}… of the shared memory cannot be read: {error}') from error


class _MarkedCursor:
    """A cursor with `?` as the placeholder."""

    def __init__(self, cursor: psycopg.Cursor[Any]) -> None:
        self._cursor = cursor

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        return self._cursor.execute(_marked(query), values)

    def executemany(self, query: str, values: Iterable[Sequence[Any]], /) -> Any:
        rows = list(values)
        if rows:
            self._cursor.executemany(_marked(query), rows)
        return self._cursor


@lru_cache(maxsize=1024)
def _marked(query: str) -> LiteralString:
    """A statement with psycopg's placeholders; ours contain no other question marks."""
    return query.replace('?', '%s')


def _connected(address: str, schema: str, steps: Sequence[LiteralString]) -> Connection:
    """A connection to a schema whose tables are of the newest version."""
    try:
        connection: Connection = psycopg.connect(address, autocommit=True, connect_timeout=10, **_LINK)
    except psycopg.Error as error:
        raise MemoryFault(f'the shared memory cannot be used: {error}') from error
    try:
        connection.execute(_SERVER_LINK)
        _migrate(connection, schema, steps)
    except (psycopg.Error, MemoryFault) as error:
        connection.close()
        raise MemoryFault(f'the shared memory cannot be used: {error}') from error
    return connection


def _migrate(connection: Connection, schema: str, steps: Sequence[LiteralString]) -> None:
    with connection.transaction():
        connection.execute('SELECT pg_advisory_xact_lock(%s)', (_MIGRATING,))
        connection.execute(SQL('CREATE SCHEMA IF NOT EXISTS {}').format(Identifier(schema)))
        connection.execute(SQL('SET search_path TO {}, public').format(Identifier(schema)))
        connection.execute('CREATE TABLE IF NOT EXISTS version (number int NOT NULL)')
        row = connection.execute('SELECT max(number) FROM version').fetchone()
        version = (row[0] if row else 0) or 0
        if version > len(steps):
            raise MemoryFault(f'the shared memory has version {version} of a newer lucca: update lucca')
        for number in range(version, len(steps)):
            connection.execute(steps[number])
            connection.execute('INSERT INTO version VALUES (%s)', (number + 1,))


def _scrub(connection: Connection, tables: Sequence[str]) -> None:
    """Rewrites tables without dead rows, and their statistics in the server, which contain values of rows."""
    for table in tables:
        name = Identifier(table)
        connection.execute(SQL('VACUUM (FULL, ANALYZE) {}').format(name))
        if connection.execute(SQL('SELECT 1 FROM {} LIMIT 1').format(name)).fetchone():
            continue
        # ANALYZE keeps the statistics of an empty table; setting a column's type again removes them.
        columns = connection.execute(
            'SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped '
            "AND atttypid = 'text'::regtype",
            (table,),
        ).fetchall()
        for [column] in columns:
            connection.execute(SQL('ALTER TABLE {} ALTER COLUMN {} TYPE text').format(name, Identifier(column)))
