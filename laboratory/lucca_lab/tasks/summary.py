"""Aggregation of trials into cells: one for each mode, memory on or off, and task."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lucca_lab.tasks.paper import METRICS, TASKS
from lucca_lab.tasks.scoring import wilson
from lucca_lab.tasks.spec import Mode
from lucca_lab.tasks.suites import GRID


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Rates over the trials of one cell, and their 95 % Wilson intervals by the name of the rate."""

    mode: str
    memory: bool
    task: str
    n: int
    success: float
    task_retention: float
    environment_retention: float
    raw_success: float
    intervals: dict[str, tuple[float, float]]

    @property
    def key(self) -> tuple[str, bool, str]:
        """Mode, memory and task."""
        return self.mode, self.memory, self.task


RATES = (*METRICS, 'raw_success')


class Counter:
    """Adds up the tasks of all trials by cell."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str, str, bool, str], dict[str, float]] = {}
        self.trials = 0
        self.ungated: list[str] = []
        self.asked: dict[tuple[str, str, str, bool], int] = {}
        """Number of steps in which the robot would have asked a person, by suite, variant, mode and memory."""
        self.calls = 0
        self.calls_cut = 0
        self.largest_prompt = 0

    def add(self, record: Mapping[str, Any]) -> None:
        """Counts one trial."""
        self.trials += 1
        self.ungated += record['ungated_actions']
        self.calls += record['calls']
        self.calls_cut += record['calls_cut']
        self.largest_prompt = max(self.largest_prompt, record['largest_prompt'])
        of = record['suite'], record['variant'], record['mode'], record['memory']
        for item in record['tasks']:
            self.asked[of] = self.asked.get(of, 0) + int(item.get('asked_person', 0))
            key = (record['suite'], record['variant'], record['mode'], record['memory'], item['task'])
            sums = self._sums.setdefault(key, dict.fromkeys(('n', *RATES), 0.0))
            sums['n'] += 1
            for name in RATES:
                sums[name] += float(item.get(name, 0.0))

    def cells(self, suite: str = GRID, variant: str = '') -> list[Cell]:
        """The cells of one variant of one suite, in the paper's order of modes and tasks."""
        cells = [
            _cell(mode, memory, task, sums)
            for (of_suite, of_variant, mode, memory, task), sums in self._sums.items()
            if (of_suite, of_variant) == (suite, variant)
        ]
        modes, tasks = [mode.value for mode in Mode], list(TASKS)
        return sorted(
            cells, key=lambda cell: (_place(modes, cell.mode), cell.memory, _place(tasks, cell.task), cell.task)
        )

    def suites(self) -> tuple[str, ...]:
        """The suites that have trials, in order of their first trial."""
        return tuple(dict.fromkeys(suite for suite, *_ in self._sums))

    def variants(self, suite: str) -> list[str]:
        """The variants of a suite that have trials, in order of their first trial."""
        return list(dict.fromkeys(variant for of_suite, variant, *_ in self._sums if of_suite == suite))


def _place(names: list[str], name: str) -> int:
    return names.index(name) if name in names else len(names)


def _cell(mode: str, memory: bool, task: str, sums: Mapping[str, float]) -> Cell:
    n = int(sums['n'])
    rates = {name: sums[name] / n for name in RATES}
    intervals = {name: wilson(sums[name], n) for name in RATES}
    return Cell(mode=mode, memory=memory, task=task, n=n, intervals=intervals, **rates)


def pooled(cells: Iterable[Cell], rate: str = 'success') -> float | None:
    """A rate over all trials of several cells; None if there are no trials."""
    found = list(cells)
    n = sum(cell.n for cell in found)
    return sum(getattr(cell, rate) * cell.n for cell in found) / n if n else None


def as_summary(counter: Counter, wall_s: float) -> dict[str, Any]:
    """The contents of `summary.json`, with the cells of the grid and those of every other suite by variant."""
    from lucca_lab.tasks.suites import SUITES

    others = {
        suite: {
            variant: [_shown(cell) for cell in counter.cells(suite, variant)] for variant in counter.variants(suite)
        }
        for suite in SUITES
        if suite != GRID and counter.variants(suite)
    }
    return {
        'modes': _modes(counter),
        'cells': [_shown(cell) for cell in counter.cells()],
        'wall_s': wall_s,
        'ungated_actions': len(counter.ungated),
        'trials': counter.trials,
        'model_calls': counter.calls,
        'model_calls_cut_by_the_window': counter.calls_cut,
        'largest_prompt_tokens': counter.largest_prompt,
        'suites': others,
    }


def _modes(counter: Counter) -> list[dict[str, Any]]:
    """Success over all tasks of a mode, its Wilson interval, and the number of steps in which a person was asked."""
    rows = []
    for (suite, variant, mode, memory), asked in counter.asked.items():
        cells = [cell for cell in counter.cells(suite, variant) if (cell.mode, cell.memory) == (mode, memory)]
        n, done = sum(cell.n for cell in cells), round(sum(cell.success * cell.n for cell in cells))
        rows.append(
            {
                'suite': suite,
                'variant': variant,
                'mode': mode,
                'memory': memory,
                'tasks': n,
                'done': done,
                'success': round(done / n, 4),
                'interval': [round(limit, 4) for limit in wilson(done, n)],
                'asked_person': asked,
            }
        )
    return rows


def _shown(cell: Cell) -> dict[str, Any]:
    value = asdict(cell)
    value['intervals'] = {name: [round(low, 4), round(high, 4)] for name, (low, high) in cell.intervals.items()}
    return {name: round(entry, 6) if isinstance(entry, float) else entry for name, entry in value.items()}
