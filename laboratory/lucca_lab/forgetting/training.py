"""Training of the forgetting policy: random search over fixed parameters, then PPO, starting from the best ones.

If PPO does not improve on the fixed parameters on the validation scenarios, the report says so.
"""

import platform
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from lucca_core.errors import ConfigError
from lucca_lab.forgetting.policy import Policy, parameters
from lucca_lab.forgetting.trace import MemoryTrace, Replay
from lucca_memory.semantic.config import RANGES, ForgettingConfig


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of a training.

    Attributes:
        tuned: the best fixed parameters.
        policy: the learned policy.
        curve: (steps, mean return of the last episodes, share of critical facts kept in these).
        figures: share of critical facts kept, by split and by what set the parameters.
    """

    tuned: ForgettingConfig
    policy: Policy
    curve: tuple[tuple[int, float, float], ...]
    figures: dict[str, dict[str, float]]

    @property
    def beats_tuned(self) -> bool:
        """Whether the learned policy keeps more on the validation scenarios than the best fixed parameters."""
        found = self.figures['validation']
        return found['learned'] > found['tuned']


def kept_share(traces: Sequence[MemoryTrace], config: ForgettingConfig, budget: float) -> float:
    """The share of critical facts that fixed parameters keep, over all scenarios."""
    kept = total = 0
    for trace in traces:
        replay = Replay(trace, budget)
        while not replay.is_done:
            replay.session()
            replay.forget(config)
        critical = {fact.fact_id for fact in trace.scenario.critical}
        kept += len(critical & replay.kept())
        total += len(critical)
    return kept / total


def tune(
    traces: Sequence[MemoryTrace], budget: float, tries: int, seed: int, start: ForgettingConfig
) -> ForgettingConfig:
    """The best fixed (α, β, γ, λ, θ) found by random search.

    Half of the tries are drawn from the full ranges (θ near its lower end), half around the best so far.
    """
    chance = random.Random(seed)
    best, most = start, kept_share(traces, start, budget)
    for number in range(tries):
        if number % 2:
            values = {name: getattr(best, name) * 2 ** chance.gauss(0, 0.7) for name in RANGES}
            clipped = {name: min(RANGES[name][1], max(RANGES[name][0], value)) for name, value in values.items()}
            found = replace(start, **clipped)
        else:
            action = [chance.uniform(-1, 1) for _ in range(4)]
            found = parameters([*action, chance.choice((-1.0, -0.9, -0.7))], start)
        share = kept_share(traces, found, budget)
        if share > most:
            best, most = found, share
    return best


def train(
    traces: Sequence[MemoryTrace],
    validation: Sequence[MemoryTrace],
    *,
    budget: float,
    steps: int,
    tries: int,
    seed: int,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Learned:
    """Tunes fixed parameters, and learns a policy from them.

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
    figures = {
        name: {
            'default': kept_share(group, ForgettingConfig(), budget),
            'tuned': kept_share(group, tuned, budget),
            'learned': learned_share(group, policy, budget),
        }
        for name, group in (('train', traces), ('validation', validation))
        if group
    }
    provenance = {
        'learned_by': 'PPO (Stable-Baselines3) on replays of recorded scenarios; lucca eval forgetting train',
        'date': datetime.now(UTC).date().isoformat(),
        'seed': seed,
        'steps': steps,
        'tries_of_fixed_settings': tries,
        'budget': budget,
        'train': [trace.scenario.name for trace in traces],
        'validation': [trace.scenario.name for trace in validation],
        'critical_facts_kept': figures,
        'versions': {
            'python': platform.python_version(),
            **{name: version(name) for name in ('lucca', 'stable-baselines3', 'gymnasium', 'torch', 'numpy')},
        },
    }
    return Learned(tuned, replace(policy, provenance=provenance), tuple(curve), figures)


def exported(model: Any, base: ForgettingConfig, provenance: dict[str, Any]) -> Policy:
    """The mean action of a PPO policy, as a `Policy` of plain arrays."""
    nets = [layer for layer in model.policy.mlp_extractor.policy_net if hasattr(layer, 'weight')]
    layers = tuple(
        (layer.weight.detach().numpy().astype(np.float32).copy(), layer.bias.detach().numpy().astype(np.float32).copy())
        for layer in (*nets, model.policy.action_net)
    )
    return Policy(layers, base, provenance)


def learned_share(traces: Sequence[MemoryTrace], policy: Policy, budget: float) -> float:
    """The share of critical facts that a policy keeps, over all scenarios."""
    from lucca_lab.forgetting.environment import ForgettingEnv

    kept = total = 0.0
    env = ForgettingEnv(traces, budget, policy.base)
    for number, trace in enumerate(traces):
        state, _ = env.reset(seed=0, options={'trace': number})
        done, info = False, dict[str, Any]()
        while not done:
            state, _, done, _, info = env.step(policy.action(state))
        kept += info['kept'] * len(trace.scenario.critical)
        total += len(trace.scenario.critical)
    return kept / total
