"""Gymnasium environment for learning the forgetting policy; one step is one session (section 2 of the paper).

State: `lucca_lab.forgetting.policy.observation`. Action: a step away from the fixed parameters in
(α, β, γ, λ, θ), within their ranges. Reward: w1·ResponseQuality + w2·MemoryEfficiency − w3·InformationLoss.
ResponseQuality is the share of the session's questions that the kept memory answers, mixed with the person's verdict
on the answers. MemoryEfficiency is the free share of the budget. InformationLoss is the number of critical facts told
so far that this pass lost, divided by the number of all critical facts of the scenario.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lucca_core.errors import ConfigError
from lucca_lab.forgetting.policy import NAMES, STEP, Observation, action_of, observation, parameters
from lucca_lab.forgetting.scenario import ScenarioQuestion
from lucca_lab.forgetting.trace import MemoryTrace, Replay, Step
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.importance import terms_of_importance
from lucca_memory.semantic.graph.change import CONCEPT, OPEN
from lucca_memory.semantic.values import NetworkStats

INSTALL = 'pip install "gymnasium>=1,<2" "stable-baselines3>=2.4,<3"'

try:
    import gymnasium
except ImportError as error:
    raise ConfigError(f'learning the policy needs Gymnasium: {INSTALL}') from error


@dataclass(frozen=True, kw_only=True)
class Reward:
    """The weights w1, w2 and w3, and the share of the person's verdict in ResponseQuality.

    A verdict is right with the probability `verdict_right`.
    """

    quality: float = 1.0
    efficiency: float = 0.1
    loss: float = 10.0
    verdict_share: float = 0.3
    verdict_right: float = 0.9


class ForgettingEnv(gymnasium.Env):  # type: ignore[misc]
    """Each episode is one scenario, drawn at random from those given."""

    metadata: dict[str, Any] = {'render_modes': []}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        traces: Sequence[MemoryTrace],
        budget: float = 0.25,
        base: ForgettingConfig | None = None,
        reward: Reward | None = None,
    ) -> None:
        """Args:
        traces: recorded scenarios, at least one.
        budget: share of all introduced bytes that may be kept.
        base: the fixed parameters, from which actions deviate.
        reward: the weights of the reward.
        """
        if not traces:
            raise ValueError('an environment needs at least one scenario')
        self.observation_space = gymnasium.spaces.Box(-1, 1, (len(NAMES),), np.float32)
        self.action_space = gymnasium.spaces.Box(-1, 1, (5,), np.float32)
        self._traces, self._budget = list(traces), budget
        self._base, self._weights = base or ForgettingConfig(), reward or Reward()
        self._chance = random.Random(0)
        self._replay = Replay(self._traces[0], budget)
        self._step: Step = self._traces[0].steps[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a scenario; `options={'trace': n}` chooses it."""
        super().reset(seed=seed)
        if seed is not None:
            self._chance = random.Random(seed)
        drawn = self.np_random.integers(len(self._traces))
        number = int(drawn if options is None or 'trace' not in options else options['trace'])
        self._replay = Replay(self._traces[number], self._budget)
        self._step = self._replay.session()
        return self._state(), {}

    def step(self, action: Observation) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Runs a forgetting pass with the parameters of the action, and then the next session."""
        config = parameters((action_of(self._base) + STEP * np.clip(action, -1, 1)).tolist(), self._base)
        number, scenario = self._replay.number - 1, self._replay.trace.scenario
        before = self._replay.kept()
        self._replay.forget(config)
        kept = self._replay.kept()
        told = {fact.fact_id for fact in scenario.critical if fact.session <= number}
        lost = len(told & before - kept) / max(1, len(scenario.critical))
        free = 1 - min(1.0, self._replay.bytes / max(1, self._replay.budget_bytes))
        done = self._replay.is_done
        questions = scenario.exam if done else scenario.sessions[self._replay.number].events
        quality = self._quality([item for item in questions if isinstance(item, ScenarioQuestion)], kept)
        weights = self._weights
        reward = weights.quality * quality + weights.efficiency * free - weights.loss * lost
        critical = {fact.fact_id for fact in scenario.critical}
        info = {'kept': len(critical & kept) / len(critical)} if done else {}
        if not done:
            self._step = self._replay.session()
        return self._state(), float(reward), done, False, info

    def _quality(self, questions: Sequence[ScenarioQuestion], kept: frozenset[int]) -> float:
        """The share of questions answered, mixed with the person's verdict on each answer, which is usually right."""
        if not questions:
            return 0.0
        total = 0.0
        for asked in questions:
            answered = all(fact.fact_id in kept for fact in asked.facts)
            content = answered == (self._chance.random() < self._weights.verdict_right)
            total += (1 - self._weights.verdict_share) * answered + self._weights.verdict_share * content
        return total / len(questions)

    def _state(self) -> Observation:
        network, step = self._replay.network, self._step
        alive, kinds = network.column('alive'), network.column('kinds')
        telling = alive & (kinds != CONCEPT)
        terms = terms_of_importance(network, step.now, self._base)
        chosen = terms.importance[telling]
        stats = NetworkStats(
            statements=int(telling.sum()),
            concepts=int((alive & (kinds == CONCEPT)).sum()),
            closed=int((telling & (network.column('valid_to') != OPEN)).sum()),
            bytes=self._replay.bytes,
            importance=tuple(np.quantile(chosen, np.linspace(0, 1, 11)).tolist()) if len(chosen) else (0.0,) * 11,
            recency=float(terms.recency[telling].mean()) if len(chosen) else 0.0,
            frequency=float(terms.frequency[telling].mean()) if len(chosen) else 0.0,
            centrality=float(terms.centrality[telling].mean()) if len(chosen) else 0.0,
        )
        told = float(step.told[1].sum())
        query = step.query.tolist()
        return observation(stats, self._replay.budget_bytes, asked=step.asked, told=told, query=query)
