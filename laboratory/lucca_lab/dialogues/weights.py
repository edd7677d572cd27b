"""Weights of the ranking signals, chosen on all sets of dialogues but one and measured on that one.

The weights are round numbers from a short list, found by changing one at a time. The search begins with equal weights,
so that nothing of the shipped ones, which were chosen while looking at some of these sets, goes into it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lucca_lab.dialogues.signals import RECENT, WEIGHTED, SignalTable, weights_of
from lucca_memory.retrieval.config import RetrievalConfig

CHOICES = (0.0, 0.25, 0.5, 1.0, 1.5)
_BEGIN = 0.5
_MOST_ROUNDS = 4

Weights = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Recall@10 on one set of dialogues, by the shipped weights and by those that were chosen on the other sets."""

    questions: int
    shipped: float
    chosen: float
    weights: Mapping[str, float]


def leave_one_set_out(sets: Mapping[str, Sequence[SignalTable]]) -> dict[str, HeldOut]:
    """For each set, the recall by weights that were chosen on all others.

    Args:
        sets: the tables of at least two sets, by name.

    Raises:
        ValueError: there are fewer than two sets, or one has no questions.
    """
    if len(sets) < 2 or not all(sets.values()):
        raise ValueError(f'at least two sets with questions are needed, got {[*map(len, sets.values())]}')
    shipped = weights_of(RetrievalConfig())
    found = {}
    for name, tables in sets.items():
        weights = choose([others for other, others in sets.items() if other != name])
        found[name] = HeldOut(
            questions=len(tables),
            shipped=recall_of(tables, shipped),
            chosen=recall_of(tables, weights),
            weights=dict(zip((*WEIGHTED, RECENT), map(float, weights), strict=True)),
        )
    return found


def choose(sets: Sequence[Sequence[SignalTable]]) -> Weights:
    """The weights with the best recall, averaged over sets, that changing one at a time leads to."""
    weights = np.full(len(WEIGHTED) + 1, _BEGIN, np.float32)
    best = _mean(sets, weights)
    for _ in range(_MOST_ROUNDS):
        before = best
        for place in range(len(weights)):
            for choice in CHOICES:
                tried = weights.copy()
                tried[place] = choice
                recall = _mean(sets, tried)
                if recall > best:
                    weights, best = tried, recall
        if best == before:
            break
    return weights


def recall_of(tables: Sequence[SignalTable], weights: Weights) -> float:
    """The mean recall@10 over questions."""
    return float(np.mean([table.recall(weights) for table in tables]))


def _mean(sets: Sequence[Sequence[SignalTable]], weights: Weights) -> float:
    return float(np.mean([recall_of(tables, weights) for tables in sets]))
