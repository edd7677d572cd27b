"""Laws of solid bodies: no object is inside another or passes through it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, product

import numpy as np

from lucca_lab.judge.evidence import Evidence
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats

MAX_DEPTH_M = 0.015
"""Contacts are springs: a dropped object enters a wall by some millimetres for one sample, and one pressed by a hand by
up to 12 mm."""

GIVES_PER_MPS = 0.003
BOUNCE_ROWS = 2
"""Further depth per impact speed, and the samples around an impact to which it applies. Objects that fall from the
table reach the floor at 4 m/s."""

FREE_M = 0.001
"""Two bodies that overlap by less than this are side by side."""

LASTING_DEPTH_M = 0.0065
LASTING_ROWS = 6
"""The most depth of a lasting overlap, and the samples after which it counts as lasting. Overlaps with thin walls are
never deep, but unless a hand presses they last no longer than a bounce. A cup that fell across a wall stayed 6 mm in
it."""

STEP_M = 0.01
"""If an object moves farther than this from one sample to the next, positions in between are checked too."""


@dataclass(frozen=True, slots=True)
class _Overlap:
    row: int
    column: int
    other: int
    gap_m: float
    positions_m: Floats


def nothing_is_inside_another(evidence: Evidence) -> list[Fault]:
    """Checks that no object overlaps the scene, the robot or another object by more than contacts yield."""
    faults: dict[int, Fault] = {}
    for found in chain(_deep(evidence), _between_samples(evidence)):
        if found.column not in faults and _is_inside(evidence, found):
            faults[found.column] = _fault(evidence, found)
    for found in _lasting(evidence):
        faults.setdefault(found.column, _fault(evidence, found))
    return list(faults.values())


def the_robot_is_in_nothing(evidence: Evidence) -> list[Fault]:
    """Checks that no link is inside the table, a container or the other arm by more than contacts yield."""
    overlaps, model, faults = evidence.robot_overlaps, evidence.world.model, {}
    for index in np.flatnonzero(overlaps.depths_m > MAX_DEPTH_M):
        first, second = (model.body(int(number)).name for number in overlaps.bodies[index])
        link, other = (first, second) if evidence.world.side_of[overlaps.bodies[index][0]] else (second, first)
        if link not in faults:
            what = 'the table or the floor' if other == 'world' else other
            faults[link] = Fault(
                law='solids',
                object=link,
                time_s=float(evidence.trace.time_s[overlaps.rows[index]]),
                text=f'is {overlaps.depths_m[index] * 1000:.0f} mm inside {what}',
            )
    return list(faults.values())


def _deep(evidence: Evidence) -> Iterator[_Overlap]:
    for index in np.flatnonzero(evidence.touches.gaps_m < -MAX_DEPTH_M):
        yield _overlap(evidence, int(index))


def _give_m(evidence: Evidence, found: _Overlap) -> float:
    """How deep two bodies may be in each other; more if one of them moved down fast at this time."""
    rows = slice(max(0, found.row - BOUNCE_ROWS), found.row + BOUNCE_ROWS + 1)
    columns = [column for column in (found.column, int(evidence.world.column_of[found.other])) if column >= 0]
    heights = evidence.trace.object_positions_m[rows, :, 2][:, columns]
    falls = -np.diff(heights, axis=0) / np.diff(evidence.trace.time_s[rows])[:, None]
    return MAX_DEPTH_M + GIVES_PER_MPS * max(0.0, float(falls.max(initial=0.0)))


def _between_samples(evidence: Evidence) -> Iterator[_Overlap]:
    """Deep overlaps on the straight path between two samples."""
    trace, world = evidence.trace, evidence.world
    ways = np.linalg.norm(np.diff(trace.object_positions_m, axis=0), axis=2).max(axis=1)
    for row in np.flatnonzero((ways > STEP_M) & np.isfinite(ways)):
        for part in np.linspace(0.0, 1.0, min(200, int(np.ceil(ways[row] / STEP_M))) + 1)[1:-1]:
            between = (1 - part) * trace.object_positions_m[row] + part * trace.object_positions_m[row + 1]
            world.put(between, trace.object_orientations_wxyz[row], trace.joint_positions_rad[row])
            near = world.near_pairs()
            for index in np.flatnonzero(near.gaps_m < -MAX_DEPTH_M):
                for one, other in (near.bodies[index], near.bodies[index][::-1]):
                    if world.column_of[one] >= 0:
                        column = int(world.column_of[one])
                        yield _Overlap(int(row), column, int(other), float(near.gaps_m[index]), between)


def _is_inside(evidence: Evidence, found: _Overlap) -> bool:
    """Whether an object still overlaps a body after a shift, in any direction, by as much as contacts yield.

    The engine's depth of a disc at the edge of a thin wall may be the distance to the end of the wall.
    """
    trace, world = evidence.trace, evidence.world
    give_m = _give_m(evidence, found)
    if -found.gap_m <= give_m:
        return False
    bodies = sorted((int(world.bodies[found.column]), found.other))
    for direction in product((-1.0, 0.0, 1.0), repeat=3):
        length = math.hypot(*direction)
        if not length:
            continue
        moved = found.positions_m.copy()
        moved[found.column] += np.array(direction) * give_m / length
        world.put(moved, trace.object_orientations_wxyz[found.row], trace.joint_positions_rad[found.row])
        near = world.near_pairs()
        same = (np.sort(near.bodies, axis=1) == bodies).all(axis=1)
        if not (near.gaps_m[same] < -FREE_M).any():
            return False
    return True


def _lasting(evidence: Evidence) -> list[_Overlap]:
    """The first touch of each overlap that lasts for several samples while the robot does not move the object."""
    touches = evidence.touches
    deep = np.flatnonzero((touches.gaps_m < -LASTING_DEPTH_M) & ~evidence.driven[touches.rows, touches.columns])
    found: list[_Overlap] = []
    since: dict[tuple[int, int], list[int]] = {}
    for index in deep:
        pair = (int(touches.columns[index]), int(touches.others[index]))
        run = since.setdefault(pair, [])
        if run and touches.rows[index] != touches.rows[run[-1]] + 1:
            run.clear()
        run.append(int(index))
        if len(run) == LASTING_ROWS:
            found.append(_overlap(evidence, run[0]))
    return found


def _overlap(evidence: Evidence, index: int) -> _Overlap:
    touches = evidence.touches
    row = int(touches.rows[index])
    return _Overlap(
        row,
        int(touches.columns[index]),
        int(touches.others[index]),
        float(touches.gaps_m[index]),
        evidence.trace.object_positions_m[row],
    )


def _fault(evidence: Evidence, found: _Overlap) -> Fault:
    name = evidence.world.model.body(found.other).name
    what = 'the table or the floor' if name == 'world' else name
    return Fault(
        law='solids',
        object=evidence.trace.object_names[found.column],
        time_s=float(evidence.trace.time_s[found.row]),
        text=f'is {-found.gap_m * 1000:.0f} mm inside {what}',
    )
