"""The critical facts that fixed parameters and policies keep of replayed scenarios, and how far one is ahead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lucca_lab.forgetting.policy import Policy
from lucca_lab.forgetting.scoring import paired_interval
from lucca_lab.forgetting.trace import MemoryTrace, Replay
from lucca_memory.semantic.config import ForgettingConfig

Counts = tuple[tuple[int, int], ...]
"""Of each scenario, the critical facts that are kept, and all."""
TRAINING, ALL_UNSEEN = 'training', 'all unseen'
"""The names of the training scenarios, and of all that were in no training, in a table of kept facts."""


def kept_by_parameters(traces: Sequence[MemoryTrace], config: ForgettingConfig, budget: float) -> Counts:
    """What fixed parameters keep."""
    counts = []
    for trace in traces:
        replay = Replay(trace, budget)
        while not replay.is_done:
            replay.session()
            replay.forget(config)
        critical = {fact.fact_id for fact in trace.scenario.critical}
        counts.append((len(critical & replay.kept()), len(critical)))
    return tuple(counts)


def kept_by_policy(traces: Sequence[MemoryTrace], policy: Policy, budget: float) -> Counts:
    """What a policy keeps.

    Raises:
        ConfigError: Gymnasium is not installed.
    """
    from lucca_lab.forgetting.environment import ForgettingEnv

    counts = []
    env = ForgettingEnv(traces, budget, policy.base)
    for number, trace in enumerate(traces):
        state, _ = env.reset(seed=0, options={'trace': number})
        done, info = False, dict[str, Any]()
        while not done:
            state, _, done, _, info = env.step(policy.action(state))
        all_of_them = len(trace.scenario.critical)
        counts.append((round(info['kept'] * all_of_them), all_of_them))
    return tuple(counts)


def share_of(counts: Counts) -> float:
    """The share that is kept, over all scenarios."""
    return sum(kept for kept, _ in counts) / sum(total for _, total in counts)


@dataclass(frozen=True, slots=True)
class KeptFacts:
    """What the defaults, the tuned fixed parameters and the learned policy keep of the same scenarios."""

    default: Counts
    tuned: Counts
    learned: Counts

    @classmethod
    def of(cls, traces: Sequence[MemoryTrace], policy: Policy, budget: float) -> 'KeptFacts':
        """Replays the scenarios. The tuned parameters are those from which the policy starts."""
        return cls(
            default=kept_by_parameters(traces, ForgettingConfig(), budget),
            tuned=kept_by_parameters(traces, policy.base, budget),
            learned=kept_by_policy(traces, policy, budget),
        )

    @classmethod
    def pooled(cls, groups: Iterable['KeptFacts']) -> 'KeptFacts':
        """Several groups of scenarios as one."""
        found = list(groups)
        return cls(*(sum((getattr(group, name) for group in found), ()) for name in ('default', 'tuned', 'learned')))

    @property
    def facts(self) -> int:
        """The number of critical facts."""
        return sum(total for _, total in self.default)

    @property
    def shares(self) -> dict[str, float]:
        """The share that each keeps."""
        return {name: share_of(getattr(self, name)) for name in ('default', 'tuned', 'learned')}

    @property
    def ahead(self) -> tuple[float, float]:
        """The 95 % interval of the share that the policy keeps minus that of the tuned parameters.

        Raises:
            ValueError: there is no critical fact.
        """
        found = paired_interval(self.learned, self.tuned)
        if found is None:
            raise ValueError('there are no critical facts to compare')
        return found

    @property
    def is_ahead(self) -> bool:
        """Whether the policy keeps more than the tuned parameters, outside the interval."""
        return self.ahead[0] > 0

    def as_json(self) -> dict[str, Any]:
        """The figures for the file of the policy."""
        return {
            'facts': self.facts,
            **{name: round(share, 4) for name, share in self.shares.items()},
            'learned_minus_tuned': [round(value, 4) for value in self.ahead],
        }
