"""Our memory with a term of importance switched off, to measure what the term contributes."""

from dataclasses import dataclass

import numpy as np

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.importance import Terms, TermsOf, terms_of_importance, weighed
from lucca_memory.semantic.graph.centrality import QuestionHabits
from lucca_memory.semantic.graph.network import Network


@dataclass(frozen=True, kw_only=True)
class Ablations:
    """The terms that are switched off: R is then 1 for every node, F and C are 0."""

    no_decay: bool = False
    no_frequency: bool = False
    no_centrality: bool = False


def terms_without(off: Ablations) -> TermsOf:
    """Computes importance without the terms that are switched off."""

    def terms(network: Network, now: int, config: ForgettingConfig) -> Terms:
        found = terms_of_importance(network, now, config)
        return weighed(
            np.ones_like(found.recency) if off.no_decay else found.recency,
            np.zeros_like(found.frequency) if off.no_frequency else found.frequency,
            np.zeros_like(found.centrality) if off.no_centrality else found.centrality,
            QuestionHabits() if off.no_centrality else found.asking,
            config,
        )

    return terms
