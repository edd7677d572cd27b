"""A SQLite file as a database: opening, upgrading, reading, writing and scrubbing."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lucca_core.errors import MemoryFault
from lucca_core.regular_file import check_regular
from lucca_memory.store.database import Database, Read, Transaction
from lucca_memory.store.sqlite_check import check_database

IN_MEMORY = Path(':memory:')
"""Path of a database in memory only."""


class SqliteDatabase(Database):
    """See Database. The file is in WAL mode; a single process writes it."""

    def __init__(
        self,
        file: Path,
        steps: Sequence[str],
        *,
        purpose: str,
        write: bool = True,
        expected: bool = False,
        uid: str = '',
    ) -> None:
        """Opens or creates the database, and upgrades it to the newest version.

        Args:
            file: path of the database, or IN_MEMORY.
            steps: SQL from each version of the tables to the next; released ones are never edited.
            purpose: used in error messages, such as `memory of people`.
            write: False to only read.
            expected: the file must exist, as it held memory before.
            uid: required identity; empty for any.

        Raises:
            MemoryFault: it cannot be opened, is missing or damaged, or was written by a newer version.
        """
        self._file = file
        self._write_lock = threading.RLock()
        self._read_lock = self._write_lock if file == IN_MEMORY else threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        if file != IN_MEMORY:
            check_database(file, steps, expected=expected, uid=uid)
        try:
            if write:
                self._writer = self._opened_to_write(steps)
            self._reader = self._writer if file == IN_MEMORY and self._writer else _opened_to_read(file)
            self._reader.execute('SELECT value FROM meta').fetchall()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            if self._writer is not None:
                self._writer.close()
            raise MemoryFault(f'{file} cannot be used as {purpose}: {error}') from error

    def _opened_to_write(self, steps: Sequence[str]) -> sqlite3.Connection:
        """The writing connection, in WAL mode.

        With synchronous=FULL, acknowledged transactions survive a power cut, for one sync each.
        """
        if self._file != IN_MEMORY:
            check_regular(self._file)
            self._file.touch(mode=0o600)
        connection = sqlite3.connect(self._file, isolation_level=None, check_same_thread=False)
        try:
            if self._file != IN_MEMORY:
                self._identity = _identity(self._file)
            connection.execute('PRAGMA journal_mode = WAL')
            connection.execute('PRAGMA synchronous = FULL')
            connection.execute('PRAGMA secure_delete = ON')
            connection.execute('PRAGMA foreign_keys = ON')
            _migrate(connection, str(self._file), steps)
        except (sqlite3.Error, OSError, MemoryFault):
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
            return connection.execute(query, values).fetchall()

    @contextmanager
    def snapshot(self) -> Iterator[Read]:
        """See Database."""
        with self._reading() as connection:
            connection.execute('BEGIN')
            try:
                yield connection.execute
            finally:
                connection.execute('COMMIT')

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._read_lock:
            try:
                yield self._reader
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise MemoryFault(f'{self._file} could not be read: {error}') from error

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """See Database."""
        if self._writer is None:
            raise MemoryFault(f'{self._file} could not be written: it was opened read-only')
        with self._write_lock:
            try:
                if self._identity is not None and _identity(self._file) != self._identity:
                    raise MemoryFault(
                        f'{self._file} was replaced while it was in use; nothing was recorded. '
                        'Restart the program that uses it'
                    )
                self._writer.execute('BEGIN IMMEDIATE')
                yield self._writer
                self._writer.execute('COMMIT')
            except (sqlite3.Error, OSError) as error:
                raise MemoryFault(f'{self._file} could not be written: {error}; nothing was recorded') from error
            finally:
                # If the connection was closed or the file became unusable, the transaction no longer exists.
                with suppress(sqlite3.Error):
                    if self._writer.in_transaction:
                        self._writer.execute('ROLLBACK')

    def scrub(self) -> None:
        """See Database. Rewrites freed pages, then the write-ahead log; only the latter makes readers wait."""
        if self._writer is None:
            raise MemoryFault(f'{self._file} could not be written: it was opened read-only')
        with self._write_lock:
            try:
                self._writer.execute('VACUUM')
                with self._read_lock:
                    busy = self._writer.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone()[0]
            except sqlite3.Error as error:
                raise MemoryFault(
                    f'{self._file}: erased, but its old pages remain until this succeeds: {error}'
                ) from error
        if busy:
            raise MemoryFault(f'{self._file}: erased, but another reader keeps the old pages; erase again')

    def close(self) -> None:
        """See Database."""
        with self._write_lock, self._read_lock:
            self._reader.close()
            if self._writer is not None:
                self._writer.close()


def _identity(file: Path) -> tuple[int, int]:
    status = os.stat(file)
    return status.st_dev, status.st_ino


def _opened_to_read(file: Path) -> sqlite3.Connection:
    check_regular(file)
    return sqlite3.connect(f'{file.absolute().as_uri()}?mode=ro', uri=True, check_same_thread=False)


def _migrate(connection: sqlite3.Connection, file: str, steps: Sequence[str]) -> None:
    """Upgrades a database to the newest version; each step is applied as a whole or not at all."""
    version = int(connection.execute('PRAGMA user_version').fetchone()[0])
    if version > len(steps):
        raise MemoryFault(f'{file} has version {version} of a newer lucca; this one knows {len(steps)}: update lucca')
    for number in range(version, len(steps)):
        # In one transaction with the version number, so that a crash cannot leave half a step.
        connection.executescript(f'BEGIN IMMEDIATE;{steps[number]};PRAGMA user_version = {number + 1};COMMIT;')
