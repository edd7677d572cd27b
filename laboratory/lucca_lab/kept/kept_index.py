"""The retriever that all memories of this experiment share, over the texts that a memory keeps of a dialogue."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from lucca_lab.kept.stores import KeptText
from lucca_lab.locomo.data import LocomoDialogue
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.retrieval.analysis import analysed
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.phrasing import phrase
from lucca_memory.retrieval.ranking import rank
from lucca_memory.retrieval.values import Document

# The texts that are left are read again after each session.
_analysed = lru_cache(maxsize=20_000)(analysed)


class KeptIndex:
    """Ranks the texts that a memory keeps of one dialogue."""

    def __init__(self, dialogue: LocomoDialogue, embedder: Embedder) -> None:
        self._lines = {line.dia_id: line for line in dialogue.lines}
        self._embedder = embedder
        self._texts: Sequence[KeptText] = ()
        self._index = ScopeIndex(embedder.dimensions)

    def read(self, texts: Sequence[KeptText]) -> None:
        """Replaces the texts.

        Raises:
            LuccaError: the embedder failed.
        """
        index = ScopeIndex(self._embedder.dimensions)
        index.add(
            Document(
                key=key,
                group=str(key),
                text=text.text,
                speaker=self.speaker(text),
                time=self.time(text),
                analysed=_analysed(text.text),
            )
            for key, text in enumerate(texts, 1)
        )
        if texts:
            index.set_vectors(dict(enumerate(self._embedder.embed([text.text for text in texts]), 1)))
        self._texts, self._index = texts, index

    def found(self, question: str, depth: int) -> Sequence[KeptText]:
        """The best texts for a question, best first.

        Raises:
            LuccaError: the embedder failed.
        """
        phrasing = phrase(question, self._index.speakers)
        vector = self._embedder.embed([phrasing.first_person])[0]
        hits = rank(self._index, phrasing, vector, (), RetrievalConfig(), depth)
        return [self._texts[hit.key - 1] for hit in hits]

    def speaker(self, text: KeptText) -> str:
        """The speaker of a text; empty if several said it."""
        speakers = {self._lines[name].speaker for name in text.dia_ids & self._lines.keys()}
        return speakers.pop() if len(speakers) == 1 else ''

    def time(self, text: KeptText) -> datetime | None:
        """The last time at which a text was said."""
        return max((self._lines[name].time for name in text.dia_ids & self._lines.keys()), default=None)
