"""The network on the disk: SQLite in WAL mode, one file in the data folder, written by the worker alone."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lucca_core.errors import MemoryFault
from lucca_memory.data_folder import INDEX_FOLDER
from lucca_memory.manifest import NETWORK_FILE
from lucca_memory.semantic.store.loading import Read
from lucca_memory.semantic.store.schema import MIGRATIONS
from lucca_memory.semantic.store.sql_store import ARRAYS_FILE, SqlNetworkStore
from lucca_memory.semantic.store.writer import Writer
from lucca_memory.store.sqlite import opened_to_read, opened_to_write, scrub, transaction
from lucca_memory.store.sqlite_check import check_database

__all__ = ['NETWORK_FILE', 'SqliteNetworkStore']


class SqliteNetworkStore(SqlNetworkStore):
    """See NetworkStore. One connection writes, another reads: in WAL mode a question waits for no commit."""

    bytes_of_text = 'length(CAST(text AS BLOB))'

    def __init__(self, file: Path, *, write: bool = True, expected: bool = False) -> None:
        """Opens or makes the database, at its newest version.

        Args:
            file: of the database.
            write: or only read.
            expected: it held memory before, so that it has to be there.

        Raises:
            MemoryFault: it cannot be opened, is missing or damaged, or was written by a newer version.
        """
        super().__init__(file.parent / INDEX_FOLDER / ARRAYS_FILE)
        self._file = file
        self._write_lock, self._read_lock = threading.RLock(), threading.Lock()
        self._writer: sqlite3.Connection | None = None
        check_database(file, MIGRATIONS, expected=expected)
        try:
            if write:
                self._writer = opened_to_write(file, MIGRATIONS)
            self._reader = opened_to_read(file)
            self._reader.execute('SELECT value FROM meta').fetchall()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            if self._writer is not None:
                self._writer.close()
            raise MemoryFault(f'{file} cannot be used as semantic memory: {error}') from error

    @property
    def writable(self) -> bool:
        """See NetworkStore."""
        return self._writer is not None

    def close(self) -> None:
        """See NetworkStore."""
        with self._write_lock, self._read_lock:
            self._reader.close()
            if self._writer is not None:
                self._writer.close()

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._reading() as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def _bulk(self) -> Iterator[Read]:
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
    def _writing(self) -> Iterator[Writer]:
        if self._writer is None:
            raise MemoryFault(f'{self._file} was opened to be read only')
        with self._write_lock, transaction(self._writer, self._file) as connection:
            yield connection

    def _scrub(self) -> None:
        with self._write_lock:
            assert self._writer is not None
            scrub(self._writer, self._file)
