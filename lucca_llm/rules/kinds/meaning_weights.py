"""The weights of the evidence for a kind, or for a group of examples: one set for each embedding model.

`laboratory/scripts/fit_kinds.py` prints those of the model that is installed.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.spec import MINILM, MPNET

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MeaningWeights:
    """The weights that go with the likenesses of one embedding model.

    Attributes:
        kinds: of the features of a kind: the likeness of its words to the name, to what the thing is, and of the latter
            to what the kind is; a quality of both that distinguishes the kind (`clean trousers`, `clean clothes`), and
            a common noun that does; membership in the kind by the lexicon, by all or by the last words, and by WordNet;
            whether it is the rest while the thing belongs to a named kind; the narrowest kind of WordNet in common, and
            whether WordNet lacks one of the two; the same household kinds; then, with an adapter, its score; then
            that of membership.
        closeness: of what shows whether a thing belongs to a kind at all: the likeness of its words to the name and to
            what the thing is, membership by the lexicon or WordNet, and the same household kinds; then the scores.
        examples: of the features of examples: the nearest and the mean likeness of names, the same for what the things
            are, a word that only they share, a category of the lexicon that only they share, and the same household
            kinds: the mean, and the logarithm of what the thing shares with all of them; then the score.
        household_kinds: of the features of a household kind: the first two of a kind, and membership by WordNet. Set by
            hand, on the scenarios that the others were fitted on.
        least_closeness: the least closeness to a kind, however far the others are.
        least_closeness_if_known: the same for what the lexicon knows: if that belongs to a kind, lexicon or WordNet
            mostly say so.
    """

    kinds: Weights
    closeness: Weights
    examples: Weights
    household_kinds: Weights
    least_closeness: float
    least_closeness_if_known: float


WEIGHTS = {
    MINILM: MeaningWeights(
        kinds=np.array([8.2, 3.0, 4.5, 4.3, 1.0, 3.9, 4.0, 3.0, -1.5, 0.8, 1.6, 1.7]),
        closeness=np.array([2.9, 2.7, 2.2, 1.5]),
        examples=np.array([5.0, 2.1, 0.1, 1.7, 2.8, 2.2, 3.1, 0.4]),
        household_kinds=np.array([13.0, 4.0, 3.5]),
        least_closeness=1.2,
        least_closeness_if_known=2.1,
    ),
    MPNET: MeaningWeights(
        kinds=np.array([6.9, 4.5, 5.9, 4.1, 0.1, 3.0, 2.2, 2.1, -1.5, 1.8, 1.5, 2.0]),
        closeness=np.array([3.6, 4.5, 2.4, 1.4]),
        examples=np.array([4.0, 3.3, 2.0, 3.3, 2.1, 2.0, 2.6, 0.3]),
        household_kinds=np.array([13.0, 4.0, 3.5]),
        least_closeness=1.8,
        least_closeness_if_known=3.0,
    ),
}
"""Embedding spec -> its weights."""


def _with_scores(
    plain: MeaningWeights,
    kinds: tuple[float, float],
    close: float,
    least: tuple[float, float],
    examples: tuple[float, float],
) -> MeaningWeights:
    """Adds a score to weights that were fitted without it.

    Args:
        plain: those weights.
        kinds: factor of the plain weights of kinds, and the weight of the score among them.
        close: its weight in the closeness.
        least: the least closeness, and the one for what the lexicon knows.
        examples: as `kinds`, of examples.
    """
    return replace(
        plain,
        kinds=np.append(kinds[0] * plain.kinds, kinds[1]),
        closeness=np.append(plain.closeness, close),
        examples=np.append(examples[0] * plain.examples, examples[1]),
        least_closeness=least[0],
        least_closeness_if_known=least[1],
    )


WEIGHTS_WITH_SCORES = {
    MINILM: _with_scores(WEIGHTS[MINILM], (0.7, 0.2), 0.25, (0.7, 1.6), (0.6, 0.15)),
    MPNET: _with_scores(WEIGHTS[MPNET], (0.7, 0.3), 0.25, (1.3, 2.5), (0.7, 0.1)),
}
"""The same with the scores of an adapter (`kind_scores.py`).

Only seven numbers of each were chosen, on scenarios from other people's lists and on TidyBot's first 24. Most things of
the scenarios that the rest was fitted on are in the adapter's training data: a fit on them would trust it too much.
"""


def _with_members(
    spec: str, kinds: tuple[float, float, float], close: tuple[float, float], least: tuple[float, float]
) -> MeaningWeights:
    """Weights with the scores of an adapter and of membership; those of examples have no score of membership.

    Args:
        spec: of the embedding model.
        kinds: factor of the plain weights of kinds, and the weights of both scores among them.
        close: the weights of both in the closeness.
        least: the least closeness, and the one for what the lexicon knows.
    """
    return replace(
        WEIGHTS_WITH_SCORES[spec],
        kinds=np.append(kinds[0] * WEIGHTS[spec].kinds, kinds[1:]),
        closeness=np.append(WEIGHTS[spec].closeness, close),
        least_closeness=least[0],
        least_closeness_if_known=least[1],
    )


WEIGHTS_WITH_MEMBERS = {
    MINILM: _with_members(MINILM, (0.36, 0.094, 0.55), (0.19, 0.6), (-0.5, 0.0)),
    MPNET: _with_members(MPNET, (0.28, 0.177, 0.36), (0.49, 1.0), (-3.0, -2.5)),
}
"""The same with the scores of membership, too (`lucca_memory/embedding/membership.py`).

Seven numbers of each were chosen, on scenarios from other people's lists and on TidyBot's first 24.
"""
