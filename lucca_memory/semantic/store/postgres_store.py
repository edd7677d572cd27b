"""The network on a PostgreSQL server, beside the people that robots share: a schema of tables for each robot.

Each robot has a network of its own, since entries of task logs are numbered by each robot alone. One worker at a time has a
network: an advisory lock keeps a second one out, such as one with a copy of the data folder.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from lucca_core.errors import MemoryFault
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.semantic.store.loading import Read
from lucca_memory.semantic.store.sql_store import SqlNetworkStore
from lucca_memory.semantic.store.writer import Writer
from lucca_memory.store.postgres import LOCK_FREED_S, connected, marked, scrub

PREFIX = 'lucca_network_'
"""What the names of all schemas with networks begin with."""

_MIGRATIONS = (
    """
    CREATE TABLE meta (key text PRIMARY KEY, value bigint NOT NULL);
    INSERT INTO meta VALUES ('next_id', 1), ('heard', 0), ('introduced_bytes', 0), ('stamp', 0);
    CREATE TABLE node (
        id bigint PRIMARY KEY,
        kind int NOT NULL,
        owner text NOT NULL,
        speaker text NOT NULL,
        key bigint NOT NULL,
        born bigint NOT NULL,
        last bigint NOT NULL,
        valid_to bigint NOT NULL,
        told int NOT NULL,
        used double precision NOT NULL,
        pinned int NOT NULL,
        away int NOT NULL DEFAULT 0,
        sources text NOT NULL,
        text text NOT NULL,
        said bigint NOT NULL DEFAULT 0
    );
    CREATE INDEX node_of_owner ON node (md5(owner)) WHERE owner != '';
    CREATE TABLE vector (node bigint PRIMARY KEY, spec text NOT NULL, scale double precision NOT NULL, data bytea NOT NULL);
    CREATE TABLE edge (
        a bigint NOT NULL,
        kind int NOT NULL,
        b bigint NOT NULL,
        weight double precision NOT NULL,
        PRIMARY KEY (a, kind, b)
    );
    CREATE INDEX edge_to ON edge (b) WHERE kind != 0;
    CREATE TABLE forgotten (
        node bigint PRIMARY KEY,
        time bigint NOT NULL,
        fate text NOT NULL,
        reason text NOT NULL,
        importance double precision NOT NULL,
        becomes bigint
    );
    CREATE INDEX forgotten_at ON forgotten (time);
    CREATE TABLE heard (source text PRIMARY KEY);
    CREATE TABLE noted (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        source text NOT NULL UNIQUE,
        owner text NOT NULL,
        speaker text NOT NULL,
        time bigint NOT NULL,
        pinned int NOT NULL,
        text text NOT NULL
    );
    CREATE TABLE told_by (source text NOT NULL, node bigint NOT NULL, PRIMARY KEY (source, node));
    CREATE INDEX told_by_node ON told_by (node);
    CREATE TABLE mark (name text PRIMARY KEY, at bigint NOT NULL, epoch bigint NOT NULL);
    """,
)
_TABLES = ('node', 'vector', 'edge', 'forgotten', 'heard', 'noted', 'told_by', 'mark')
_WRITING = 7_245_312
"""First number of the advisory lock that the one worker of a network holds; the second is of the schema's name."""
_AT_ONCE = 20_000


class PostgresNetworkStore(SqlNetworkStore):
    """See NetworkStore. One connection writes, another reads, so that a question waits for no commit.

    A connection that broke is made anew at the next call; the call during which it broke has failed, as it says.
    """

    bytes_of_text = 'octet_length(text)'

    def __init__(self, address: str, schema: str, arrays: Path, *, write: bool = True, alone: bool = True) -> None:
        """Connects and brings the tables to the newest version.

        Args:
            address: `postgresql://…` or `host=… dbname=…`.
            schema: in which the tables are; made if need be.
            arrays: the file in which arrays are kept.
            write: False to read only, beside whoever writes.
            alone: take the lock of the one worker that has the network; False only to erase.

        Raises:
            MemoryFault: the server does not answer, another worker has this network, or the tables are of a newer version.
        """
        super().__init__(arrays)
        self._address, self._schema, self._alone = address, schema, alone
        self._write_lock, self._read_lock = threading.RLock(), threading.RLock()
        self._writer = self._connected_to_write() if write else None
        try:
            self._reader = connected(address, schema, _MIGRATIONS)
        except MemoryFault:
            if self._writer is not None:
                self._writer.close()
            raise

    @property
    def writable(self) -> bool:
        """See NetworkStore."""
        return self._writer is not None

    def close(self) -> None:
        """See NetworkStore."""
        with self._write_lock, self._read_lock:
            self._reader.close()
            if self._writer is not None:
                # The server ends a session some moments after its link is closed; whoever opens the network next does not wait for that.
                with suppress(psycopg.Error):
                    self._writer.execute('SELECT pg_advisory_unlock_all()')
                self._writer.close()

    def _connected_to_write(self) -> psycopg.Connection[Any]:
        connection = connected(self._address, self._schema, _MIGRATIONS)
        try:
            free = not self._alone or connection.execute(
                'SELECT pg_try_advisory_lock(%s, hashtext(%s))', (_WRITING, self._schema)
            ).fetchone() == (True,)
        except psycopg.Error as error:
            connection.close()
            raise MemoryFault(f'the network {self._schema} cannot be used: {error}') from error
        if not free:
            connection.close()
            raise MemoryFault(
                f'the network {self._schema} is in use by another worker, which may have a copy of this folder; '
                f'after a power cut, wait {LOCK_FREED_S} s and try again'
            )
        return connection

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._reading() as connection:
            return connection.execute(marked(query), values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[psycopg.Connection[Any]]:
        with self._read_lock:
            try:
                if self._reader.broken:
                    self._reader = connected(self._address, self._schema, _MIGRATIONS)
                yield self._reader
            except psycopg.Error as error:
                raise MemoryFault(f'the network {self._schema} could not be read: {error}') from error

    @contextmanager
    def _bulk(self) -> Iterator[Read]:
        with self._reading() as connection, connection.transaction():
            connection.execute('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
            numbers = count()

            def read(query: str, values: Sequence[Any] = (), /) -> Iterable[Any]:
                # A cursor on the server: a million rows are not in memory at once.
                with connection.cursor(name=f'bulk_{next(numbers)}') as cursor:
                    cursor.itersize = _AT_ONCE
                    cursor.execute(marked(query), values)
                    yield from cursor

            yield read

    @contextmanager
    def _writing(self) -> Iterator[Writer]:
        if self._writer is None:
            raise MemoryFault(f'the network {self._schema} was opened to be read only')
        with self._write_lock:
            try:
                if self._writer.broken:
                    self._writer = self._connected_to_write()
                with self._writer.transaction(), self._writer.cursor() as cursor:
                    yield _Marked(cursor)
            except psycopg.Error as error:
                raise MemoryFault(
                    f'the network {self._schema} could not be written: {error}; nothing was recorded'
                ) from error

    def _scrub(self) -> None:
        with self._write_lock:
            assert self._writer is not None
            try:
                scrub(self._writer, _TABLES)
            except psycopg.Error as error:
                raise MemoryFault(f'erased, but old rows remain until this succeeds: {error}') from error


class _Marked:
    """A cursor that takes `?` for each value."""

    def __init__(self, cursor: psycopg.Cursor[Any]) -> None:
        self._cursor = cursor

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        return self._cursor.execute(marked(query), values)

    def executemany(self, query: str, values: Iterable[Sequence[Any]], /) -> Any:
        rows = list(values)
        if rows:
            self._cursor.executemany(marked(query), rows)
        return self._cursor


def erase_from_networks(address: str, arrays: Path, owner: str, eraser: NameEraser) -> int:
    """Removes an owner from the networks of every robot on a server; returns how many nodes.

    Args:
        address: of the server.
        arrays: the file of arrays of the robot that this is done on; the others' are not used any more.
        owner: see graph/owners.py.
        eraser: takes the name out of what belongs to everybody.

    Raises:
        MemoryFault: it could not be done; erase again.
    """
    try:
        with psycopg.connect(address, autocommit=True) as connection:
            names = connection.execute(
                'SELECT nspname FROM pg_namespace WHERE starts_with(nspname::text, %s)', (PREFIX,)
            ).fetchall()
    except psycopg.Error as error:
        raise MemoryFault(f'the networks of the shared memory cannot be read: {error}') from error
    erased = 0
    for [name] in names:
        store = PostgresNetworkStore(address, name, arrays, alone=False)
        try:
            erased += store.erase(owner, eraser)
        finally:
            store.close()
    return erased
