"""The exceptions that zipfile, its decompressors and numpy may raise when they read a damaged `.npz` archive."""

import lzma
import struct
import tokenize
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
    tokenize.TokenError,  # numpy reads the headers of arrays as Python
    struct.error,
    zlib.error,
    lzma.LZMAError,
    BadZipFile,
)
"""For the `except` around opening and reading an archive."""
