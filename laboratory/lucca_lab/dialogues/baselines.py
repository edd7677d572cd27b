"""Three plain retrievers that follow a dialogue: BM25, dense vectors, and reciprocal rank fusion of the two."""

from collections.abc import Sequence

from lucca_lab.locomo.baselines import DEPTH, as_document, reciprocal
from lucca_lab.locomo.data import LocomoDialogue, SaidLine
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.phrasing import Phrasing
from lucca_memory.retrieval.ranking import best_rows
from lucca_memory.retrieval.signals import Signals
from lucca_memory.retrieval.values import Document


class PlainRetrievers:
    """Ranks the lines of a dialogue; each line is a document.

    In a dialogue of two people a document includes date and speaker, since the questions name them. In a talk with an
    assistant it is only the text of the line.
    """

    def __init__(self, dialogue: LocomoDialogue, embedder: Embedder) -> None:
        self._dialogue = dialogue
        self._embedder = embedder
        self._index = ScopeIndex(embedder.dimensions)
        self._dia_ids: list[str] = []

    def add(self, lines: Sequence[SaidLine]) -> None:
        """Adds lines that were said.

        Raises:
            LuccaError: the embedder failed.
        """
        first = len(self._dia_ids) + 1
        texts = [line.text if self._dialogue.with_assistant else as_document(line) for line in lines]
        self._index.add(
            Document(key=key, group=str(line.session), text=text)
            for key, (line, text) in enumerate(zip(lines, texts, strict=True), first)
        )
        self._index.set_vectors(dict(enumerate(self._embedder.embed(texts), first)))
        self._dia_ids += [line.dia_id for line in lines]

    def ranked(self, question: str) -> dict[str, tuple[str, ...]]:
        """The first 50 lines by each retriever; only BM25 is used if there is no embedder.

        Raises:
            LuccaError: the embedder failed.
        """
        signals = Signals(self._index, Phrasing(question, (), question, question), RetrievalConfig())
        words = signals.words()[0]
        scores = {'bm25': words}
        if self._embedder.dimensions:
            meaning = signals.meaning(self._embedder.embed([question])[0])[0]
            scores |= {'dense': meaning, 'fused': reciprocal(words) + reciprocal(meaning)}
        return {
            name: tuple(self._dia_ids[row] for row in best_rows(score, DEPTH)) if len(self._dia_ids) else ()
            for name, score in scores.items()
        }
