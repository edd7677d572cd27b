"""Laws of the record itself: time increases, objects persist, and reported data agree with each other."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lucca_lab.judge.evidence import Evidence, Mask, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats
from lucca_lab.judge.turning import relative_turns

Rows = npt.NDArray[np.int64]

MAX_GAP_S = 0.1
STEP_S, STEP_SLACK = 0.02, 0.1
"""Traces are written at 50 Hz: the mean step, and by what share it may differ."""

ROOM_M = 4.0
FLOOR_M = -0.3
MAX_JUMP_M = 0.005
MAX_JUMP_RAD = 0.12
"""How far an object may be from where its recorded velocity takes it, beyond half of what the change of that velocity
explains."""

JUMP_ROWS = (1, 25)
"""Samples, 20 ms each, over which that is summed up: a leap, or a way without a velocity."""

UNIT_SLACK = 0.01
"""How far the length of an orientation's quaternion may be from 1."""

MAX_CONTACT_GAP_M = 0.004
LEAST_DEPTH_M = 0.002
LEAST_OVERLAP_M, OVERLAP_ROWS = 0.001, 10
"""What a link overlaps by so much, for so many samples in a row, has at least one recorded contact with it."""

HAND_SLACK = 0.05
NORMAL_SLACK = 0.05
MAX_DEEPER_M = 0.015
"""How much deeper a contact may be recorded than places show it, which are a step later: things bounce."""

MAX_FORCE_N = 2000.0
"""Far more than a hand presses with, or a fall from the table gives."""
JOINT_SLACK = 0.03
"""Beyond a joint's limit, in rad or m: servos are springs."""

ARM_RATE_SLACK = 1.5
HAND_RATE_SLACK = 15.0
"""Over a joint's speed limit: a servo may overshoot its target, and a finger springs back from what it pressed on."""


def time_runs_on(evidence: Evidence) -> list[Fault]:
    """Times increase at the rate of the record, and no piece has been cut out."""
    steps = evidence.step_s
    wrong = np.flatnonzero((steps <= 0) | (steps > MAX_GAP_S) | ~np.isfinite(steps))
    mean_s = float(steps.mean())
    if len(wrong):
        row = int(wrong[0])
        text = f'goes on by {steps[row]:.3f} s from one sample to the next'
    elif abs(mean_s / STEP_S - 1.0) > STEP_SLACK:
        row, text = 0, f'has a sample every {mean_s * 1000:.0f} ms; a record has one every {STEP_S * 1000:.0f} ms'
    else:
        return []
    return [Fault(law='time', object='the trace', time_s=float(evidence.trace.time_s[row]), text=text)]


def nothing_appears_or_vanishes(evidence: Evidence) -> list[Fault]:
    """Each object is somewhere in the room, in some direction, at every sample, and stands in the record once."""
    trace = evidence.trace
    faults = []
    positions = trace.object_positions_m
    with np.errstate(invalid='ignore'):
        here: Mask = (
            np.isfinite(positions).all(axis=2)
            & (np.abs(positions) < ROOM_M).all(axis=2)
            & (positions[:, :, 2] > FLOOR_M)
        )
        lengths = np.asarray(np.linalg.norm(trace.object_orientations_wxyz, axis=2))
        directed: Mask = np.asarray(np.abs(lengths - 1.0) < UNIT_SLACK)
    sound: Mask = np.asarray(np.isfinite(trace.object_velocities).all(axis=2))
    for column, name in enumerate(trace.object_names):
        for mask, text in (
            (here, 'is nowhere in the room'),
            (directed, 'has an orientation that is none'),
            (sound, 'has a velocity that is none'),
        ):
            if not mask[:, column].all():
                faults.append(_fault('vanishing', evidence, column, int(np.argmin(mask[:, column])), text))
        if trace.object_names.index(name) != column:
            faults.append(_fault('two places', evidence, column, 0, 'stands in the record twice'))
    faults += [
        Fault(law='vanishing', object=name, time_s=None, text='is on this table, and not in the record')
        for name in evidence.scene.object_names
        if name not in trace.object_names
    ]
    return faults


def positions_follow_velocities(evidence: Evidence) -> list[Fault]:
    """An object goes as far as its recorded velocity says; otherwise it jumped."""
    ways = np.diff(evidence.trace.object_positions_m, axis=0)
    off = _off(evidence, ways, evidence.trace.object_velocities[:, :, :3])
    faults = []
    for column in range(ways.shape[1]):
        for rows in JUMP_ROWS:
            if (fault := _jump(off[rows][:, column] > MAX_JUMP_M, rows)) is not None:
                row = fault[0]
                way = float(np.linalg.norm(ways[row : row + rows, column].sum(axis=0)))
                faults.append(_fault('jump', evidence, column, row, f'went {way * 100:.1f} cm {fault[1]}'))
                break
    return faults


def orientations_follow_velocities(evidence: Evidence) -> list[Fault]:
    """An object turns as far as its recorded velocity says; otherwise it jumped."""
    turns = relative_turns(evidence.trace.object_orientations_wxyz)
    off = _off(evidence, turns, evidence.trace.object_velocities[:, :, 3:])
    faults = []
    for column in range(turns.shape[1]):
        for rows in JUMP_ROWS:
            if (fault := _jump(off[rows][:, column] > MAX_JUMP_RAD, rows)) is not None:
                row = fault[0]
                turn = float(np.linalg.norm(turns[row : row + rows, column].sum(axis=0)))
                faults.append(_fault('jump', evidence, column, row, f'turned by {turn:.2f} rad {fault[1]}'))
                break
    return faults


def _off(evidence: Evidence, changes: Floats, rates: Floats) -> dict[int, Floats]:
    """For each number of `JUMP_ROWS`: how far (n - rows, k) changes over so many samples are from what rates give."""
    dt = evidence.step_s[:, None, None]
    missed = changes - 0.5 * (rates[1:] + rates[:-1]) * dt
    explained = 0.5 * np.linalg.norm((rates[1:] - rates[:-1]) * dt, axis=2)
    return {rows: np.linalg.norm(_sums(missed, rows), axis=2) - _sums(explained, rows) for rows in JUMP_ROWS}


def _sums(values: Floats, rows: int) -> Floats:
    """Sums over `rows` neighbours along the first axis."""
    total = np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])
    return np.asarray(total[rows:] - total[:-rows])


def _jump(wrong: Mask, rows: int) -> tuple[int, str] | None:
    """The first sample from which an object jumped, and in words how."""
    if not wrong.any():
        return None
    how = 'from one sample to the next' if rows == 1 else f'in {rows * STEP_S:.1f} s'
    return int(np.argmax(wrong)), f'{how}, and its velocity tells of another way'


def contacts_agree_with_places(evidence: Evidence) -> list[Fault]:
    """What is said to touch is near by, and what overlaps is said to touch."""
    track, trace, touches = evidence.trace.contacts, evidence.trace, evidence.touches
    assert track is not None, 'only traces with contacts are asked'
    model = evidence.world.model
    known = {model.body(index).name: index for index in range(model.nbody)}
    if unknown := sorted(set(track.body_names) - set(known)):
        return [Fault(law='contacts', object=unknown[0], time_s=None, text='touches, and is no body of the scene')]
    number = np.array([known[name] for name in track.body_names], dtype=np.int64)
    said = np.sort(number[track.bodies], axis=1) if len(track.rows) else np.zeros((0, 2), dtype=np.int64)
    bodies = np.sort(np.column_stack([evidence.world.bodies[touches.columns], touches.others]), axis=1)
    count = model.nbody

    def keys(rows: npt.NDArray[np.integer], pairs: Rows) -> Rows:
        return np.asarray((rows.astype(np.int64) * count + pairs[:, 0]) * count + pairs[:, 1])

    said_keys = keys(track.rows, said)
    near = np.unique(keys(touches.rows, bodies)[touches.gaps_m <= MAX_CONTACT_GAP_M])
    deep = np.unique(keys(touches.rows, bodies)[touches.gaps_m <= -LEAST_DEPTH_M])
    faults = []
    for wrong, text in (
        (np.setdiff1d(said_keys, near), 'is said to touch {}, and does not'),
        (np.setdiff1d(deep, said_keys), 'overlaps {}, and no contact is recorded'),
        (_left_out(evidence, keys, said_keys), 'touches {} for a while, and no contact is recorded'),
    ):
        told: set[str] = set()
        for key in wrong:
            row, first, second = int(key) // count // count, int(key) // count % count, int(key) % count
            for one, other in ((first, second), (second, first)):
                name = model.body(one).name
                if evidence.world.column_of[one] >= 0 and name not in told:
                    told.add(name)
                    said_text = text.format(model.body(other).name)
                    faults.append(Fault(law='contacts', object=name, time_s=float(trace.time_s[row]), text=said_text))
    return faults


def _left_out(evidence: Evidence, keys: Callable[[npt.NDArray[np.integer], Rows], Rows], said_keys: Rows) -> Rows:
    """Keys at which a link and an object begin to overlap for a while of which no contact is recorded at all.

    Only of the robot: the simulator records no contacts of objects that sleep.
    """
    touches, world, missing = evidence.touches, evidence.world, []
    mine = (world.side_of[touches.others] != '') & (touches.gaps_m < -LEAST_OVERLAP_M)
    pairs = np.sort(np.column_stack([world.bodies[touches.columns[mine]], touches.others[mine]]), axis=1)
    rows, count = touches.rows[mine], len(evidence.trace.time_s)
    for pair in np.unique(pairs, axis=0):
        mask = np.zeros(count, dtype=bool)
        mask[rows[(pairs == pair).all(axis=1)]] = True
        for first, last in runs_of(mask, OVERLAP_ROWS):
            own = keys(np.arange(first, last, dtype=np.int64), np.tile(pair, (last - first, 1)))
            if not np.isin(own, said_keys).any():
                missing.append(own[0])
    return np.array(missing, dtype=np.int64)


def contacts_are_possible(evidence: Evidence) -> list[Fault]:
    """A recorded contact has a direction, pushes and does not pull, and is no deeper than anything is at that time."""
    track, trace, touches = evidence.trace.contacts, evidence.trace, evidence.touches
    assert track is not None, 'only traces with contacts are asked'
    deepest_m = np.zeros(len(trace.time_s))
    np.maximum.at(deepest_m, touches.rows, -touches.gaps_m)
    with np.errstate(invalid='ignore'):
        directed = np.abs(np.linalg.norm(track.normals, axis=1) - 1.0) < NORMAL_SLACK
        pushes = (track.forces_n >= 0.0) & (track.forces_n < MAX_FORCE_N)
        shallow = track.depths_m < deepest_m[track.rows] + MAX_DEEPER_M
    faults: dict[str, Fault] = {}
    for index in np.flatnonzero(~(directed & pushes & shallow)):
        for number in track.bodies[index]:
            name = track.body_names[number]
            if name in trace.object_names and name not in faults:
                text = (
                    f'has a contact that cannot be: {track.forces_n[index]:.3g} N, {track.depths_m[index]:.3g} m deep'
                )
                time_s = float(trace.time_s[track.rows[index]])
                faults[name] = Fault(law='contacts', object=name, time_s=time_s, text=text)
    return list(faults.values())


def containers_stand_where_the_scene_has_them(evidence: Evidence) -> list[Fault]:
    """What holds things does not move."""
    places = evidence.trace.container_positions_m
    return [
        Fault(law='two places', object=item.name, time_s=None, text='is recorded elsewhere than the scene has it')
        for item in evidence.scene.containers
        if item.name in places and not np.allclose(places[item.name], item.position_world_m, atol=MAX_JUMP_M)
    ]


def hands_agree_with_their_joints(evidence: Evidence) -> list[Fault]:
    """How far a hand is said to be closed is what its joints say."""
    trace, faults = evidence.trace, []
    for column, side in enumerate(trace.hand_names):
        if side not in evidence.profile.arms:
            faults.append(Fault(law='joints', object=side, time_s=None, text='is no hand of this robot'))
            continue
        off = np.abs(trace.hand_measured[:, column] - _closures(evidence, side))
        for wrong, text in (
            (~np.isfinite(trace.hand_asked[:, column]), 'is asked for a width that is none'),
            (~(off < HAND_SLACK), 'is said to be closed as its joints are not'),
        ):
            if wrong.any():
                row = int(np.argmax(wrong))
                faults.append(Fault(law='joints', object=side, time_s=float(trace.time_s[row]), text=text))
    return faults


def _closures(evidence: Evidence, side: str) -> Floats:
    """(n,): mean of how far the joints of a hand are from its open to its closed posture, from 0 to 1."""
    hand, trace = evidence.profile.arms[side].hand, evidence.trace
    shares = [
        (trace.joint_positions_rad[:, trace.joint_names.index(joint)] - start) / (end - start)
        for joint, start, end in zip(hand.joints, hand.open, hand.closed, strict=True)
        if start != end and joint in trace.joint_names
    ]
    return np.mean(shares, axis=0) if shares else np.zeros(len(trace.time_s))


def joints_keep_their_limits(evidence: Evidence) -> list[Fault]:
    """No joint is beyond its limits, and none goes faster than it can."""
    trace = evidence.trace
    faults = []
    rates = np.abs(np.diff(trace.joint_positions_rad, axis=0)) / evidence.step_s[:, None]
    joints = {joint.name: joint for joint in evidence.profile.moving_joints}
    arms = {name for arm in evidence.profile.arms.values() for name in arm.joints}
    for column, name in enumerate(trace.joint_names):
        joint, positions = joints[name], trace.joint_positions_rad[:, column]
        outside = (
            (positions < joint.lower - JOINT_SLACK) | (positions > joint.upper + JOINT_SLACK) | ~np.isfinite(positions)
        )
        if outside.any():
            row = int(np.argmax(outside))
            text = f'stands at {positions[row]:.3f}, outside its limits'
            faults.append(Fault(law='joints', object=name, time_s=float(trace.time_s[row]), text=text))
        fast = rates[:, column] > (ARM_RATE_SLACK if name in arms else HAND_RATE_SLACK) * joint.velocity
        if fast.any():
            row = int(np.argmax(fast))
            text = f'turns at {rates[row, column]:.1f} per s; its limit is {joint.velocity:.1f}'
            faults.append(Fault(law='joints', object=name, time_s=float(trace.time_s[row]), text=text))
    return faults


def _fault(law: str, evidence: Evidence, column: int, row: int, text: str) -> Fault:
    trace = evidence.trace
    return Fault(law=law, object=trace.object_names[column], time_s=float(trace.time_s[row]), text=text)
