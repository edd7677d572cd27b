"""Weights of retrieval that are fitted on all sets of dialogues but one, and measured on the one left out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lucca_lab.dialogues.examples import SIGNALS, shipped_weights
from lucca_lab.dialogues.scoring import bootstrapped, recall_interval
from lucca_lab.locomo.refit import Example, fit, ranked_by
from lucca_lab.locomo.scoring import Ranked, rounded


def leave_one_set_out(sets: Mapping[str, Sequence[Example]]) -> dict[str, Any]:
    """For each set: recall@10 with the shipped weights, and with weights that were fitted on the other sets.

    Every set counts the same in a fit, whatever its number of questions. `gain` is the mean difference per question.

    Args:
        sets: examples by the name of their set; at least two sets.
    """
    shipped, rows = shipped_weights(), {}
    for name, examples in sets.items():
        weights = fit([others for other, others in sets.items() if other != name], shipped)
        before, after = (ranked_by(examples, each) for each in (shipped, weights))
        gains = [new.recall(10) - old.recall(10) for old, new in zip(before, after, strict=True)]
        rows[name] = {
            'questions': len(examples),
            'shipped': _recall(before),
            'fitted_on_others': _recall(after),
            **bootstrapped('gain', gains),
            'weights': dict(zip(SIGNALS, weights.tolist(), strict=True)),
        }
    return rounded({'sets': rows})


def _recall(ranked: Sequence[Ranked]) -> dict[str, Any]:
    low, high = recall_interval(ranked)
    return {
        'recall_at_10': float(np.mean([item.recall(10) for item in ranked])),
        'interval_at_10': [round(low, 4), round(high, 4)],
    }
