"""The importance of nodes: I(v) = α·R(v) + β·F(v) + γ·C(v), each term within [0, 1] (the paper, section 1.3 a).

R(v) = exp(−λ·(t − t_last)), where t_last is the hour in which v was last heard or used, and λ is per hour (1.3 b). It
is computed from t_last in every pass and never stored, so repeated passes do not add decay.

F(v) = u / (1 + u) with the use count u = w_told·(times told − 1) + uses. Uses are graded: answering a question counts
1, a lower place in a context counts less, and being told again only w_told, since small talk is repeated as often as
facts. A verdict counts as several uses for or against.

C(v) is by default the probability that v is about something that people ask about again, estimated from the questions
and statements about it and related things; see centrality.py. The setting `centrality` replaces it by the weighted
degree, the PageRank or the betweenness of v, with which the paper's equation can be followed to the letter; these are
computed by the laboratory.

A superseded statement is history: its uses count for its successor, so its F is 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lucca_core.laboratory import required_instrument
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.graph.centrality import MICROSECONDS_PER_H, QuestionHabits, asked_for
from lucca_memory.semantic.graph.change import OPEN
from lucca_memory.semantic.graph.network import Floats, Network


@dataclass(frozen=True, slots=True)
class Terms:
    """R, F, C and I of every row (meaningless for removed rows), and how people ask."""

    recency: Floats
    frequency: Floats
    centrality: Floats
    importance: Floats
    asking: QuestionHabits


TermsOf = Callable[[Network, int, ForgettingConfig], Terms]
"""Computes the terms of every row of a network at a time in microseconds since 1970."""


def terms_of_importance(network: Network, now: int, config: ForgettingConfig) -> Terms:
    """The terms of every row. `now`: microseconds since 1970."""
    c, asking = _centrality(network, now, config)
    return weighed(recency(network, now, config), frequency(network, config), c, asking, config)


def weighed(r: Floats, f: Floats, c: Floats, asking: QuestionHabits, config: ForgettingConfig) -> Terms:
    """The terms with their importance; the sum of the weights scales it into [0, 1]."""
    total = np.float32(1 / (config.alpha + config.beta + config.gamma))
    importance = total * (np.float32(config.alpha) * r + np.float32(config.beta) * f + np.float32(config.gamma) * c)
    return Terms(r, f, c, importance, asking)


def _centrality(network: Network, now: int, config: ForgettingConfig) -> tuple[Floats, QuestionHabits]:
    if config.centrality == 'posterior':
        return asked_for(network, now, config)
    return plain_centrality(config.centrality)(network, config), QuestionHabits()


def plain_centrality(name: str) -> Callable[[Network, ForgettingConfig], Floats]:
    """What computes C from the graph alone, for a setting `centrality` other than posterior.

    Raises:
        ConfigError: the laboratory, which computes it, is not installed.
    """
    compute: Callable[[Network, ForgettingConfig], Floats] = required_instrument(
        'plain_centrality', f'centrality: {name}'
    )
    return compute


def recency(network: Network, now: int, config: ForgettingConfig) -> Floats:
    """R(v) = exp(−λ·(t − t_last)); 1 for times in the future."""
    hours = np.maximum(now - network.column('last'), 0) / MICROSECONDS_PER_H
    return np.asarray(np.exp(-config.decay_per_h * hours), np.float32)


def frequency(network: Network, config: ForgettingConfig) -> Floats:
    """F(v) = u / (1 + u)."""
    told = np.maximum(network.column('told') - 1, 0).astype(np.float32)
    uses = np.maximum(np.float32(config.told_again) * told + network.column('used'), 0)
    uses[network.column('valid_to') != OPEN] = 0
    return np.asarray(uses / (1 + uses), np.float32)
