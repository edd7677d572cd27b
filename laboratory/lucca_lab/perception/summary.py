"""The figures of a perception run, compared with their targets."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lucca_lab.perception.sequences import SequenceResult
from lucca_lab.perception.stills import StillResult

LEAST_F1, MOST_ERROR_MM, MOST_SWITCHES, LEAST_FPS = 0.98, 5.0, 1.0, 10.0


@dataclass(frozen=True, slots=True)
class Results:
    """All results, in the order of their numbers."""

    stills: tuple[StillResult, ...]
    sequences: tuple[SequenceResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table. `target` is for people; `kept` is None if there is no target or no measurement."""

    name: str
    value: float | None
    unit: str = ''
    target: str = ''
    kept: bool | None = None

    def text(self) -> str:
        """The value as it is printed."""
        if self.value is None:
            return 'not measured'
        return (
            f'{self.value:.4g} {self.unit}'.strip()
            if abs(self.value) < 1000
            else f'{self.value:.0f} {self.unit}'.strip()
        )


def figures(results: Results) -> tuple[Figure, ...]:
    """All figures; those with targets come first."""
    found = sum(len(item.score.found) for item in results.stills)
    missed = sum(len(item.score.missed) for item in results.stills)
    wrong = sum(len(item.score.wrong) for item in results.stills)
    precision, recall = _share(found, found + wrong), _share(found, found + missed)
    f1 = _share(2 * found, 2 * found + wrong + missed)
    errors = [value for item in results.stills for value in item.score.errors_mm]
    error = float(np.median(errors)) if errors else None
    seen = sum(item.object_frames for item in results.sequences)
    switches = _share(1000 * sum(item.switches for item in results.sequences), seen)
    fps = 1.0 / float(np.median([item.cpu_s for item in results.stills])) if results.stills else None
    return (
        Figure(name='F1 at IoU 0.5', value=f1, target=f'>= {LEAST_F1}', kept=_kept(f1, LEAST_F1, at_least=True)),
        Figure(
            name='3D error, median',
            value=error,
            unit='mm',
            target=f'< {MOST_ERROR_MM:g} mm',
            kept=_kept(error, MOST_ERROR_MM),
        ),
        Figure(
            name='identity switches per 1,000 object-frames',
            value=switches,
            target=f'< {MOST_SWITCHES:g}',
            kept=_kept(switches, MOST_SWITCHES),
        ),
        Figure(
            name='frames a second on one core, 640x480',
            value=fps,
            target=f'>= {LEAST_FPS:g}',
            kept=_kept(fps, LEAST_FPS, at_least=True),
        ),
        Figure(name='precision', value=precision),
        Figure(name='recall', value=recall),
        Figure(name='3D error, 95th percentile', value=float(np.percentile(errors, 95)) if errors else None, unit='mm'),
        Figure(name='scenes', value=float(len(results.stills))),
        Figure(name='objects scored in scenes', value=float(found + missed)),
        Figure(name='of them at most 0.9 visible', value=float(_hidden(results.stills)[0])),
        Figure(name='recall of those', value=_share(*reversed(_hidden(results.stills)))),
        Figure(name='sequences', value=float(len(results.sequences))),
        Figure(name='object-frames in sequences', value=float(seen)),
        Figure(name='identity switches', value=float(sum(item.switches for item in results.sequences))),
        Figure(
            name='seen where it was put, of all carried or pushed',
            value=_share(
                sum(item.placed_right for item in results.sequences if not item.done.startswith('point')),
                sum(not item.done.startswith('point') for item in results.sequences),
            ),
        ),
        Figure(
            name='recall in sequences',
            value=_share(seen, seen + sum(item.missed for item in results.sequences)),
        ),
    )


def misses(results: Results) -> dict[str, dict[str, int]]:
    """How often objects were missed in scenes, and how often there were false detections, by kind."""
    return {
        'missed': _kinds(name for item in results.stills for name in item.score.missed),
        'wrong': _kinds(name for item in results.stills for name in item.score.wrong),
    }


def as_json(results: Results, plan: dict[str, Any]) -> dict[str, Any]:
    """The figures and the plan, in types that JSON can hold."""
    return {
        'plan': plan,
        'figures': {
            item.name: {'value': item.value, 'unit': item.unit, 'target': item.target, 'kept': item.kept}
            for item in figures(results)
        },
        **misses(results),
        'labels': by_label(results),
    }


def by_label(results: Results) -> dict[str, dict[str, float | int | None]]:
    """Counts, precision and recall of each kind of object in the scenes, by name."""
    kinds = {
        'found': _kinds(name for item in results.stills for name in item.score.found),
        **misses(results),
    }
    names = sorted({name for counted in kinds.values() for name in counted})
    rows = {name: {what: counted.get(name, 0) for what, counted in kinds.items()} for name in names}
    return {
        name: {
            **row,
            'precision': _share(row['found'], row['found'] + row['wrong']),
            'recall': _share(row['found'], row['found'] + row['missed']),
        }
        for name, row in rows.items()
    }


def _hidden(stills: Iterable[StillResult]) -> tuple[int, int]:
    """Number of scored objects of which at least a tenth was hidden, and how many of them were found."""
    there = found = 0
    for item in stills:
        for name in (*item.score.found, *item.score.missed):
            if item.visible[name] <= 0.9:
                there += 1
                found += name in item.score.found
    return there, found


def _kinds(names: Iterable[str]) -> dict[str, int]:
    counted = Counter(name.rstrip('0123456789').strip() for name in names)
    return dict(counted.most_common())


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _kept(value: float | None, limit: float, *, at_least: bool = False) -> bool | None:
    if value is None:
        return None
    return value >= limit if at_least else value < limit
