"""Laws of recorded contacts: each agrees with the geometry, and together they carry the objects that lie still."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lucca_lab.judge.evidence import Evidence, Mask, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import ContactTrack, Floats

Numbers = npt.NDArray[np.int64]

MAX_CONTACT_GAP_M = 0.004
LEAST_DEPTH_M = 0.002
LEAST_OVERLAP_M, OVERLAP_ROWS = 0.001, 10
"""A link that overlaps an object by this much for this many samples in a row has at least one recorded contact."""

ASLEEP_MPS = 0.005
NORMAL_SLACK = 0.05
MAX_OFF_M, LASTING_OFF_M, LASTING_ROWS = 0.018, 0.002, 5
"""How far a recorded depth may be from the depth that the geometry gives: at any time, and for this many samples in a
row. Of a disc and an edge, the engine may report either of two depths."""

MAX_TURNED_RAD, MAX_TURNED_OF_ROBOT_RAD = math.radians(25.0), math.radians(60.0)
"""How far a recorded normal may be from the geometric one at the deepest point, for this many samples in a row. Of two
equally deep points either may be recorded, and links are recorded one step later than objects."""

MAX_FORCE_N = 2000.0
"""Far more than a hand can press with, and more than a fall from the table causes."""

WEIGHED_ROWS = 5
"""How many samples in a row an object has to lie still to be weighed. The engine puts it to sleep soon after.

What has just come to rest may press harder than its weight for as many samples, so these do not count as too heavy.
"""
GRAVITY_MPS2 = 9.81
LEAST_SHARE = 0.25
"""The smallest share of a resting object's weight that its contacts may press with: a wall carries part of it by
friction."""

FLAT_Z, LOWEST_SHARE, HIGHEST_SHARE = 0.97, 0.7, 1.5
"""The limits of this share if all normals are vertical. Then only the weight presses on the contacts.

The higher one holds on the table only. The walls of a box may squeeze what lies in it, and are one body with its floor.
"""
_TABLE = 0
"""The body of the table in the world model."""


@dataclass(frozen=True)
class _Said:
    """The m recorded contacts.

    rows (m,): sample; bodies (m, 2): numbers in the world model, in ascending order; normals (m, 3): from the first
    body to the second.
    """

    rows: Numbers
    bodies: Numbers
    normals: Floats

    def keys(self, bodies: int) -> Numbers:
        return _keys(self.rows, self.bodies, bodies)


def contacts_are_possible(evidence: Evidence) -> list[Fault]:
    """Checks each record: it is between an object and a body of the scene, unique, has a direction, and pushes."""
    track, model = _track(evidence), evidence.world.model
    known = {model.body(index).name for index in range(model.nbody)}
    if unknown := sorted(set(track.body_names) - known):
        return [Fault(law='contacts', object=unknown[0], time_s=None, text='touches, and is no body of the scene')]
    if len(set(track.body_names)) < len(track.body_names):
        twice = next(name for name in track.body_names if track.body_names.count(name) > 1)
        return [Fault(law='contacts', object=twice, time_s=None, text='stands twice among the bodies that touch')]
    said = _said(evidence)
    with np.errstate(invalid='ignore'):
        directed = np.abs(np.linalg.norm(track.normals, axis=1) - 1.0) < NORMAL_SLACK
        pushes = (track.forces_n >= 0.0) & (track.forces_n < MAX_FORCE_N) & np.isfinite(track.depths_m)
    _, first = np.unique(said.keys(model.nbody), return_index=True)
    again = np.ones(len(said.rows), dtype=bool)
    again[first] = False
    of_object = (evidence.world.column_of[said.bodies] >= 0).any(axis=1) & (said.bodies[:, 0] != said.bodies[:, 1])
    faults: dict[str, Fault] = {}
    for wrong, text in (
        (~of_object, 'is said to touch what is no object'),
        (again, 'has one contact twice at a time'),
        (~(directed & pushes), 'has a contact that cannot be: {force:.3g} N, {depth:.3g} m deep'),
    ):
        for index in np.flatnonzero(wrong):
            told = text.format(force=track.forces_n[index], depth=track.depths_m[index])
            for name in _concerned(evidence, said.bodies[index]):
                time_s = float(evidence.trace.time_s[said.rows[index]])
                faults.setdefault(name, Fault(law='contacts', object=name, time_s=time_s, text=told))
    return list(faults.values())


def contacts_agree_with_places(evidence: Evidence) -> list[Fault]:
    """Checks that recorded contacts agree with the geometry and that no overlap is left out."""
    if contacts_are_possible(evidence):
        return []
    said, touches, count = _said(evidence), evidence.touches, evidence.world.model.nbody
    bodies = np.sort(np.column_stack([evidence.world.bodies[touches.columns], touches.others]), axis=1)
    near_keys = _keys(touches.rows, bodies, count)
    said_keys = said.keys(count)
    faults: list[Fault] = []
    for wrong, text in (
        (np.setdiff1d(said_keys, near_keys[touches.gaps_m <= MAX_CONTACT_GAP_M]), 'is said to touch {}, and does not'),
        (_off(evidence, said), 'touches {}, but not as deep or not on the side that is recorded'),
        (
            np.setdiff1d(near_keys[(touches.gaps_m <= -LEAST_DEPTH_M) & ~_sleeps(evidence, said)], said_keys),
            'overlaps {}, and no contact is recorded',
        ),
        (_left_out(evidence, said_keys), 'touches {} for a while, and no contact is recorded'),
    ):
        told: set[str] = set()
        for key in wrong.tolist():
            row, pair = key // count // count, (key // count % count, key % count)
            for name, other in zip(_names(evidence, pair), reversed(_names(evidence, pair)), strict=True):
                if name in evidence.trace.object_names and name not in told:
                    told.add(name)
                    time_s = float(evidence.trace.time_s[row])
                    faults.append(Fault(law='contacts', object=name, time_s=time_s, text=text.format(other)))
    return faults


def contacts_carry_what_lies(evidence: Evidence) -> list[Fault]:
    """Checks that the recorded forces on objects that lie still and are not held carry their weight."""
    if contacts_are_possible(evidence):
        return []
    trace, said, forces = evidence.trace, _said(evidence), _track(evidence).forces_n
    presses, lifts = np.zeros(trace.attached.shape), np.zeros(trace.attached.shape)
    tilted: Mask = np.zeros(trace.attached.shape, dtype=bool)
    walled: Mask = np.zeros(trace.attached.shape, dtype=bool)
    for side, sign in ((0, -1.0), (1, 1.0)):
        columns = evidence.world.column_of[said.bodies[:, side]]
        mine = columns >= 0
        where = said.rows[mine], columns[mine]
        up = sign * said.normals[mine, 2]
        np.add.at(presses, where, forces[mine])
        np.add.at(lifts, where, up * forces[mine])
        np.logical_or.at(tilted, where, np.abs(up) < FLAT_Z)
        np.logical_or.at(walled, where, said.bodies[mine, 1 - side] != _TABLE)
    lies = evidence.resting & ~evidence.driven & ~trace.attached & _recorded(evidence, said)
    faults = []
    for column, name in enumerate(trace.object_names):
        weight_n = evidence.scene.objects[_index(evidence, name)].mass_kg * GRAVITY_MPS2
        for first, last in runs_of(lies[:, column], WEIGHED_ROWS):
            rows = slice(first, last)
            flat = evidence.alone[rows, column].all() and not tilted[rows, column].any()
            least, most = (LOWEST_SHARE, HIGHEST_SHARE) if flat else (LEAST_SHARE, math.inf)
            shares = (lifts if flat else presses)[rows, column] / weight_n
            # Without its first rows, and without those in which a wall may squeeze it.
            settled = shares[WEIGHED_ROWS:][~walled[first + WEIGHED_ROWS : last, column]]
            pressed = float(settled.mean()) if len(settled) >= WEIGHED_ROWS else 0.0
            share = pressed if pressed > most else float(shares.mean())
            if share < least or pressed > most:
                text = f'lies still on contacts that carry {share:.2f} of its weight'
                time_s = float(trace.time_s[first])
                faults.append(Fault(law='contacts', object=name, time_s=time_s, text=text))
                break
    return faults


def _recorded(evidence: Evidence, said: _Said) -> Mask:
    """(n, k), true where at least one contact of an object is recorded."""
    mask = np.zeros(evidence.trace.attached.shape, dtype=bool)
    for columns in evidence.world.column_of[said.bodies].T:
        mask[said.rows[columns >= 0], columns[columns >= 0]] = True
    return mask


def _sleeps(evidence: Evidence, said: _Said) -> Mask:
    """(m,) of the touches, true where both bodies may be asleep: the simulator records no contacts then."""
    touches, world = evidence.touches, evidence.world
    asleep = ~_recorded(evidence, said) & (evidence.trace.object_speeds_mps < ASLEEP_MPS)
    others = world.column_of[touches.others]
    both = asleep[touches.rows, touches.columns] & ((others < 0) | asleep[touches.rows, others])
    return np.asarray(both & (world.side_of[touches.others] == ''))


def _off(evidence: Evidence, said: _Said) -> Numbers:
    """Keys of recorded contacts whose depth is far from the geometry, or whose depth or normal is wrong for a while."""
    touches, world = evidence.touches, evidence.world
    mine = world.bodies[touches.columns]
    # A pair of two objects is listed twice. The second body's entry is used: its normal points into that body.
    once = (mine > touches.others) | (world.column_of[touches.others] < 0)
    signs = np.where(mine > touches.others, 1.0, -1.0)[once]
    bodies = np.sort(np.column_stack([mine, touches.others]), axis=1)[once]
    there = _keys(touches.rows[once], bodies, world.model.nbody)
    order = np.argsort(there)
    said_keys = said.keys(world.model.nbody)
    known = np.flatnonzero(np.isin(said_keys, there))
    match = order[np.searchsorted(there, said_keys[known], sorter=order)]
    depths = _track(evidence).depths_m[known]
    off_m = np.abs(depths + touches.gaps_m[once][match])
    normals = signs[match, None] * touches.normals[once][match]
    cosines = np.sum(normals * said.normals[known], axis=1)
    of_robot = (world.side_of[said.bodies[known]] != '').any(axis=1)
    most_rad = np.where(of_robot, MAX_TURNED_OF_ROBOT_RAD, MAX_TURNED_RAD)
    doubted = np.flatnonzero((cosines < np.cos(most_rad)) | (off_m > LASTING_OFF_M))
    wrong, far = [], []
    for index in doubted:
        same, off_points_m = _near_points(evidence, said, int(known[index]), float(most_rad[index]))
        if (same & (off_points_m <= LASTING_OFF_M)).any():
            continue
        wrong.append(index)
        if off_m[index] > MAX_OFF_M and not (same.any() and (off_points_m <= MAX_OFF_M).any()):
            far.append(index)
    return np.concatenate([said_keys[known[far]], *_lasting(evidence, said, known[wrong])])


def _near_points(evidence: Evidence, said: _Said, index: int, most_rad: float) -> tuple[Mask, Floats]:
    """Every point where the bodies of a recorded contact are near: whether it has the recorded normal, and how far its
    depth is from the recorded one, in m.

    Bodies with several parts may touch at several points, and the engine does not find all of them each time: a
    contact at any of them agrees with the geometry. At an impact it may even report, for one sample, the depth of one
    point with the normal of another.
    """
    trace, world, row = evidence.trace, evidence.world, int(said.rows[index])
    world.put(trace.object_positions_m[row], trace.object_orientations_wxyz[row], trace.joint_positions_rad[row])
    normals, depths_m = world.points_between(*(int(number) for number in said.bodies[index]))
    same = normals @ said.normals[index] >= math.cos(most_rad)
    return np.asarray(same), np.asarray(np.abs(depths_m - _track(evidence).depths_m[index]))


def _lasting(evidence: Evidence, said: _Said, numbers: Numbers) -> Iterator[Numbers]:
    """The first key of each pair that is among these recorded contacts for `LASTING_ROWS` samples in a row."""
    count = evidence.world.model.nbody
    for pair in np.unique(said.bodies[numbers], axis=0):
        mine = numbers[(said.bodies[numbers] == pair).all(axis=1)]
        mask = np.zeros(len(evidence.trace.time_s), dtype=bool)
        mask[said.rows[mine]] = True
        for first, _ in runs_of(mask, LASTING_ROWS)[:1]:
            yield _keys(np.array([first], dtype=np.int64), pair[None], count)


def _left_out(evidence: Evidence, said_keys: Numbers) -> Numbers:
    """The first key of each longer overlap of a link and an object during which no contact of them is recorded.

    Only links are checked: the simulator records no contacts of objects that sleep.
    """
    touches, world, missing = evidence.touches, evidence.world, []
    mine = (world.side_of[touches.others] != '') & (touches.gaps_m < -LEAST_OVERLAP_M)
    pairs = np.sort(np.column_stack([world.bodies[touches.columns[mine]], touches.others[mine]]), axis=1)
    rows, count = touches.rows[mine], len(evidence.trace.time_s)
    for pair in np.unique(pairs, axis=0):
        mask = np.zeros(count, dtype=bool)
        mask[rows[(pairs == pair).all(axis=1)]] = True
        for first, last in runs_of(mask, OVERLAP_ROWS):
            own = _keys(np.arange(first, last, dtype=np.int64), np.tile(pair, (last - first, 1)), world.model.nbody)
            if not np.isin(own, said_keys).any():
                missing.append(own[0])
    return np.array(missing, dtype=np.int64)


def _track(evidence: Evidence) -> ContactTrack:
    track = evidence.trace.contacts
    assert track is not None, 'only traces with contacts are asked'
    return track


def _said(evidence: Evidence) -> _Said:
    track, model = _track(evidence), evidence.world.model
    number = np.array([model.body(name).id for name in track.body_names], dtype=np.int64)
    bodies = number[track.bodies] if len(track.rows) else np.zeros((0, 2), dtype=np.int64)
    signs = np.where(bodies[:, 0] > bodies[:, 1], -1.0, 1.0)
    return _Said(track.rows.astype(np.int64), np.sort(bodies, axis=1), signs[:, None] * track.normals)


def _keys(rows: Numbers, bodies: Numbers, count: int) -> Numbers:
    """One number for each row and pair of bodies (m, 2); `count` is the number of bodies."""
    return np.asarray((rows * count + bodies[:, 0]) * count + bodies[:, 1])


def _names(evidence: Evidence, pair: tuple[int, int]) -> tuple[str, str]:
    first, second = (evidence.world.model.body(number).name for number in pair)
    return first, second


def _concerned(evidence: Evidence, bodies: Numbers) -> tuple[str, ...]:
    """The objects of a pair. If there are none: its bodies except the world."""
    names = _names(evidence, (int(bodies[0]), int(bodies[1])))
    objects = tuple(name for name in names if name in evidence.trace.object_names)
    return objects or tuple(name for name in names if name != 'world') or ('world',)


def _index(evidence: Evidence, name: str) -> int:
    return evidence.scene.object_names.index(name)
