"""The benchmark of `lucca bench`: overhead per action, perception, simulation speed and prompt size against budgets.

Times hold for this machine and this run. Compare runs by the ratio to an empty ROS action round trip, which each run
measures.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lucca_cli.client import StackClient
from lucca_cli.output import Output
from lucca_cli.stack import Stack, StackOptions
from lucca_core.protocol.goals import GoalRequest, GoalResult
from lucca_lab.bench.prompt_growth import prompt_tokens_per_action
from lucca_lab.bench.round_trips import empty_action_round_trips_s, empty_service_calls_s
from lucca_sim.config import SimConfig
from lucca_sim.factories import make_table

SCENES = ('sorting', 'tower', 'arrangement', 'pointing', 'recipe')
ROUND_TRIPS = 200
SIM_S = 20.0
SPEED = 2.0
"""Speed of the simulation while the overhead is measured. The simulator must leave the stack enough time."""


@dataclass(frozen=True)
class BenchmarkLine:
    """One figure with its budget. `budget` None means that the figure is only for information."""

    name: str
    value: float
    unit: str
    budget: float | None = None
    at_least: bool = False

    @property
    def kept(self) -> bool | None:
        """Whether the budget is kept; None if there is none."""
        if self.budget is None:
            return None
        return self.value >= self.budget if self.at_least else self.value <= self.budget


def run_bench(out: Path, show: Output) -> dict[str, Any]:
    """Measures everything, prints a line for each figure, and returns all figures by name."""
    out.mkdir(parents=True, exist_ok=True)
    show.heading('empty ROS round trips')
    with StackClient() as client:
        empty_action_ms = 1e3 * np.array(empty_action_round_trips_s(client.node, ROUND_TRIPS))
        empty_service_ms = 1e3 * np.array(empty_service_calls_s(client.node, ROUND_TRIPS))
    lines = [
        *_percentiles('empty action round trip', empty_action_ms),
        *_percentiles('empty service call', empty_service_ms),
    ]
    show.heading('overhead per action, five tasks')
    reports, frames_s = _tasks(out, show)
    lines += _overhead(reports, empty_action_ms)
    lines += _percentiles('perception per frame, 640x480', 1e3 * np.array(frames_s), budget_p50=30.0)
    show.heading('simulation')
    lines.append(
        BenchmarkLine('physics, camera at 10 Hz, over real time', _simulation_speed(), 'x', budget=1.0, at_least=True)
    )
    show.heading('prompts')
    lines += _prompts()
    for line in lines:
        mark = {True: 'kept', False: 'MISSED', None: ''}[line.kept]
        budget = '' if line.budget is None else f'{">=" if line.at_least else "<="} {line.budget:g}'
        show.line(f'  {line.name:<58} {line.value:10.2f} {line.unit:<6} {budget:<10} {mark}')
    return {
        line.name: {'value': line.value, 'unit': line.unit, 'budget': line.budget, 'kept': line.kept} for line in lines
    }


def _tasks(out: Path, show: Output) -> tuple[list[GoalResult], list[float]]:
    reports: list[GoalResult] = []
    frames_s: list[float] = []
    for scene in SCENES:
        folder = out / scene
        options = StackOptions(
            scene=scene, engine='kinematic', speed=SPEED, data_dir=folder / 'memory', state_dir=folder / 'state'
        )
        with Stack(options, folder) as stack:
            stop = stack.client.watch_table(lambda snapshot: frames_s.append(snapshot.processing_s))
            goal = stack.client.send_goal(GoalRequest(task=scene), _silent)
            report = goal.wait(600.0, stack.alive)
            stop()
        show.report(report)
        reports.append(report)
    return reports, frames_s


def _silent(_: object) -> None:
    """Shows no feedback, since printing would be measured too."""


def _overhead(reports: Sequence[GoalResult], empty_action_ms: np.ndarray) -> list[BenchmarkLine]:
    overhead_ms = 1e3 * np.array([value for report in reports for value in report.overhead_s])
    planning_ms = 1e3 * np.array([value for report in reports for value in report.planning_s])
    waiting_ms = 1e3 * np.array([value for report in reports for value in report.verify_wait_s])
    p50, p99 = np.percentile(overhead_ms, (50, 99))
    return [
        *_percentiles('overhead per action', overhead_ms, budget_p50=15.0, budget_p99=60.0),
        BenchmarkLine(
            'overhead p50 over an empty action round trip, p50', p50 / float(np.median(empty_action_ms)), 'x'
        ),
        BenchmarkLine(
            'overhead p99 over an empty action round trip, p99', p99 / float(np.percentile(empty_action_ms, 99)), 'x'
        ),
        *_percentiles('motion planning per action', planning_ms, budget_p50=150.0),
        *_percentiles('waiting for and processing the verifying frame', waiting_ms),
    ]


def _percentiles(
    name: str, values: np.ndarray, budget_p50: float | None = None, budget_p99: float | None = None
) -> list[BenchmarkLine]:
    return [
        BenchmarkLine(f'{name}, p50', float(np.percentile(values, 50)), 'ms', budget_p50),
        BenchmarkLine(f'{name}, p99', float(np.percentile(values, 99)), 'ms', budget_p99),
    ]


def _simulation_speed() -> float:
    config = SimConfig(scene='sorting_tower', engine='physics')
    table = make_table(config)
    period_s = 1.0 / config.camera_rate_hz
    table.render()
    started_s = time.perf_counter()
    for frame in range(int(SIM_S / period_s)):
        table.step((frame + 1) * period_s)
        table.render()
    return SIM_S / (time.perf_counter() - started_s)


def _prompts() -> list[BenchmarkLine]:
    with_memory = prompt_tokens_per_action(objects=20, memory=True)
    without = prompt_tokens_per_action(objects=20, memory=False)
    lines = []
    for name, tokens in (('with memory', with_memory), ('whole dialogue', without)):
        early, late = float(np.median(tokens[1:5])), float(np.median(tokens[15:20]))
        budget = 1.1 if name == 'with memory' else None
        lines += [
            BenchmarkLine(f'prompt, {name}: median tokens at actions 2 to 5', early, 'tokens'),
            BenchmarkLine(f'prompt, {name}: median tokens at actions 16 to 20', late, 'tokens'),
            BenchmarkLine(f'prompt, {name}: late over early', late / early, 'x', budget),
        ]
    return lines
