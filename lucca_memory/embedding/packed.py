"""Vectors packed into bytes, at two bytes a number."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.embedder import Vectors


def vector_to_bytes(vector: Vectors) -> bytes:
    """A unit vector in half precision: errors of dot products stay below 0.001."""
    return vector.astype('<f2').tobytes()


def vectors_from_bytes(rows: Sequence[bytes]) -> NDArray[np.float32]:
    """The inverse, for several vectors: shape (n, d)."""
    matrix = np.frombuffer(b''.join(rows), '<f2').astype(np.float32)
    return matrix.reshape(len(rows), matrix.size // max(len(rows), 1))
