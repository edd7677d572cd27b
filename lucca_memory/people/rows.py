"""How values become rows: names as keys, vectors as bytes, text that every database can hold."""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.ports import Vectors

LONGEST_NAME = 10_000
"""Characters of a name that are kept."""

_UNSTORABLE = re.compile('[\0\ud800-\udfff]')


def storable(text: str) -> str:
    """Text without NUL and lone surrogates, which PostgreSQL and UTF-8 cannot hold; all else stays."""
    return _UNSTORABLE.sub('�', text)


def storable_name(name: str) -> str:
    """A name as it is kept: storable, without spaces around it, cut to LONGEST_NAME characters."""
    return storable(name).strip()[:LONGEST_NAME].strip()


def name_key(name: str) -> str:
    """What two spellings of one name have in common: compatibility forms, case and runs of spaces do not count."""
    return ' '.join(unicodedata.normalize('NFKC', storable_name(name)).casefold().split())


def vector_to_bytes(vector: Vectors) -> bytes:
    """A vector of length one in half precision: errors of its dot products stay below 0.001."""
    return vector.astype('<f2').tobytes()


def vectors_from_bytes(rows: Sequence[bytes]) -> NDArray[np.float32]:
    """The inverse for several: shape (n, d)."""
    matrix = np.frombuffer(b''.join(rows), '<f2').astype(np.float32)
    return matrix.reshape(len(rows), matrix.size // max(len(rows), 1))
