"""The protocol of every embedding model, and the embedder that gives no vectors."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (n, d), rows of length one."""


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product measures how alike their meanings are. Thread-safe."""

    @property
    def spec(self) -> str:
        """The string that selects this model. Vectors of different specs are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length d of a vector; 0 for the embedder without vectors (`none`)."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector per text, in order; texts that are too long for the model are cut at the end.

        Raises:
            ModelRetryable: the model failed, and asking again may help.
            ModelUnusable: the model failed for good.
        """
        ...


class NoEmbedder:
    """Gives empty vectors: retrieval uses words alone."""

    spec = 'none'
    dimensions = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Empty vectors: shape (n, 0)."""
        return np.zeros((len(texts), 0), np.float32)
