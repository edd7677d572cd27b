"""Preparing statements and questions for the network: their concepts, readings and vectors."""

import logging
from collections.abc import Sequence

import numpy as np

from lucca_core.errors import LuccaError
from lucca_memory.embedding.embedder import Embedder, Vectors
from lucca_memory.retrieval.phrasing import phrase
from lucca_memory.semantic.answering.finder import NetworkQuery
from lucca_memory.semantic.consolidation.consolidation import Piece
from lucca_memory.semantic.language.extraction import Extractor, Mention, mentions_of
from lucca_memory.semantic.language.reading import sentences_of
from lucca_memory.semantic.values import Statement
from lucca_memory.store.rows import storable

_log = logging.getLogger(__name__)


class Understanding:
    """Prepares statements and questions with an embedder and an extractor."""

    def __init__(self, embedder: Embedder, extractor: Extractor, *, sentences: bool = True) -> None:
        """`sentences`: each sentence is a piece of its own; otherwise each statement is."""
        self._embedder = embedder
        self._sentences = sentences
        self._extractor = extractor

    def pieces(self, statements: Sequence[Statement]) -> list[Piece]:
        """The sentences of statements with their concepts and vectors.

        Raises:
            ModelError: the embedder or the extractor failed.
        """
        told = [(statement, text) for statement in statements for text in self._texts(storable(statement.text))]
        texts = [text for _, text in told]
        mentions = self._extractor.extract(texts)
        vectors = self._embedder.embed(texts)
        return [
            Piece(statement, text, found, vector)
            for (statement, text), found, vector in zip(told, mentions, vectors, strict=True)
        ]

    def _texts(self, text: str) -> Sequence[str]:
        return sentences_of(text) if self._sentences else [text]

    def meaning(self, text: str) -> Vectors | None:
        """The vector of a text; None without an embedder."""
        vector = self._embedder.embed([text])[0]
        return vector if vector.size else None

    def asked(self, question: str, owner: str, speakers: Sequence[str]) -> NetworkQuery:
        """The query for a question. `speakers`: the names of everybody who has said something."""
        phrasing = phrase(question, speakers)
        vector = np.zeros(0, np.float32)
        if self._embedder.dimensions:
            try:
                both = self._embedder.embed(list(dict.fromkeys([phrasing.without_names, phrasing.first_person])))
                total = np.sum(both, axis=0)
                vector = np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)
            except LuccaError as error:
                # Without the embedding server, words still find answers.
                _log.warning('a question is answered by words alone: %s', error)
        return NetworkQuery(_as_told(question), vector, phrasing.speakers, owner)


def _as_told(question: str) -> tuple[Mention, ...]:
    """The mentions of a question, weighted as in a statement, since they are what is searched for."""
    return mentions_of(question.replace('?', '.'))
