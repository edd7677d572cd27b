"""Scores of rankings: recall with its interval, and how often an update ranks above what it replaced."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lucca_lab.locomo.scoring import Ranked, interval


def above_outdated(ranked: Sequence[Ranked]) -> list[float]:
    """For each question about a changed fact: 1 if a current line ranks above every outdated one, else 0.

    The value is also 0 if no current line was found.
    """
    return [
        float(_first(item, item.asked.current) < _first(item, item.asked.outdated))
        for item in ranked
        if item.asked.outdated and item.asked.current
    ]


def recall_interval(ranked: Sequence[Ranked]) -> tuple[float, float]:
    """The 95 % bootstrap interval of recall@10. Dialogues are resampled, or questions if there is only one dialogue."""
    if not ranked:
        return 0.0, 0.0
    if len({item.sample_id for item in ranked}) > 1:
        return interval(ranked)
    return _drawn([item.recall(10) for item in ranked])


def bootstrapped(name: str, values: Sequence[float]) -> dict[str, Any]:
    """The mean of values and its 95 % bootstrap interval over questions; None if there are no values."""
    if not values:
        return {name: None, f'{name}_interval': None}
    low, high = _drawn(values)
    return {name: float(np.mean(values)), f'{name}_interval': [round(low, 4), round(high, 4)]}


def _first(item: Ranked, wanted: frozenset[str]) -> float:
    return next((place for place, name in enumerate(item.dia_ids) if name in wanted), float('inf'))


def _drawn(values: Sequence[float], draws: int = 2000, seed: int = 0) -> tuple[float, float]:
    numbers = np.array(values)
    means = numbers[np.random.default_rng(seed).integers(0, len(numbers), (draws, len(numbers)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
