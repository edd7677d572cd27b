"""An embedder that caches its vectors in a file, since every row of a table embeds the same texts."""

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lucca_core.archived_weights import DAMAGED_ARCHIVE
from lucca_memory.embedding.embedder import Embedder, Vectors

_log = logging.getLogger(__name__)


class CachedEmbedder:
    """Any embedder, with each text embedded only once. `save` keeps the vectors for the next run."""

    def __init__(self, embedder: Embedder, file: Path | None = None) -> None:
        self._embedder = embedder
        self._file = file
        self._vectors: dict[str, Vectors] = {}
        self.spec, self.dimensions = embedder.spec, embedder.dimensions
        if file is not None and file.exists():
            try:
                with np.load(file, allow_pickle=False) as kept:
                    if str(kept['spec']) == self.spec:
                        self._vectors = dict(zip(kept['keys'].tolist(), kept['vectors'], strict=True))
            except DAMAGED_ARCHIVE as error:
                _log.warning('%s is damaged, and the texts are embedded again: %s', file, error)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        keys = [hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        if new:
            self._vectors.update(zip(new, self._embedder.embed(list(new.values())), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return np.stack([self._vectors[key] for key in keys])

    def save(self) -> None:
        """Writes the vectors to the file, if there is one."""
        if self._file is not None and self._vectors:
            keys = np.array(list(self._vectors))
            np.savez(self._file, spec=np.array(self.spec), keys=keys, vectors=np.stack(list(self._vectors.values())))
