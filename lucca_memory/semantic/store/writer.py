"""What a transaction of either database can do."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class Writer(Protocol):
    """A transaction that is under way: `?` for each value."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        """Runs a statement; returns a cursor."""
        ...

    def executemany(self, query: str, values: Iterable[Sequence[Any]], /) -> Any:
        """Runs a statement for each row of values."""
        ...
