"""An embedder that caches the vectors of the newest texts, since one question is put to several memories."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from lucca_memory.embedding.embedder import Embedder, Vectors


class RememberingEmbedder:
    """See Embedder. Caches the vectors of another embedder."""

    def __init__(self, embedder: Embedder, most: int = 512) -> None:
        """`most`: texts in the cache."""
        self._embedder = embedder
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def spec(self) -> str:
        """See Embedder."""
        return self._embedder.spec

    @property
    def dimensions(self) -> int:
        """See Embedder."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder."""
        if not self.dimensions or not texts:
            return self._embedder.embed(texts)
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
            for text in found:
                self._known.move_to_end(text)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            # Outside the lock: the texts of other threads may be in the cache.
            # Copies: a row of a batch would keep the whole batch in memory.
            new = {text: vector.copy() for text, vector in zip(missing, self._embedder.embed(missing), strict=True)}
            found |= new
            with self._lock:
                self._known |= new
                while len(self._known) > self._most:
                    self._known.popitem(last=False)
        return np.stack([found[text] for text in texts])

    def clear(self) -> None:
        """Empties the cache."""
        with self._lock:
            self._known.clear()
