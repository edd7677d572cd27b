"""Dataclasses as database rows: a column for each field, converted by the type of the field."""

import functools
import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Generic, TypeVar, get_type_hints

from lucca_core.errors import MemoryFault
from lucca_core.json_text import parse_json
from lucca_memory.retrieval.times import from_microseconds, microseconds
from lucca_memory.store.sqlite_check import ADVICE

_UNSTORABLE = re.compile('[\0\ud800-\udfff]')

T = TypeVar('T')


def storable(text: str) -> str:
    """Text without NUL and lone surrogates, which PostgreSQL and UTF-8 cannot store."""
    return _UNSTORABLE.sub('�', text)


def _texts(text: str) -> tuple[str, ...]:
    return tuple(parse_json(text)) if text else ()


def _same(value: Any) -> Any:
    return value


_STORED: dict[Any, tuple[Callable[[Any], Any], Callable[[Any], Any] | None]] = {
    str: (storable, None),
    bool: (int, bool),
    datetime: (microseconds, from_microseconds),
    tuple[str, ...]: (json.dumps, _texts),
}
"""For each type of a field: how it is stored, and how it is read if the stored value is of another type."""


class RowsOf(Generic[T]):
    """The columns of one dataclass, in the order of its fields.

    Texts are stored without characters that no database can hold, times in microseconds since 1970, booleans as 0 and
    1, and tuples of texts as JSON.
    """

    def __init__(
        self,
        kind: Callable[..., T],
        *,
        without: Collection[str] = (),
        lists: tuple[Callable[[Any], str], Callable[[str], Any]] | None = None,
        **columns: str,
    ) -> None:
        """
        Args:
            kind: the dataclass.
            without: fields that are not stored here.
            lists: stores and reads tuples of texts, if not as JSON.
            columns: names of columns that differ from those of their fields.
        """
        hints = get_type_hints(kind)
        self._kind = kind
        self._fields = [item.name for item in fields(kind) if item.name not in without]  # type: ignore[arg-type]
        self._columns = [columns.get(name, name) for name in self._fields]
        known = _STORED if lists is None else {**_STORED, tuple[str, ...]: lists}
        self._conversions = {name: known.get(hints[name], (_same, None)) for name in self._fields}
        self._read = [(name, read) for name, (_, read) in self._conversions.items() if read is not None]

    @functools.cached_property
    def names(self) -> str:
        """The names of the columns, for an SQL statement."""
        return ', '.join(self._columns)

    @functools.cached_property
    def marks(self) -> str:
        """A `?` for each column."""
        return ', '.join('?' * len(self._columns))

    def values(self, item: T) -> tuple[Any, ...]:
        """The values to store for an item."""
        return tuple(store(getattr(item, name)) for name, (store, _) in self._conversions.items())

    def read(self, row: Sequence[Any]) -> T:
        """The item of a row.

        Raises:
            MemoryFault: a value of the row does not fit its field.
        """
        values = dict(zip(self._fields, row, strict=True))
        try:
            for name, read in self._read:
                values[name] = read(values[name])
            return self._kind(**values)
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
            raise MemoryFault(f'a row of memory is damaged ({error}); {ADVICE}') from error
