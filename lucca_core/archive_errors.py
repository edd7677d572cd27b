"""The exceptions that reading a damaged `.npz` archive may raise, from zipfile, its decompressors and numpy."""

import lzma
import struct
import zlib
from zipfile import BadZipFile

DAMAGED_ARCHIVE: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    LookupError,
    ValueError,
    TypeError,
    RuntimeError,  # NotImplementedError too: an unknown compression or a password
    MemoryError,
    SyntaxError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    BadZipFile,
)
"""For `except` around opening and reading."""
