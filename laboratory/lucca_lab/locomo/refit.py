"""Retrieval with the same signals, but with weights fitted on all dialogues except the scored one.

It shows how far the shipped, rounded weights are from the best ones for this data. Fitted weights are not shipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from lucca_lab.locomo.scoring import Ranked
from lucca_memory.retrieval.ranking import best_rows

CANDIDATES = 200
"""Number of best lines by the shipped weights that the fit may reorder."""

PENALTY = 0.01
"""Penalty on the squared distance of the weights from the shipped ones."""

MOST_LOG_SHARPNESS = 4.0
"""Most natural logarithm of the sharpness of a fit's softmax, either way."""


@dataclass(frozen=True, slots=True)
class Example:
    """One question: the signals of its candidates (c, s), their names, and whether each of them is evidence (c,)."""

    ranked: Ranked
    signals: NDArray[np.float32]
    dia_ids: tuple[str, ...]
    is_evidence: NDArray[np.bool_]


def leave_one_out(examples: Sequence[Example], shipped: NDArray[np.float64]) -> list[Ranked]:
    """The candidates of each question, ranked by weights that were fitted on the other dialogues."""
    ranked = []
    for held_out in dict.fromkeys(example.ranked.sample_id for example in examples):
        weights = fit([[example for example in examples if example.ranked.sample_id != held_out]], shipped)
        ranked += ranked_by([example for example in examples if example.ranked.sample_id == held_out], weights)
    return ranked


def ranked_by(examples: Sequence[Example], weights: NDArray[np.float64]) -> list[Ranked]:
    """The candidates of each question, ranked by the weighted sum of their signals."""
    ranked = []
    for example in examples:
        rows = best_rows(np.asarray(example.signals @ weights, np.float32), len(example.dia_ids))
        names = tuple(example.dia_ids[row] for row in rows)
        ranked.append(Ranked(example.ranked.sample_id, example.ranked.asked, names))
    return ranked


def fit(sets: Sequence[Sequence[Example]], shipped: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that make evidence likely under a softmax over the candidates (ListNet, Cao et al. 2007, eq. 4).

    Every set counts the same, whatever its number of questions.
    """
    useful = [[example for example in examples if example.is_evidence.any()] for examples in sets]
    counted = [(example, 1 / (len(useful) * len(examples))) for examples in useful for example in examples]

    def loss(scaled: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        # The last parameter is the sharpness of the softmax. It does not change the ranking.
        weights, sharpness = scaled[:-1], np.exp(scaled[-1])
        total, slope = 0.0, np.zeros_like(scaled)
        for example, share in counted:
            scores = example.signals @ weights
            logits = sharpness * scores
            logits -= logits.max()
            odds = np.exp(logits)
            odds /= odds.sum()
            wanted = example.is_evidence / example.is_evidence.sum()
            total -= share * float(wanted @ np.log(odds + 1e-12))
            slope[:-1] += share * sharpness * ((odds - wanted) @ example.signals)
            slope[-1] += share * sharpness * float((odds - wanted) @ scores)
        pull = weights - shipped
        slope[:-1] += 2 * PENALTY * pull
        return total + PENALTY * float(pull @ pull), slope

    # Where the weights tell all evidence, the likelihood rises with the sharpness for ever.
    bounds = [*[(None, None)] * len(shipped), (-MOST_LOG_SHARPNESS, MOST_LOG_SHARPNESS)]
    found = minimize(
        loss, np.append(shipped, 1.0), jac=True, method='L-BFGS-B', bounds=bounds, options={'maxiter': 200}
    )
    return np.asarray(found.x[:-1], np.float64)
