"""Vectors quantized to one byte per dimension, and their dot products, with errors below 0.01."""

import numpy as np
import simsimd
from numpy.typing import NDArray

from lucca_memory.embedding.embedder import Vectors


def quantized(vectors: Vectors) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows as integers up to 127, and the scale of each row; 0 for a row of zeros."""
    peaks = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.where(peaks > 0, peaks / 127, 1).astype(np.float32)
    return np.rint(vectors / scales[:, None]).astype(np.int8), np.where(peaks > 0, scales, 0).astype(np.float32)


def dots(rows: NDArray[np.int8], query: NDArray[np.int8]) -> NDArray[np.float32]:
    """Dot products of integer rows (n, d) with a query (d,)."""
    if not rows.size:
        return np.zeros(len(rows), np.float32)
    products: NDArray[np.float32] = np.asarray(simsimd.cdist(query[None], rows, 'dot'), np.float32)[0]
    return products
