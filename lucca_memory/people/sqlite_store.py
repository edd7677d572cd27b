"""The store of one robot: SQLite in WAL mode, one file in the data folder, written by the worker alone."""

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lucca_core.errors import MemoryFault
from lucca_memory.embedding.embedder import Vectors
from lucca_memory.people.rows import name_key, person_of, vector_to_bytes, vectors_from_bytes
from lucca_memory.people.schema import MIGRATIONS
from lucca_memory.people.sql_store import NO_LIMIT, Execute, SqlStore
from lucca_memory.people.values import Person
from lucca_memory.store.sqlite import IN_MEMORY, opened_to_read, opened_to_write, scrub, transaction
from lucca_memory.store.sqlite_check import ADVICE, check_database

__all__ = ['IN_MEMORY', 'SqliteStore']


class SqliteStore(SqlStore):
    """See Store. One connection, one lock: SQLite has one writer anyway, and reads take microseconds."""

    vector_table = 'vector'

    def __init__(self, file: Path, *, write: bool = True, expected: bool = False, uid: str = '') -> None:
        """Opens or makes the database, at its newest version.

        Args:
            file: of the database.
            write: or only read.
            expected: it held memory before, so that it has to be there.
            uid: the identity that it should have; empty for any.

        Raises:
            MemoryFault: it cannot be opened, is missing or damaged, or was written by a newer version.
        """
        self._file = file
        self._lock = threading.RLock()
        if file != IN_MEMORY:
            check_database(file, MIGRATIONS, expected=expected, uid=uid)
        try:
            self._connection = self._open(write)
            row = self._connection.execute("SELECT value FROM meta WHERE key = 'uid'").fetchone()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise MemoryFault(f'{file} cannot be used as memory of people: {error}') from error
        if row is None:
            self._connection.close()
            raise MemoryFault(f'{file} is damaged: it has no identity; {ADVICE}')
        self._uid = str(row[0])

    def _open(self, write: bool) -> sqlite3.Connection:
        if write:
            return opened_to_write(self._file, MIGRATIONS)
        connection = opened_to_read(self._file)
        connection.execute('PRAGMA query_only = ON')
        return connection

    def find(self, name: str) -> Person | None:
        """See Store."""
        rows = self._read('SELECT id, name, since FROM person WHERE name_key = ?', (name_key(name),))
        return person_of(rows[0]) if rows else None

    def put_vectors(self, person_id: int, spec: str, vectors: Mapping[int, Vectors]) -> None:
        """See Store."""
        rows = [(spec, vector_to_bytes(vector), person_id, line) for line, vector in vectors.items()]
        with self._writing() as execute:
            for row in rows:
                execute(
                    'INSERT OR REPLACE INTO vector (person, spec, line, data) '
                    'SELECT person, ?, id, ? FROM line WHERE person = ? AND id = ?',
                    row,
                )

    def vectors(self, person_id: int, spec: str, *, after: int = 0, limit: int | None = None) -> Mapping[int, Vectors]:
        """See Store."""
        rows = self._read(
            'SELECT line, data FROM vector WHERE person = ? AND spec = ? AND line > ? ORDER BY line LIMIT ?',
            (person_id, spec, after, NO_LIMIT if limit is None else limit),
        )
        return dict(zip([row[0] for row in rows], vectors_from_bytes([row[1] for row in rows]), strict=True))

    # -- erasing, final, and the database itself ----------------------------------------------------------------

    def erase(self, person_id: int) -> None:
        """See Store."""
        with self._writing() as execute:
            execute('DELETE FROM person WHERE id = ?', (person_id,))
        self._scrub()

    def _scrub(self) -> None:
        with self._lock:
            scrub(self._connection, self._file)

    def copy_to(self, file: Path) -> None:
        """A whole and consistent copy of the database, taken while it is in use.

        Raises:
            MemoryFault: it could not be written.
        """
        try:
            target = sqlite3.connect(file)
            try:
                with self._lock:
                    self._connection.backup(target)
            finally:
                target.close()
        except sqlite3.Error as error:
            raise MemoryFault(f'{self._file} could not be copied to {file}: {error}') from error

    def close(self) -> None:
        """See Store."""
        with self._lock:
            self._connection.close()

    def _add_person(self, execute: Execute, name: str, key: str, since: int) -> int | None:
        if execute('SELECT 1 FROM person WHERE name_key = ?', (key,)).fetchone():
            return None
        cursor = execute('INSERT INTO person (name, name_key, since) VALUES (?, ?, ?)', (name, key, since))
        return int(cursor.lastrowid or 0)

    def _hold(self, execute: Execute, person_id: int) -> None:
        # There is one writer at a time.
        if not execute('SELECT 1 FROM person WHERE id = ?', (person_id,)).fetchone():
            raise MemoryFault(f'there is no person {person_id}')

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._connection.execute(query, values).fetchall()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise MemoryFault(f'{self._file} could not be read: {error}') from error

    @contextmanager
    def _writing(self) -> Iterator[Execute]:
        with self._lock, transaction(self._connection, self._file) as connection:
            yield connection.execute
