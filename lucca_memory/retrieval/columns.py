"""Growing numpy arrays, tables of them, and a file format for arrays that is memory-mapped."""

import json
import mmap
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lucca_core.errors import MemoryFault
from lucca_core.json_text import parse_json
from lucca_core.regular_file import reading, replacing

_MAGIC = b'lucca index 2\n\0\0'
UNCHECKED = frozenset({'vectors'})
_ALIGNMENT = 64

Arrays = Mapping[str, NDArray[Any]]


class Column:
    """A growing array of rows with amortised constant time per append."""

    def __init__(self, dtype: np.typing.DTypeLike, width: int | None = None) -> None:
        """Without a width, each row is a single number."""
        self._rows = np.empty(16 if width is None else (16, width), dtype)
        self._count = 0

    def extend(self, rows: NDArray[Any]) -> None:
        """Appends rows."""
        count = self._count + len(rows)
        if count > len(self._rows):
            grown = np.empty((max(count, 2 * len(self._rows)), *self._rows.shape[1:]), self._rows.dtype)
            grown[: self._count] = self._rows[: self._count]
            self._rows = grown
        self._rows[self._count : count] = rows
        self._count = count

    @property
    def rows(self) -> NDArray[Any]:
        """A view of the rows, which may be stale after the next `extend`."""
        return self._rows[: self._count]

    def __len__(self) -> int:
        return self._count

    def frozen(self) -> 'Column':
        """A view that keeps its length while the column grows."""
        view = Column.__new__(Column)
        view._rows, view._count = self._rows, self._count
        return view


class Table:
    """Named columns that grow together."""

    def __init__(self, columns: Mapping[str, Any], **widths: int) -> None:
        """`columns`: the type of each; `widths`: of those whose rows are vectors."""
        self._columns = {name: Column(dtype, widths.get(name)) for name, dtype in columns.items()}

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A view of a column, which may be stale after the next `extend`."""
        return self._columns[name].rows

    def extend(self, columns: Mapping[str, ArrayLike]) -> None:
        """Appends rows, given by column; other columns are ignored."""
        for name, column in self._columns.items():
            column.extend(np.asarray(columns[name], column.rows.dtype))

    def arrays(self, rows: slice | NDArray[Any] = slice(None)) -> dict[str, NDArray[Any]]:
        """The columns by name, as a whole or at the given rows."""
        return {name: column.rows[rows] for name, column in self._columns.items()}

    def frozen(self, *, copied: Iterable[str] = ()) -> 'Table':
        """A view that does not grow. Values that change later change in it too, except in the columns that are
        copied."""
        view = Table.__new__(Table)
        view._columns = {name: column.frozen() for name, column in self._columns.items()}
        for name in copied:
            view._columns[name] = Column(self[name].dtype)
            view._columns[name].extend(self[name])
        return view


def write_arrays(file: Path, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Writes a file of arrays. A crash leaves either the old file or the new one.

    Raises:
        MemoryFault: it could not be written; the old file is unchanged.
    """
    places, offset = {}, 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, array.shape, offset, _check_of(name, array))
        offset += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    text = json.dumps({**header, 'arrays': places, 'bytes': offset}).encode()
    head = _MAGIC + len(text).to_bytes(8, 'little') + zlib.crc32(text).to_bytes(8, 'little') + text
    head += b'\0' * (-len(head) % _ALIGNMENT)
    try:
        with replacing(file) as stream:
            stream.write(head)
            for array in arrays.values():
                data = np.ascontiguousarray(array)
                stream.write(data.data.cast('B') if data.size else b'')
                stream.write(b'\0' * (-data.nbytes % _ALIGNMENT))
    except OSError as error:
        raise MemoryFault(f'{file} could not be written: {error}') from error


def map_arrays(file: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the memory-mapped arrays of a file; the arrays are read-only.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is incomplete or corrupted.
    """
    with reading(file) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size < len(_MAGIC) + 16:
            raise ValueError(f'{file} is too short')
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    start = len(_MAGIC) + 16
    length, check = (int.from_bytes(data[at : at + 8], 'little') for at in (start - 16, start - 8))
    text = data[start : start + length]
    if data[: len(_MAGIC)] != _MAGIC or zlib.crc32(text) != check:
        raise ValueError(f'{file} is not a file of arrays, or has another version')
    header = parse_json(text)
    body = start + length + -(start + length) % _ALIGNMENT
    if size != body + header['bytes']:
        raise ValueError(f'{file} should have {body + header["bytes"]} bytes, has {size}')
    arrays = {}
    for name, (dtype, shape, offset, check) in header['arrays'].items():
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(data, dtype, count, body + offset).reshape(shape)
        if _check_of(name, arrays[name]) != check:
            raise ValueError(f'{file} is damaged: the checksum of {name} is wrong')
    return header, arrays


def _check_of(name: str, array: NDArray[Any]) -> int:
    """A checksum. Vectors are skipped, so that they need not be read: they are large, and any value is valid."""
    if name in UNCHECKED or not array.size:
        return 0
    return zlib.crc32(np.ascontiguousarray(array).data.cast('B'))
