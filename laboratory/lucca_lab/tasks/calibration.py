"""Fit of the model-fault rates of the profile `paper` to the published scores of the runs without memory.

Only the standalone cells and those without memory are used, averaged over both models. The fit has one factor for all
faults that spoil a call (their proportions are given, since a cell only says that something went wrong), one rate for
misread lists, from the two retentions, and three numbers for the growth of both with the distance to the task's text.
A fast model of a session replaces the stack: the distances of its calls are those of a run without faults, a task
ends at its first spoilt call, and the text that would have followed is subtracted from later distances.
"""

import itertools
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lucca_lab.tasks.paper import METRICS, TASKS, load_paper
from lucca_lab.tasks.spec import Mode, Setting, TrialSpec
from lucca_lab.tasks.trial import run_trial

Target = Mapping[tuple[str, str, str], float]
"""Published figures by mode, task and metric, from 0 to 1."""

_ACTS = 'acts'
_ASKED_TASK, _ASKED_ENVIRONMENT = 'asked about the task', 'asked about the environment'


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a session without faults: its task, its purpose, and its distance from the task's text, in tokens."""

    task: str
    kind: str
    distance: int


@dataclass(frozen=True, kw_only=True)
class FittedFaults:
    """The fitted numbers.

    `spoilt` is the rate of all faults of a call together while the task's text is near; `error` is the mean absolute
    difference over all cells and metrics.
    """

    spoilt: float
    misread: float
    far_tokens: float
    far_factor: float
    far_power: float = 4.0
    error: float = 1.0

    def chance(self, rate: float, distance: float) -> float:
        """The rate of a fault at a distance, as `FaultProfile.rate` computes it."""
        risen = 1.0 / (1.0 + math.pow(self.far_tokens / max(1.0, distance), self.far_power))
        return 1.0 - math.pow(1.0 - rate, 1.0 + self.far_factor * risen)


def targets() -> dict[tuple[str, str, str], float]:
    """The published figures that the fit may use: those without memory."""
    paper = load_paper()
    found: dict[tuple[str, str, str], float] = {}
    for mode, memory, task in paper.published:
        if memory:
            continue
        for metric in METRICS:
            rate = paper.mean(mode, memory, task, metric)
            if rate is not None:
                found[mode, task, metric] = rate
    return found


def sessions_without_faults(seed: int = 0) -> dict[str, list[list[Call]]]:
    """The calls of one session for each mode (standalone: one for each task), as made without memory."""
    found: dict[str, list[list[Call]]] = {}
    for mode in Mode:
        for tasks in [(task,) for task in TASKS] if mode is Mode.STANDALONE else [TASKS]:
            spec = TrialSpec(
                suite='calibration', mode=mode.value, memory=False, tasks=tasks, index=0, seed=seed, setting=Setting()
            )
            found.setdefault(mode.value, []).append([_call(line) for line in run_trial(spec)['transcript']])
    return found


def _call(line: Mapping[str, Any]) -> Call:
    asked = str(line['asked'])
    task = next(text.removeprefix('Task:').strip() for text in asked.splitlines() if text.startswith('Task:'))
    question = _ASKED_ENVIRONMENT if 'left on the table' in asked else _ASKED_TASK
    return Call(task, question if 'Question:' in asked else _ACTS, line['distance'])


def simulate(sessions: Mapping[str, Sequence[Sequence[Call]]], fit: FittedFaults, trials: int, seed: int = 0) -> Target:
    """The rates of every cell under a fit, from the fast model."""
    chance = random.Random(seed)
    sums: dict[tuple[str, str, str], list[float]] = {}
    for mode, chats in sessions.items():
        for chat in chats:
            for _ in range(trials):
                for key, rates in _one(mode, chat, fit, chance).items():
                    sums.setdefault(key, []).append(rates)
    return {key: sum(rates) / len(rates) for key, rates in sums.items()}


def _one(
    mode: str, chat: Sequence[Call], fit: FittedFaults, chance: random.Random
) -> dict[tuple[str, str, str], float]:
    failed: set[str] = set()
    missing = 0.0
    exact: dict[tuple[str, str], list[bool]] = {}
    last = chat[0].distance
    for call in chat:
        step, last = max(0, call.distance - last), call.distance
        distance = call.distance - missing
        if call.kind == _ACTS:
            if call.task in failed:
                missing += step
            elif chance.random() < fit.chance(fit.spoilt, distance):
                failed.add(call.task)
        else:
            spoilt = 1 - (1 - fit.chance(fit.misread, distance)) * (1 - fit.chance(fit.spoilt / 2, distance))
            exact.setdefault((call.task, call.kind), []).append(chance.random() >= spoilt)
    rates = {(mode, task, METRICS[0]): float(task not in failed) for task, _ in exact}
    for (task, kind), answers in exact.items():
        metric = METRICS[1] if kind == _ASKED_TASK else METRICS[2]
        rates[mode, task, metric] = sum(answers) / len(answers)
    return rates


def error_of(found: Target, wanted: Target) -> float:
    """The mean absolute difference over the cells that both have."""
    both = [key for key in wanted if key in found]
    return sum(abs(found[key] - wanted[key]) for key in both) / len(both)


def fit_profile(trials: int = 40) -> FittedFaults:
    """The best fit on a grid, refined around its best point. It is deterministic and takes about half a minute."""
    sessions, wanted = sessions_without_faults(), targets()
    grid = itertools.product(
        (0.002, 0.004, 0.008), (0.002, 0.005, 0.01), (800.0, 1100.0, 1400.0), (20.0, 40.0, 80.0), (2.0, 4.0)
    )
    names = ('spoilt', 'misread', 'far_tokens', 'far_factor', 'far_power')
    best = _best([FittedFaults(**dict(zip(names, values, strict=True))) for values in grid], sessions, wanted, trials)
    for step in (1.4, 1.2, 1.1):
        around = [
            replace(
                best, **{name: getattr(best, name) * step**power for name, power in zip(names, powers, strict=True)}
            )
            for powers in itertools.product((-1, 0, 1), repeat=len(names))
        ]
        best = _best(around, sessions, wanted, trials)
    return best


def _best(
    fits: Iterable[FittedFaults], sessions: Mapping[str, Sequence[Sequence[Call]]], wanted: Target, trials: int
) -> FittedFaults:
    tried = [replace(fit, error=error_of(simulate(sessions, fit, trials), wanted)) for fit in fits]
    return min(tried, key=lambda fit: fit.error)
