"""One interface to a database, whether it is a SQLite file or a schema of a PostgreSQL server.

Statements mark each value with `?` and use only SQL that both databases know. What differs (connections, versions of
the tables, errors, locks, overwriting deleted rows) is in sqlite.py and postgres.py.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

NO_LIMIT = 2**62
"""As `LIMIT`: all rows."""

_AT_ONCE = 500
"""Values in one `IN (…)`; databases bound them."""


class Read(Protocol):
    """Yields the rows of a query as they come."""

    def __call__(self, query: str, values: Sequence[Any] = (), /) -> Iterable[Any]:
        """The rows."""
        ...


class Transaction(Protocol):
    """A transaction that is under way."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        """Runs a statement; returns a cursor, valid until the next statement."""
        ...

    def executemany(self, query: str, values: Iterable[Sequence[Any]], /) -> Any:
        """Runs a statement for each row of values."""
        ...


class Database(ABC):
    """Reads on one connection and writes on another, so that a question waits for no commit.

    Safe to use from several threads.

    Every method raises MemoryFault where the database cannot be read or written; a failed transaction changes nothing.
    """

    @property
    @abstractmethod
    def writable(self) -> bool:
        """False if it was opened to read only."""

    @abstractmethod
    def read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Read]:
        """Reads any number of rows as they come, all of one state of the database."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Transaction]:
        """One transaction: complete and on disk at the end, or without effect."""

    @abstractmethod
    def scrub(self) -> None:
        """Overwrites what may still hold deleted rows.

        Raises:
            MemoryFault: it could not be done; call it again.
        """

    @abstractmethod
    def close(self) -> None:
        """Closes the connections; closing twice is harmless."""

    def read_in_parts(self, query: str, keys: Sequence[Any], *before: Any) -> list[Any]:
        """All rows of a query that ends with `IN (%s)`, for any number of keys; `before` are earlier values."""
        found = []
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            found += self.read(query % ', '.join('?' * len(part)), (*before, *part))
        return found
