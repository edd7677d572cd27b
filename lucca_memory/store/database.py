"""The database interface shared by SQLite files and PostgreSQL schemas.

Statements mark each value with `?` and use only SQL that both databases support. What differs (connections, table
versions, errors, locks, overwriting deleted rows) is in sqlite.py and postgres.py.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

NO_LIMIT = 2**62
"""Value for `LIMIT` that returns all rows."""

_AT_ONCE = 500
"""Maximum number of values in one `IN (…)`, which databases limit."""


class Read(Protocol):
    """Yields the rows of a query as they come."""

    def __call__(self, query: str, values: Sequence[Any] = (), /) -> Iterable[Any]:
        """The rows."""
        ...


class Transaction(Protocol):
    """A transaction in progress."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        """Runs a statement; returns a cursor, valid until the next statement."""
        ...

    def executemany(self, query: str, values: Iterable[Sequence[Any]], /) -> Any:
        """Runs a statement for each row of values."""
        ...


class Database(ABC):
    """A database with one connection for reading and one for writing, so that questions do not wait for commits.

    Thread-safe. Every method raises MemoryFault if the database cannot be read or written; a failed transaction changes
    nothing.
    """

    @property
    @abstractmethod
    def writable(self) -> bool:
        """False if it was opened read-only."""

    @abstractmethod
    def read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query result."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Read]:
        """Runs any number of queries on one state of the database, streaming their rows."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Transaction]:
        """A transaction: complete and on the disk at the end, or without effect."""

    @abstractmethod
    def scrub(self) -> None:
        """Overwrites freed space that may still contain deleted rows.

        Raises:
            MemoryFault: it failed; call it again.
        """

    @abstractmethod
    def close(self) -> None:
        """Closes the connections; closing twice is harmless."""

    def read_in_parts(self, query: str, keys: Sequence[Any], *before: Any) -> list[Any]:
        """All rows of a query that ends with `IN (%s)`, for any number of keys; `before` are the preceding values."""
        found = []
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            found += self.read(query % ', '.join('?' * len(part)), (*before, *part))
        return found
