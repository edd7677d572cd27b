"""The protocol that every embedding model is used through."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (n, d), rows of length one."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike their meanings are. Safe to use from several threads."""

    @property
    def spec(self) -> str:
        """The string that chose this model. Vectors of different specs are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length d of a vector; 0 for the embedder that knows no meanings (`none`)."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, in order; what is longer than the model can read is cut at its end.

        Raises:
            ModelRetryable: the model gave none, and asking again may help.
            ModelUnusable: it cannot.
        """
        ...


class NoEmbedder:
    """Knows no meanings: retrieval goes by words alone."""

    spec = 'none'
    dimensions = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """No numbers for each text: shape (n, 0)."""
        return np.zeros((len(texts), 0), np.float32)
