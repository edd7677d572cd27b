"""The table of a soak: growth per goal of memory, descriptors, threads, log and database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lucca_lab.soak.run import NODES, Sample, statuses
from lucca_lab.soak.slopes import Slope, slope_per_goal

WARM_UP = 30
"""Samples left out at the start of each process, while caches fill and libraries are loaded on first use."""

_SIZES = {'memory_kb': 'kB', 'descriptors': '', 'threads': ''}
_FILES = ('log', 'database', 'other files')


def soak_report(
    samples: Sequence[Sample], faults: Sequence[str] = (), uncertain: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Counts and slopes of a soak, in types that JSON can hold; `uncertain` has the uncertain outcomes by task."""
    rows = [row for name in NODES for row in _rows_of(name, samples)]
    for kind in _FILES:
        values = [sample.files[kind] / 1024 for sample in samples]
        slope = slope_per_goal([sample.goal for sample in samples], values, [0] * len(samples))
        rows.append(_row('data folder', kind, 'kB', slope, values))
    return {
        'goals': len(samples),
        'wall_s': samples[-1].wall_s if samples else 0.0,
        'kinds': dict(Counter(sample.kind for sample in samples)),
        'statuses': dict(statuses(list(samples))),
        'not_as_asked': [f'{sample.goal} {sample.kind}: {sample.status}' for sample in samples if ':' in sample.status],
        'log_faults': list(faults),
        'uncertain_outcomes': dict(uncertain or {}),
        'rows': rows,
    }


def uncertain_line(report: dict[str, Any]) -> str:
    """How many outcomes were uncertain, in one line."""
    counts = report['uncertain_outcomes']
    by_task = ', '.join(f'{task} {count}' for task, count in sorted(counts.items()))
    return f'uncertain outcomes: {sum(counts.values())}' + (f' ({by_task})' if by_task else '')


def soak_table(report: dict[str, Any]) -> str:
    """The rows as a Markdown table."""
    lines = [
        '| of | size | first | last | growth per goal [95 %] | processes |',
        '| --- | --- | --- | --- | --- | --- |',
    ]
    for row in report['rows']:
        unit = f' {row["unit"]}' if row['unit'] else ''
        growth = 'too few samples'
        if row['per_goal'] is not None:
            low, high = row['interval']
            growth = f'{row["per_goal"]:.3f} [{low:.3f}, {high:.3f}]{unit}'
        lines.append(
            f'| {row["of"]} | {row["size"]} | {row["first"]:.0f}{unit} | {row["last"]:.0f}{unit} | {growth} '
            f'| {row["processes"]} |'
        )
    return '\n'.join(lines)


def _rows_of(name: str, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    there = [sample for sample in samples if name in sample.processes]
    rows = []
    for size, unit in _SIZES.items():
        values = [getattr(sample.processes[name], size) for sample in there]
        slope = slope_per_goal(
            [sample.goal for sample in there],
            values,
            [sample.processes[name].pid for sample in there],
            warm_up=WARM_UP,
        )
        rows.append(_row(name, size.removesuffix('_kb'), unit, slope, values))
    return rows


def _row(of: str, size: str, unit: str, slope: Slope | None, values: Sequence[float]) -> dict[str, Any]:
    return {
        'of': of,
        'size': size,
        'unit': unit,
        'first': values[0] if values else 0.0,
        'last': values[-1] if values else 0.0,
        'per_goal': None if slope is None else round(slope.per_goal, 5),
        'interval': None if slope is None else [round(slope.low, 5), round(slope.high, 5)],
        'processes': 0 if slope is None else slope.lives,
    }
