"""A learned forgetting policy: a small neural network, run without torch, that sets (α, β, γ, λ, θ) from statistics.

`lucca eval forgetting train` learns one with PPO (the paper, section 2) and writes it to a file with its weights and
provenance. None is shipped, because none was ahead of fixed parameters; the fixed ones are the default.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ConfigError
from lucca_core.json_text import parse_json
from lucca_core.regular_file import read_regular_text
from lucca_memory.semantic.config import RANGES, ForgettingConfig
from lucca_memory.semantic.values import NetworkStats

QUERY_PARTS = 4
NAMES = (
    'fullness',
    'statements',
    'closed',
    'concepts',
    'recency',
    'frequency',
    'centrality',
    *(f'importance_{decile}' for decile in range(0, 101, 25)),
    'asked',
    'progress',
    *(f'query_{part}' for part in range(QUERY_PARTS)),
)
"""The components of an observation, in order; each within [-1, 1]."""

Observation = NDArray[np.float32]


def observation(
    stats: NetworkStats, budget_bytes: int, *, asked: float = 0.0, told: float = 0.0, query: Sequence[float] = ()
) -> Observation:
    """The state: statistics of the network, a summary of the questions' vectors, and the load.

    Args:
        stats: of the network before the pass.
        budget_bytes: what the network has to fit into.
        asked, told: numbers of questions and statements since the last pass.
        query: mean vector of these questions; folded into QUERY_PARTS sums.
    """
    folded = np.zeros(QUERY_PARTS, np.float32)
    if len(query):
        for part in range(QUERY_PARTS):
            folded[part] = float(np.sum(np.asarray(query, np.float32)[part::QUERY_PARTS]))
    values = [
        _squashed(stats.bytes / max(1, budget_bytes)),
        _squashed(stats.statements / 100),
        stats.closed / max(1, stats.statements),
        _squashed(stats.concepts / 1000),
        stats.recency,
        stats.frequency,
        stats.centrality,
        *(stats.importance[decile] for decile in (0, 2, 5, 8, 10)),
        _squashed(asked / 5),
        _squashed(told / 20),
        *np.tanh(folded).tolist(),
    ]
    return np.clip(np.array(values, np.float32), -1, 1)


def _squashed(value: float) -> float:
    return value / (1 + value)


def parameters(action: Sequence[float], base: ForgettingConfig) -> ForgettingConfig:
    """The parameters for an action within [-1, 1]^5, replacing those of `base`; λ is on a log scale."""
    share = (np.clip(np.asarray(action, np.float64), -1, 1) + 1) / 2
    values: dict[str, Any] = {}
    for (name, (least, most)), part in zip(RANGES.items(), share.tolist(), strict=True):
        if name == 'decay_per_h':
            values[name] = float(np.exp(np.log(least) + part * (np.log(most) - np.log(least))))
            values[name] = min(most, max(least, values[name]))
        else:
            values[name] = least + part * (most - least)
    if values['alpha'] + values['beta'] + values['gamma'] <= 0:
        # At this corner of the ranges all weights would be 0.
        values['gamma'] = 1e-3
    return replace(base, **values)


def action_of(config: ForgettingConfig) -> NDArray[np.float32]:
    """The inverse of `parameters`."""
    shares = []
    for name, (least, most) in RANGES.items():
        value = getattr(config, name)
        if name == 'decay_per_h':
            shares.append(np.log(value / least) / np.log(most / least))
        else:
            shares.append((value - least) / (most - least))
    return np.array([2 * share - 1 for share in shares], np.float32)


@dataclass(frozen=True, slots=True)
class Policy:
    """A tanh perceptron: the mean of the learned policy, hence deterministic.

    Attributes:
        layers: weights (out, in) and biases (out,), first to last; the last one outputs a step from `base`'s action.
        base: the fixed parameters that it starts from.
        provenance: seed, scenarios, versions and results of the training.
    """

    layers: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
    base: ForgettingConfig
    provenance: Mapping[str, Any]

    def action(self, state: Observation) -> NDArray[np.float32]:
        """The step from `base` in this state, within [-1, 1]^5.

        Raises:
            ValueError: the state has another shape than in training.
        """
        if state.shape != (self.layers[0][0].shape[1],):
            raise ValueError(f'the policy takes states of {self.layers[0][0].shape[1]} values, got shape {state.shape}')
        values = state
        for weights, bias in self.layers[:-1]:
            values = np.tanh(weights @ values + bias)
        weights, bias = self.layers[-1]
        return np.asarray(np.clip(weights @ values + bias, -1, 1), np.float32)

    def parameters(self, state: Observation) -> ForgettingConfig:
        """The forgetting parameters for this state.

        Raises:
            ValueError: the state has another shape than in training.
        """
        return parameters((action_of(self.base) + STEP * self.action(state)).tolist(), self.base)

    def decided(self, stats: NetworkStats, budget_bytes: int, *, asked: int, told: int) -> ForgettingConfig:
        """The parameters for a network before a pass, from its statistics; see `observation`."""
        return self.parameters(observation(stats, budget_bytes, asked=asked, told=told))

    def save(self, file: Path) -> None:
        """Writes the policy as JSON.

        Raises:
            ConfigError: it cannot be written.
        """
        document = {
            'provenance': dict(self.provenance),
            'observation': list(NAMES),
            'base': {name: getattr(self.base, name) for name in RANGES},
            'layers': [
                {
                    'weights': [[round(float(w), 5) for w in row] for row in weights],
                    'bias': [round(float(b), 5) for b in bias],
                }
                for weights, bias in self.layers
            ],
        }
        try:
            file.write_text(json.dumps(document) + '\n', encoding='utf-8')
        except OSError as error:
            raise ConfigError(f'the policy cannot be written: {error}', file=str(file)) from error


_LARGEST_WEIGHT = 1e6

STEP = 0.5
"""The largest step by which an action of the policy moves each parameter of `base`, on the scale [-1, 1]."""


def load_policy(file: Path, centrality: str = 'posterior') -> Policy:
    """The policy in a file, for a robot whose C is `centrality`.

    Raises:
        ConfigError: the file is not a policy, or was trained on other observations.
    """
    try:
        document = parse_json(read_regular_text(file))
        if tuple(document['observation']) != NAMES:
            raise ValueError('it was trained on other observations; train it again')
        layers = tuple((_numbers(layer['weights']), _numbers(layer['bias'])) for layer in document['layers'])
        base = ForgettingConfig(**{**document['base'], 'centrality': centrality})
        policy = Policy(layers, base, document['provenance'])
        policy.parameters(np.zeros(len(NAMES), np.float32))
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ConfigError(f'is not a forgetting policy: {error}', file=str(file)) from error
    return policy


def _numbers(values: Any) -> NDArray[np.float32]:
    numbers = np.array(values, np.float64)
    # Far above any learned weight, and small enough that sums stay finite.
    if not np.all(np.abs(numbers) < _LARGEST_WEIGHT):
        raise ValueError(f'every weight must be a number below {_LARGEST_WEIGHT:g}')
    return numbers.astype(np.float32)
