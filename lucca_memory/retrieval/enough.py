"""The choice of the documents that really answer a question: none, one or several of the best ones.

A list of the ten best always has ten entries, but mostly only one to three of them answer the question. If the question
names documents, the answer is exactly those. Otherwise the best document has to share enough of the question's words or
of its meaning, and the others have to come close to its score.

A document that says itself that it no longer holds is no answer, unless the question is about the past.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.index import Ints, ScopeIndex

Scores = NDArray[np.float32]


def enough(
    index: ScopeIndex,
    rows: Ints,
    total: Scores,
    support: tuple[Scores, Scores],
    named: Mapping[int, int],
    of_past: bool,
    config: RetrievalConfig,
) -> Ints:
    """The rows that answer, in the order given.

    Args:
        index: the index of the scope.
        rows: the best rows, best first.
        total: the score of every row of the index.
        support: for every row, its share of the question's words, and its cosine with the question.
        named: the rows that the question names.
        of_past: the question is about the past.
        config: the thresholds.
    """
    holds = np.ones(len(index), np.bool_) if of_past else ~index.column('over').astype(np.bool_)
    if named:
        return np.array([row for row in rows.tolist() if row in named and holds[row]], np.int64)
    rows = rows[holds[rows]]
    words, meaning = support
    supported = (words[rows] >= config.enough_words) | (meaning[rows] >= config.enough_meaning)
    rows = rows[supported]
    if not len(rows):
        return rows
    return np.asarray(rows[total[rows] >= config.enough_share * total[rows].max()], np.int64)
