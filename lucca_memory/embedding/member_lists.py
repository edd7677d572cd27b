"""What lists say of things and kinds by name: whether a thing is of a kind, or that the lists leave it open.

An `.npz` file, written by `laboratory/scripts/train_membership.py`, holds `things` and `kinds`, names in UTF-8 as
bytes, one a line. Things of which the same is said share a row: `row` (things,) numbers it, and `right` and `known`
(rows, kinds), packed into bits, say whether they are of a kind, and whether that is known. `about` is JSON as bytes.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lucca_core.archived_weights import DAMAGED_ARCHIVE
from lucca_core.errors import ModelUnusable
from lucca_core.json_text import parse_json
from lucca_core.regular_file import reading

FORMAT = 'lucca member lists 1'


class MemberLists:
    """Lists of things and kinds, as they were read."""

    def __init__(self, file: Path) -> None:
        """Reads a file.

        Raises:
            ModelUnusable: it is missing or damaged, or holds something else.
        """
        try:
            with reading(file) as opened, np.load(opened, allow_pickle=False) as data:
                about = parse_json(data['about'].tobytes())
                if about['format'] != FORMAT:
                    raise ValueError(f'it says {about["format"]!r} of itself')
                names, self._kinds = (_numbered(data[name]) for name in ('things', 'kinds'))
                rows = np.asarray(data['row'])
                self._right, self._known = (_bits(data[name], len(self._kinds)) for name in ('right', 'known'))
            if rows.shape != (len(names),) or rows.dtype.kind != 'u' or self._right.shape != self._known.shape:
                raise ValueError(f'{len(names)} things do not fit rows {rows.shape} of {rows.dtype}')
            if int(rows.max(initial=0)) >= len(self._right):
                raise ValueError(f'a thing has row {rows.max()} of {len(self._right)}')
        except DAMAGED_ARCHIVE as error:
            raise ModelUnusable(f'{file} holds no lists of members of kinds: {error}') from error
        self._rows = {name: int(rows[number]) for name, number in names.items()}

    def is_of(self, thing: str, kind: str) -> bool | None:
        """Whether a thing is of a kind; None if one of them is not listed, or the lists leave it open."""
        row, column = self._rows.get(thing), self._kinds.get(kind)
        if row is None or column is None or not self._known[row, column]:
            return None
        return bool(self._right[row, column])

    def lists(self, thing: str) -> bool:
        """Whether a thing is listed."""
        return thing in self._rows


def _numbered(names: NDArray[np.uint8]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names.tobytes().decode('utf-8').split('\n'))}


def _bits(packed: NDArray[np.uint8], kinds: int) -> NDArray[np.uint8]:
    if packed.ndim != 2 or packed.dtype != np.uint8:
        raise ValueError(f'bits have the shape {packed.shape}')
    return np.unpackbits(packed, axis=1, count=kinds)
