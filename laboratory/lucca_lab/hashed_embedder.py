"""An embedder for tests and benchmarks that needs no model: each word is a random direction."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.retrieval.analysis import terms_of


class HashedEmbedder:
    """Sums a fixed random direction per word, so that texts with the same words are alike."""

    def __init__(self, dimensions: int = 64, spec: str = 'hashed') -> None:
        self.spec = spec
        self.dimensions = dimensions
        self.asked: list[str] = []
        """Every text that it was asked for."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder."""
        self.asked += texts
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for term in terms_of(text) or [1]:
                vectors[row] += _direction(term, self.dimensions)
            vectors[row] /= np.linalg.norm(vectors[row])
        return vectors


@lru_cache(maxsize=50_000)
def _direction(term: int, dimensions: int) -> Vectors:
    return np.random.default_rng(term).standard_normal(dimensions).astype(np.float32)
