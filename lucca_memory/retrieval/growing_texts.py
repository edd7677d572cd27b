"""Texts in memory that are searched and only grow, such as log entries or summaries."""

import threading
from collections.abc import Mapping, Sequence
from itertools import islice

from lucca_memory.embedding.embedder import Embedder, Vectors
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.values import Document, Hit, Question

_SCOPE = 'texts'


class GrowingTexts:
    """A Source with a Library of its own. Vectors are kept by text, so that repeated texts are embedded once.

    Thread-safe.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._documents: list[Document] = []
        self._vectors: dict[str, Vectors] = {}
        self._library = Library({_SCOPE: self}.get, embedder)

    def add(self, documents: Sequence[Document]) -> None:
        """Adds documents. Those with a key not above all existing ones are ignored, as they were added before."""
        with self._lock:
            newest = self._newest()
            self._documents += [document for document in documents if document.key > newest]

    def search(self, question: Question) -> list[Hit]:
        """The best documents, best first."""
        return self._library.search(_SCOPE, question)

    def embed_missing(self, most: int) -> int:
        """Embeds some texts that have no vector yet, newest first; returns how many.

        Raises:
            ModelError: the embedder failed.
        """
        if not self._embedder.dimensions:
            return 0
        with self._lock:
            missing = (document.text for document in reversed(self._documents) if document.text not in self._vectors)
            texts = list(islice(dict.fromkeys(missing), most))
        if texts:
            vectors = self._embedder.embed(texts)
            with self._lock:
                self._vectors.update(zip(texts, vectors, strict=True))
        return len(texts)

    def state(self) -> tuple[int, int]:
        """See Source."""
        with self._lock:
            return self._newest(), 0

    def documents(self, *, after: int, limit: int) -> Sequence[Document]:
        """See Source."""
        with self._lock:
            return list(islice((document for document in self._documents if document.key > after), limit))

    def vectors(self, spec: str, *, after: int, limit: int) -> Mapping[int, Vectors]:
        """See Source."""
        found: dict[int, Vectors] = {}
        with self._lock:
            for document in self._documents:
                if document.key > after and (vector := self._vectors.get(document.text)) is not None:
                    found[document.key] = vector
                    if len(found) == limit:
                        break
        return found

    def _newest(self) -> int:
        return self._documents[-1].key if self._documents else 0
