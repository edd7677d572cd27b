"""Baseline retrievers on LoCoMo: BM25, dense vectors, and fusions of the two; each line is a document."""

from collections.abc import Sequence

import numpy as np

from lucca_lab.locomo.data import LocomoDialogue, SaidLine
from lucca_lab.locomo.scoring import Ranked
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.phrasing import Phrasing
from lucca_memory.retrieval.ranking import best_rows
from lucca_memory.retrieval.signals import Scores, Signals, scaled
from lucca_memory.retrieval.values import Document

DEPTH = 50
RRF_K = 60
"""The constant of reciprocal rank fusion (Cormack et al. 2009)."""


def baselines(dialogues: Sequence[LocomoDialogue], embedder: Embedder) -> dict[str, list[Ranked]]:
    """The ranking of every scored question by each baseline. Without an embedder, only BM25 is used."""
    ranked: dict[str, list[Ranked]] = {}
    for dialogue in dialogues:
        index = _index(dialogue, embedder)
        for asked in dialogue.scored:
            signals = Signals(index, Phrasing(asked.text, (), asked.text, asked.text), RetrievalConfig())
            words = signals.words()[0]
            scores = {'bm25': words}
            if embedder.dimensions:
                meaning = signals.meaning(embedder.embed([asked.text])[0])[0]
                scores |= {
                    'dense': meaning,
                    'rrf': reciprocal(words) + reciprocal(meaning),
                    'min_max_sum': scaled(words) + scaled(meaning),
                }
            for name, score in scores.items():
                rows = best_rows(score, DEPTH)
                names = tuple(dialogue.lines[row].dia_id for row in rows)
                ranked.setdefault(name, []).append(Ranked(dialogue.sample_id, asked, names))
    return ranked


def as_document(line: SaidLine) -> str:
    """A line with its date and speaker, as plain retrievers index it."""
    return f'[{line.time:%d %B %Y}] {line.speaker}: {line.text}'


def _index(dialogue: LocomoDialogue, embedder: Embedder) -> ScopeIndex:
    texts = [as_document(line) for line in dialogue.lines]
    index = ScopeIndex(embedder.dimensions)
    index.add(
        Document(key=number, group=str(line.session), text=text)
        for number, (line, text) in enumerate(zip(dialogue.lines, texts, strict=True), 1)
    )
    index.set_vectors(dict(enumerate(embedder.embed(texts), 1)))
    return index


def reciprocal(scores: Scores) -> Scores:
    """The terms of reciprocal rank fusion: 1 / (60 + rank) for each row."""
    ranks = np.empty(len(scores), np.float32)
    ranks[best_rows(scores, len(scores))] = np.arange(1, len(scores) + 1)
    return np.asarray(1 / (RRF_K + ranks), np.float32)
