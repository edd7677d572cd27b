"""What every SQLite file of a data folder has in common: how it is opened, written as a whole or not at all, and scrubbed."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_core.regular_file import check_regular

IN_MEMORY = Path(':memory:')
"""A database that ends with the process."""


class _Writer(sqlite3.Connection):
    """A connection that knows which file it writes, so that it is noticed when another one, or none, has its name."""

    identity: tuple[int, int] | None = None


def opened_to_write(file: Path, steps: Sequence[str]) -> sqlite3.Connection:
    """A connection that writes, in WAL mode; the database is made, or brought to its newest version.

    FULL: what is acknowledged survives a power cut, for one sync a transaction.

    Raises:
        MemoryFault: a newer lucca wrote it.
        sqlite3.Error, OSError: it cannot be opened.
    """
    if file != IN_MEMORY:
        check_regular(file)
        file.touch(mode=0o600)
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False, factory=_Writer)
    try:
        if file != IN_MEMORY:
            connection.identity = _identity(file)
        connection.execute('PRAGMA journal_mode = WAL')
        connection.execute('PRAGMA synchronous = FULL')
        connection.execute('PRAGMA secure_delete = ON')
        connection.execute('PRAGMA foreign_keys = ON')
        migrate(connection, str(file), steps)
    except (sqlite3.Error, OSError, MemoryFault):
        connection.close()
        raise
    return connection


def _identity(file: Path) -> tuple[int, int]:
    status = os.stat(file)
    return status.st_dev, status.st_ino


def opened_to_read(file: Path) -> sqlite3.Connection:
    """A connection that only reads, beside whoever writes.

    Raises:
        sqlite3.Error, OSError: it cannot be opened.
    """
    check_regular(file)
    return sqlite3.connect(f'{file.absolute().as_uri()}?mode=ro', uri=True, check_same_thread=False)


def migrate(connection: sqlite3.Connection, file: str, steps: Sequence[str]) -> None:
    """Brings a database to the newest version, that of the last step; each step is whole or not at all.

    Raises:
        MemoryFault: a newer lucca wrote it.
        sqlite3.Error: a step failed; the database is as it was before the step.
    """
    version = int(connection.execute('PRAGMA user_version').fetchone()[0])
    if version > len(steps):
        raise MemoryFault(f'{file} has version {version} of a newer lucca; this one knows {len(steps)}: update lucca')
    for number in range(version, len(steps)):
        # In one transaction with the number, so that a crash can leave no half of a step.
        connection.executescript(f'BEGIN IMMEDIATE;{steps[number]};PRAGMA user_version = {number + 1};COMMIT;')


@contextmanager
def transaction(connection: sqlite3.Connection, file: Path) -> Iterator[sqlite3.Connection]:
    """One transaction: committed and synced at the end, or nothing of it. Whoever calls holds the lock of the connection.

    Raises:
        MemoryFault: it could not be written.
    """
    try:
        _check_identity(connection, file)
        connection.execute('BEGIN IMMEDIATE')
        yield connection
        connection.execute('COMMIT')
    except (sqlite3.Error, OSError) as error:
        raise MemoryFault(f'{file} could not be written: {error}; nothing was recorded') from error
    finally:
        # Closed meanwhile, or its file gone bad, it takes its transaction with it.
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute('ROLLBACK')


def _check_identity(connection: sqlite3.Connection, file: Path) -> None:
    known = connection.identity if isinstance(connection, _Writer) else None
    if known is not None and _identity(file) != known:
        raise MemoryFault(f'{file} was replaced while it was in use; nothing was recorded. Restart whoever uses it')


def scrub(connection: sqlite3.Connection, file: Path) -> None:
    """Writes freed pages and the write-ahead log anew: until then they hold what was deleted.

    Raises:
        MemoryFault: it could not be done, or another reader is in the way; what was deleted is still in the old pages.
    """
    try:
        connection.execute('VACUUM')
        busy = connection.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone()[0]
    except sqlite3.Error as error:
        raise MemoryFault(f'{file}: erased, but its old pages remain until this succeeds: {error}') from error
    if busy:
        raise MemoryFault(f'{file}: erased, but another reader keeps the old pages; erase again')
