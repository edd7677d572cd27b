"""What reading a damaged archive of arrays (`.npz`) may raise: it comes from zipfile, its decompressors and numpy, and none of
them gathers it."""

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
    RuntimeError,  # NotImplementedError too: another compression, or a flag for a password
    MemoryError,
    SyntaxError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    BadZipFile,
)
"""For `except`, around the whole of reading."""
