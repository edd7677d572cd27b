"""Weights in `.npz` archives, and the exceptions that zipfile, its decompressors and numpy raise for damaged ones."""

import lzma
import struct
import tokenize
import zlib
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

LARGEST_WEIGHT = 1e4

DAMAGED_ARCHIVE: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    LookupError,
    ValueError,
    TypeError,
    RuntimeError,  # NotImplementedError too: an unknown compression or a password
    MemoryError,
    SyntaxError,
    tokenize.TokenError,  # numpy reads the headers of arrays as Python
    struct.error,
    zlib.error,
    lzma.LZMAError,
    BadZipFile,
)
"""For the `except` around opening and reading an archive."""


def finite_weights(data: Any, name: str) -> NDArray[np.float32]:
    """The weights of this name in an open archive.

    Raises:
        ValueError: they are no numbers, or one is not finite or too large; see also DAMAGED_ARCHIVE.
    """
    numbers = np.asarray(data[name])
    # The comparison is also false for infinity and NaN.
    if numbers.dtype.kind != 'f' or not np.all(np.abs(numbers) < LARGEST_WEIGHT):
        raise ValueError(f'{name} must hold numbers below {LARGEST_WEIGHT:g}')
    return numbers.astype(np.float32)
