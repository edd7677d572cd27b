"""Training of the forgetting policy: random search over fixed parameters, then PPO, starting from the best ones.

Both are measured on scenarios that were in no training; if PPO is not ahead there, the report says so.
"""

import platform
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from lucca_core.errors import ConfigError
from lucca_lab.forgetting.kept_facts import ALL_UNSEEN, TRAINING, KeptFacts, kept_by_parameters, share_of
from lucca_lab.forgetting.policy import Policy, parameters
from lucca_lab.forgetting.trace import MemoryTrace
from lucca_memory.semantic.config import RANGES, ForgettingConfig


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of a training.

    Attributes:
        tuned: the best fixed parameters.
        policy: the learned policy.
        curve: (steps, mean return of the last episodes, share of critical facts kept in these).
        kept: critical facts kept of the training scenarios, of each group that was in no training, and of all of these.
    """

    tuned: ForgettingConfig
    policy: Policy
    curve: tuple[tuple[int, float, float], ...]
    kept: Mapping[str, KeptFacts]


def tune(
    traces: Sequence[MemoryTrace], budget: float, tries: int, seed: int, start: ForgettingConfig
) -> ForgettingConfig:
    """The best fixed (α, β, γ, λ, θ) found by random search.

    Half of the tries are drawn from the full ranges (θ near its lower end), half around the best so far.
    """
    chance = random.Random(seed)
    best, most = start, share_of(kept_by_parameters(traces, start, budget))
    for number in range(tries):
        if number % 2:
            values = {name: getattr(best, name) * 2 ** chance.gauss(0, 0.7) for name in RANGES}
            clipped = {name: min(RANGES[name][1], max(RANGES[name][0], value)) for name, value in values.items()}
            found = replace(start, **clipped)
        else:
            action = [chance.uniform(-1, 1) for _ in range(4)]
            found = parameters([*action, chance.choice((-1.0, -0.9, -0.7))], start)
        share = share_of(kept_by_parameters(traces, found, budget))
        if share > most:
            best, most = found, share
    return best


def train(
    traces: Sequence[MemoryTrace],
    unseen: Mapping[str, Sequence[MemoryTrace]],
    *,
    budget: float,
    steps: int,
    tries: int,
    seed: int,
    provenance: Mapping[str, Any],
    on_progress: Callable[[str], None] = lambda _: None,
) -> Learned:
    """Tunes fixed parameters, and learns a policy from them.

    Args:
        traces: the training scenarios, of one shape or of many.
        unseen: scenarios on which the result is measured, by the name of their shape, at least one.
        budget: share of all introduced bytes that may be kept.
        steps: of PPO; a step is a session.
        tries: number of fixed settings.
        seed: of search and PPO.
        provenance: what else the file of the policy tells about its training.
        on_progress: called with a message for each step.

    Raises:
        ConfigError: Gymnasium or Stable-Baselines3 is not installed.
    """
    try:
        import torch
        from stable_baselines3 import PPO
        from stable_baselines3.common.callbacks import BaseCallback
    except ImportError as error:
        from lucca_lab.forgetting.environment import INSTALL

        raise ConfigError(f'learning the policy needs Stable-Baselines3: {INSTALL}') from error
    from lucca_lab.forgetting.environment import ForgettingEnv

    on_progress(f'{tries} fixed settings on {len(traces)} scenarios')
    tuned = tune(traces, budget, tries, seed, ForgettingConfig())
    env = ForgettingEnv(traces, budget, tuned)
    torch.set_num_threads(1)
    curve: list[tuple[int, float, float]] = []

    class Watch(BaseCallback):  # type: ignore[misc]
        """Notes the progress at the end of each rollout."""

        def __init__(self) -> None:
            super().__init__()
            self.kept: list[float] = []

        def _on_step(self) -> bool:
            self.kept += [info['kept'] for info in self.locals['infos'] if 'kept' in info]
            return True

        def _on_rollout_end(self) -> None:
            returns = [episode['r'] for episode in self.model.ep_info_buffer or ()]
            if returns:
                recent = float(np.mean(self.kept[-len(returns) :]))
                curve.append((self.num_timesteps, float(np.mean(returns)), recent))
                on_progress(f'{self.num_timesteps} steps: return {curve[-1][1]:.2f}, kept {recent:.3f}')

    model = PPO(
        'MlpPolicy',
        env,
        seed=seed,
        n_steps=600,
        batch_size=100,
        gamma=0.99,
        learning_rate=5e-4,
        policy_kwargs={'net_arch': [16, 16], 'log_std_init': -1.0},
        device='cpu',
    )
    # Training begins at the tuned parameters; a random last layer would begin somewhere near them.
    torch.nn.init.zeros_(model.policy.action_net.weight)
    torch.nn.init.zeros_(model.policy.action_net.bias)
    model.learn(steps, callback=Watch())
    policy = exported(model, tuned, {})
    measured = {name: KeptFacts.of(group, policy, budget) for name, group in unseen.items()}
    kept = {
        TRAINING: KeptFacts.of(traces, policy, budget),
        **measured,
        ALL_UNSEEN: KeptFacts.pooled(measured.values()),
    }
    told = {
        'learned_by': 'PPO (Stable-Baselines3) on replays of recorded scenarios; lucca eval forgetting train',
        'date': datetime.now(UTC).date().isoformat(),
        **provenance,
        'seed': seed,
        'steps': steps,
        'tries_of_fixed_settings': tries,
        'budget': budget,
        'train': [trace.scenario.name for trace in traces],
        'unseen': {name: [trace.scenario.name for trace in group] for name, group in unseen.items()},
        'critical_facts_kept': {name: facts.as_json() for name, facts in kept.items()},
        'versions': {
            'python': platform.python_version(),
            **{name: version(name) for name in ('lucca', 'stable-baselines3', 'gymnasium', 'torch', 'numpy')},
        },
    }
    return Learned(tuned, replace(policy, provenance=told), tuple(curve), kept)


def exported(model: Any, base: ForgettingConfig, provenance: dict[str, Any]) -> Policy:
    """The mean action of a PPO policy, as a `Policy` of plain arrays."""
    nets = [layer for layer in model.policy.mlp_extractor.policy_net if hasattr(layer, 'weight')]
    layers = tuple(
        (layer.weight.detach().numpy().astype(np.float32).copy(), layer.bias.detach().numpy().astype(np.float32).copy())
        for layer in (*nets, model.policy.action_net)
    )
    return Policy(layers, base, provenance)
