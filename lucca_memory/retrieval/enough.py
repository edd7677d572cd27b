"""Enough and no more: which of the best documents answer a question: none, one or several.

A list of the ten best always has ten entries, though mostly one to three of them answer. Documents whose name the
question says are the answer, all of them and nothing else. Without a name, the best document has to share enough of the
question's words or of its meaning, and the others have to come near its score.

A document that says of itself that it does not hold any more is no answer, unless the question is about the past.
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
        index: of the scope.
        rows: the best rows, best first.
        total: the score of every row of the index.
        support: of every row the share of the question's words that it has, and the cosine with the question.
        named: the rows whose name the question says.
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
