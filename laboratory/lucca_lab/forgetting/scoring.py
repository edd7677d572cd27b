"""The paper's scores (section 3.3) with bootstrap intervals over scenarios."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lucca_lab.forgetting.run import AnswerOutcome

SCORES = ('mrs', 'fp', 'coherence', 'task_completion', 'found', 'once')
"""Scores that are shares. Scenarios have numerators and denominators, so that they can be resampled and pooled."""


@dataclass(frozen=True, slots=True)
class ForgettingScore:
    """The scores of one scenario, each as (numerator, denominator), and its costs.

    mrs: critical facts recalled / critical facts introduced. A fact is recalled if at the end the context has the valid
        value and no outdated one without a mark.
    fp: irrelevant facts forgotten / facts forgotten. A fact is forgotten if no kept text states it; values that were
        replaced are irrelevant.
    coherence: of all repeated questions that had an answer at either time, those with the value of the time and no
        outdated one both times.
    task_completion: tasks for which one context recalls every fact.
    found: like mrs, but an outdated value besides the valid one is allowed.
    once: like mrs, over critical facts that are said once and not asked for in three weeks.
    """

    scenario: str
    family: str
    shares: Mapping[str, tuple[int, int]]
    bytes: int
    nodes: int
    tokens: float
    ms: float
    query_ms: float

    def as_json(self) -> dict[str, Any]:
        """All values, for the file of the run."""
        return {
            'scenario': self.scenario,
            'family': self.family,
            'shares': {name: list(pair) for name, pair in self.shares.items()},
            'bytes': self.bytes,
            'nodes': self.nodes,
            'tokens': self.tokens,
            'ms': self.ms,
            'query_ms': self.query_ms,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> 'ForgettingScore':
        """The inverse of `as_json`."""
        shares = {name: (int(pair[0]), int(pair[1])) for name, pair in values['shares'].items()}
        return cls(**{**values, 'shares': shares})


def score(outcome: AnswerOutcome) -> ForgettingScore:
    """Computes the scores of one scenario."""
    scenario = outcome.scenario
    exam = [(asked, answer) for session, asked, answer in outcome.asked if session is None]
    forgotten = [fact for fact in scenario.facts if outcome.forgets and fact.fact_id not in outcome.kept]
    once = [answer.correct for asked, answer in exam if asked.facts[0].is_once]
    shares = {
        'mrs': _count([answer.correct for _, answer in exam]),
        'found': _count([answer.found for _, answer in exam]),
        'once': _count(once),
        'fp': _count([not fact.is_critical for fact in forgotten]),
        'coherence': _count(coherent_pairs(outcome)),
        'task_completion': _count(outcome.tasks),
        'history': _count(outcome.history),
        'updated_above': _count(outcome.above),
        'stale': _count([answer.stale for _, answer in exam]),
    }
    return ForgettingScore(
        scenario=scenario.name,
        family=scenario.family,
        shares=shares,
        bytes=outcome.bytes,
        nodes=outcome.nodes,
        tokens=float(np.mean(outcome.tokens)),
        ms=1e3 * (sum(outcome.turn_s) + sum(outcome.query_s)) / (len(list(scenario.told())) + len(outcome.query_s)),
        query_ms=1e3 * float(np.median(outcome.query_s)),
    )


def coherent_pairs(outcome: AnswerOutcome) -> list[bool]:
    """For each time that a slot is asked for again: whether both answers have their time's value and nothing outdated.

    Pairs in which neither answer has a value are left out.
    """
    last: dict[str, Any] = {}
    pairs = []
    for _, asked, answer in outcome.asked:
        slot = asked.facts[0].slot.name
        before = last.get(slot)
        if before is not None and (before.values or answer.values):
            pairs.append(before.correct and answer.correct)
        last[slot] = answer
    return pairs


def _count(hits: Sequence[bool]) -> tuple[int, int]:
    return sum(hits), len(hits)


def pooled(scores: Sequence[ForgettingScore], name: str) -> float | None:
    """A share over scenarios; None if its denominator is 0, as for the precision of forgetting nothing."""
    hits, total = (sum(item.shares[name][part] for item in scores) for part in (0, 1))
    return hits / total if total else None


def interval(
    scores: Sequence[ForgettingScore], name: str, draws: int = 2000, seed: int = 0
) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of a share, with whole scenarios resampled; None if nothing was counted."""
    counts = np.array([item.shares[name] for item in scores], float)
    return _bootstrap(counts, lambda sums: sums[:, 0] / sums[:, 1], draws, seed)


def interval_of_difference(
    ours: Sequence[ForgettingScore], others: Sequence[ForgettingScore], name: str, draws: int = 2000, seed: int = 0
) -> tuple[float, float] | None:
    """The 95 % interval of our share minus another system's, with the same scenarios resampled for both.

    Raises:
        ValueError: the systems were not measured on the same scenarios.
    """
    if [item.scenario for item in ours] != [item.scenario for item in others]:
        raise ValueError('both systems have to be measured on the same scenarios in the same order')
    return paired_interval([item.shares[name] for item in ours], [item.shares[name] for item in others], draws, seed)


def paired_interval(
    ours: Sequence[tuple[int, int]], theirs: Sequence[tuple[int, int]], draws: int = 2000, seed: int = 0
) -> tuple[float, float] | None:
    """The 95 % interval of our share minus theirs, from (numerator, denominator) of the same scenarios."""
    counts = np.array([(*a, *b) for a, b in zip(ours, theirs, strict=True)], float)
    return _bootstrap(counts, lambda sums: sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3], draws, seed)


def _bootstrap(counts: Any, statistic: Callable[[Any], Any], draws: int, seed: int) -> tuple[float, float] | None:
    if not len(counts) or (counts[:, 1::2].sum(axis=0) == 0).any():
        return None
    rng = np.random.default_rng(seed)
    sums = counts[rng.integers(0, len(counts), (draws, len(counts)))].sum(axis=1)
    sums = sums[(sums[:, 1::2] > 0).all(axis=1)]
    low, high = np.percentile(statistic(sums), [2.5, 97.5])
    return float(low), float(high)
