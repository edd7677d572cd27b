"""Laws of solid bodies: no object is inside another or passes through it."""

import numpy as np

from lucca_lab.judge.evidence import Evidence
from lucca_lab.judge.faults import Fault

MAX_DEPTH_M = 0.015
"""Contacts are springs: a dropped object enters a wall by some millimetres for one sample, one pressed by a hand by up
to 12."""

LASTING_DEPTH_M = 0.006
LASTING_ROWS = 4
"""Thin walls never go deep into each other; what no hand presses is not in them for longer than a bounce."""

STEP_M = 0.01
"""On a longer way than this from one sample to the next, places between them are looked at too."""


def nothing_is_inside_another(evidence: Evidence) -> list[Fault]:
    """No object overlaps the table, a container, the robot or another object by more than a contact's give."""
    faults: list[Fault] = []
    told: set[int] = set()
    touches = evidence.touches
    for index in np.flatnonzero(touches.gaps_m < -MAX_DEPTH_M):
        _tell(
            evidence,
            faults,
            told,
            int(touches.rows[index]),
            int(touches.columns[index]),
            int(touches.others[index]),
            float(touches.gaps_m[index]),
        )
    for first in _lasting(evidence):
        _tell(
            evidence,
            faults,
            told,
            int(touches.rows[first]),
            int(touches.columns[first]),
            int(touches.others[first]),
            float(touches.gaps_m[first]),
        )
    trace, world = evidence.trace, evidence.world
    ways = np.linalg.norm(np.diff(trace.object_positions_m, axis=0), axis=2).max(axis=1)
    for row in np.flatnonzero((ways > STEP_M) & np.isfinite(ways)):
        for part in np.linspace(0.0, 1.0, min(200, int(np.ceil(ways[row] / STEP_M))) + 1)[1:-1]:
            between = (1 - part) * trace.object_positions_m[row] + part * trace.object_positions_m[row + 1]
            world.put(between, trace.object_orientations_wxyz[row], trace.joint_positions_rad[row])
            bodies, _, gaps = world.near_pairs()
            for pair, gap in zip(bodies, gaps, strict=True):
                if gap < -MAX_DEPTH_M:
                    for one, other in (pair, pair[::-1]):
                        if world.column_of[one] >= 0:
                            _tell(evidence, faults, told, int(row), int(world.column_of[one]), int(other), float(gap))
    return faults


def _lasting(evidence: Evidence) -> list[int]:
    """Of each pair that overlaps for several samples while the robot moves neither: the first touch of those."""
    touches = evidence.touches
    deep = np.flatnonzero((touches.gaps_m < -LASTING_DEPTH_M) & ~evidence.driven[touches.rows, touches.columns])
    found: list[int] = []
    since: dict[tuple[int, int], list[int]] = {}
    for index in deep:
        pair = (int(touches.columns[index]), int(touches.others[index]))
        run = since.setdefault(pair, [])
        if run and touches.rows[index] != touches.rows[run[-1]] + 1:
            run.clear()
        run.append(int(index))
        if len(run) == LASTING_ROWS:
            found.append(run[0])
    return found


def _tell(
    evidence: Evidence, faults: list[Fault], told: set[int], row: int, column: int, other: int, gap_m: float
) -> None:
    if column in told:
        return
    told.add(column)
    name = evidence.world.model.body(other).name
    what = 'the table or the floor' if name == 'world' else name
    faults.append(
        Fault(
            law='solids',
            object=evidence.trace.object_names[column],
            time_s=float(evidence.trace.time_s[row]),
            text=f'is {-gap_m * 1000:.0f} mm inside {what}',
        )
    )
