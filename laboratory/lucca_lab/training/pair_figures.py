"""How well scores of pairs rank and decide. Needs numpy only."""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_MANY = 10
"""Groups of more candidates than this count for recall@10."""


def auc(scores: Floats, right_is: Floats) -> float | None:
    """The share of pairs (one that is, one that is not) in which the first has the higher score; ties count half."""
    first, second = scores[right_is > 0], np.sort(scores[right_is == 0])
    if not len(first) or not len(second):
        return None
    below = np.searchsorted(second, first, 'left') + np.searchsorted(second, first, 'right')
    return float(below.mean() / 2 / len(second))


def log_loss(scores: Floats, right_is: Floats) -> float:
    """Mean of −log(probability of what is so), where a score is the log odds."""
    return float(np.mean(np.logaddexp(0, scores) - scores * right_is))


def figures(scores: Floats, right_is: Floats, first: NDArray[np.int64]) -> dict[str, Any]:
    """Figures of groups; pairs of group g are `first[g]` to `first[g + 1]`.

    `best` is the share of groups with a 1 in which the highest score has one, `mrr` the mean of 1 / rank of the first
    1, `recall10` the mean share of the 1s among the ten highest, over groups of more than ten. Groups in which all are
    count for neither. A tie counts as lost.
    """
    best, ranks, recalls = [], [], []
    for start, end in itertools.pairwise(first):
        own, own_is = scores[start:end], right_is[start:end] > 0
        if not own_is.any() or own_is.all():
            continue
        order = np.lexsort((own_is, -own))
        found = np.flatnonzero(own_is[order])
        best.append(found[0] == 0)
        ranks.append(1 / (found[0] + 1))
        if len(own) > _MANY:
            recalls.append(np.mean(found < _MANY))
    told: dict[str, Any] = {'groups': len(first) - 1, 'ranked': len(best), 'pairs': len(scores)}
    if best:
        told |= {'best': round(float(np.mean(best)), 4), 'mrr': round(float(np.mean(ranks)), 4)}
    if recalls:
        told |= {'many': len(recalls), 'recall10': round(float(np.mean(recalls)), 4)}
    area = auc(scores, right_is)
    if area is not None:
        told['auc'] = round(area, 4)
    told['log_loss'] = round(log_loss(scores, right_is), 4)
    told['accuracy'] = round(float(np.mean((scores > 0) == (right_is > 0))), 4)
    return told
