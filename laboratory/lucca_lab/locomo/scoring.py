"""Recall of evidence: the share of a question's evidence lines among the top k, averaged over questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lucca_lab.locomo.data import CATEGORIES, LocomoQuestion

CUTS = (5, 10, 20)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranking for one question: names of lines, best first."""

    sample_id: str
    asked: LocomoQuestion
    dia_ids: tuple[str, ...]

    def recall(self, cut: int) -> float:
        """The share of the evidence among the first `cut` lines."""
        return len(self.asked.evidence.intersection(self.dia_ids[:cut])) / len(self.asked.evidence)


def recalls(ranked: Sequence[Ranked]) -> dict[str, float]:
    """`recall_at_K` for each cut, as the mean over questions; 0 if there are none."""
    return {
        f'recall_at_{cut}': float(np.mean([item.recall(cut) for item in ranked])) if ranked else 0.0 for cut in CUTS
    }


def by_category(ranked: Sequence[Ranked]) -> dict[str, dict[str, float]]:
    """The recalls and the number of questions for each category."""
    table = {}
    for number, name in CATEGORIES.items():
        mine = [item for item in ranked if item.asked.category == number]
        table[name] = {**recalls(mine), 'questions': float(len(mine))}
    return table


def interval(ranked: Sequence[Ranked], cut: int = 10, draws: int = 2000, seed: int = 0) -> tuple[float, float]:
    """The 95 % bootstrap interval of recall@`cut`. Whole dialogues are resampled, since their questions are alike."""
    groups: dict[str, list[float]] = {}
    for item in ranked:
        groups.setdefault(item.sample_id, []).append(item.recall(cut))
    rng = np.random.default_rng(seed)
    sums = np.array([(sum(group), len(group)) for group in groups.values()])
    drawn = sums[rng.integers(0, len(sums), (draws, len(sums)))].sum(axis=1)
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1], [2.5, 97.5])
    return float(low), float(high)


def rounded(values: Mapping[str, Any], digits: int = 4) -> dict[str, Any]:
    """A nested mapping with its floating-point numbers rounded, for printing."""
    return {
        key: rounded(value, digits)
        if isinstance(value, Mapping)
        else round(value, digits)
        if isinstance(value, float)
        else value
        for key, value in values.items()
    }
