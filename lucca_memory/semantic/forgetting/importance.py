"""How important each node is: I(v) = α·R(v) + β·F(v) + γ·C(v), every term within [0, 1] (the paper, section 1.3 a).

R(v) = exp(−λ·(t − t_last)) with t_last the hour in which v was last heard or of use and λ per hour (1.3 b). It is
computed from t_last at every pass and never stored, so that any number of passes decays no more than one.

F(v) = u / (1 + u) with the use count u = w_told·(times told − 1) + uses. A use is graded: being what answered a question
counts 1, standing further down in a context less, being told again only w_told, since small talk is repeated as often as
facts are; a verdict counts as so many uses for or against.

C(v) is the probability that v is about something that people come back to, from what was asked and what was told about it
and about what it is related to: see centrality.py.

A statement whose place was taken is history: its uses count for what took its place, so its F is 0.
"""

from dataclasses import dataclass

import numpy as np

from lucca_memory.semantic.config import Ablations, ForgettingConfig
from lucca_memory.semantic.graph.centrality import MICROSECONDS_PER_H, centrality
from lucca_memory.semantic.graph.change import OPEN
from lucca_memory.semantic.graph.network import Floats, Network


@dataclass(frozen=True, slots=True)
class Terms:
    """R, F, C and I of every row; of rows that are gone as well, where they mean nothing."""

    recency: Floats
    frequency: Floats
    centrality: Floats
    importance: Floats


def terms_of_importance(
    network: Network, now: int, config: ForgettingConfig, ablations: Ablations | None = None
) -> Terms:
    """The terms of every row.

    Args:
        network: the graph.
        now: microseconds since 1970.
        config: the weights; their sum scales I into [0, 1].
        ablations: terms that are switched off.
    """
    off = ablations or Ablations()
    r = np.ones(len(network), np.float32) if off.no_decay else recency(network, now, config)
    f = frequency(network, config)
    c = np.zeros(len(network), np.float32) if off.no_centrality else centrality(network, now, config)
    if off.no_frequency:
        f = np.zeros(len(network), np.float32)
    total = np.float32(1 / (config.alpha + config.beta + config.gamma))
    importance = total * (np.float32(config.alpha) * r + np.float32(config.beta) * f + np.float32(config.gamma) * c)
    return Terms(r, f, c, importance)


def recency(network: Network, now: int, config: ForgettingConfig) -> Floats:
    """R(v) = exp(−λ·(t − t_last)); 1 for what lies in the future."""
    hours = np.maximum(now - network.column('last'), 0) / MICROSECONDS_PER_H
    return np.asarray(np.exp(-config.decay_per_h * hours), np.float32)


def frequency(network: Network, config: ForgettingConfig) -> Floats:
    """F(v) = u / (1 + u)."""
    told = np.maximum(network.column('told') - 1, 0).astype(np.float32)
    uses = np.maximum(np.float32(config.told_again) * told + network.column('used'), 0)
    uses[network.column('valid_to') != OPEN] = 0
    return np.asarray(uses / (1 + uses), np.float32)
