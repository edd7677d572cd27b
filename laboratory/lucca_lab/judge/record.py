"""Laws of the record itself: time increases, objects persist, and reported data agree with each other."""

import numpy as np

from lucca_lab.judge.evidence import Evidence, Mask, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats
from lucca_lab.judge.turning import relative_turns

STEP_S, STEP_SLACK_S = 0.02, 0.009
"""Traces are written at 50 Hz. A step may differ by the slack, since the simulator's own step is 4 ms."""

RATE_SLACK = 0.02
"""The share by which the mean step may differ."""

ROOM_M = 4.0
FLOOR_M = -0.3
MAX_JUMP_M = 0.005
MAX_JUMP_RAD = 0.12
"""How far an object may be from where its recorded velocity takes it. Half of the displacement that the change of this
velocity causes is allowed in addition."""

JUMP_ROWS = (1, 25)
"""Samples of 20 ms over which the deviation is summed: to find a jump, and to find slow motion without velocity."""

UNIT_SLACK = 0.01
"""How far the norm of an orientation quaternion may be from 1."""

HAND_SLACK = 0.05
FOLLOW_SLACK, FOLLOW_ROWS = 0.15, 50
"""How far a hand that touches nothing may be from its commanded closing, and for how many samples."""

SHAKE_RADPS2, SHAKE_ROWS = 10.0, 6
HALT_RADPS = 0.1
"""Limits that follow from inertia: an arm's acceleration does not change its sign at each sample, and a joint at this
speed is not exactly at rest one sample later."""

JOINT_SLACK, FINGER_SLACK = 0.03, 0.1
"""How far a position may exceed a joint's limit, in rad or m: servos are springs, and contact forces bend fingers."""

ARM_RATE_SLACK = 1.5
HAND_RATE_SLACK = 15.0
"""Factors on a joint's speed limit: a servo may overshoot its target, and a finger springs back from a contact."""


def time_runs_on(evidence: Evidence) -> list[Fault]:
    """Checks that times increase at the rate of the record and that no part is missing."""
    steps = evidence.step_s
    wrong = np.flatnonzero(~(np.abs(steps - STEP_S) < STEP_SLACK_S))
    mean_s = float(steps.mean())
    if len(wrong):
        row = int(wrong[0])
        text = f'goes on by {steps[row]:.3f} s from one sample to the next'
    elif abs(mean_s / STEP_S - 1.0) > RATE_SLACK:
        row, text = 0, f'has a sample every {mean_s * 1000:.0f} ms; a record has one every {STEP_S * 1000:.0f} ms'
    else:
        return []
    return [Fault(law='time', object='the trace', time_s=float(evidence.trace.time_s[row]), text=text)]


def nothing_appears_or_vanishes(evidence: Evidence) -> list[Fault]:
    """Checks that each object is recorded once, and is in the room with a valid orientation and velocity throughout."""
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
    """Checks that each object moves as far as its recorded velocity says; otherwise it jumped."""
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
    """Checks that each object turns as far as its recorded velocity says; otherwise it jumped."""
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
    """For each number of samples in `JUMP_ROWS`: deviation (n - rows, k) of the changes from the integrated rates."""
    dt = evidence.step_s[:, None, None]
    missed = changes - 0.5 * (rates[1:] + rates[:-1]) * dt
    explained = 0.5 * np.linalg.norm((rates[1:] - rates[:-1]) * dt, axis=2)
    return {rows: np.linalg.norm(_sums(missed, rows), axis=2) - _sums(explained, rows) for rows in JUMP_ROWS}


def _sums(values: Floats, rows: int) -> Floats:
    """Sums over `rows` neighbours along the first axis, as a sliding window."""
    total = np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])
    return np.asarray(total[rows:] - total[:-rows])


def _jump(wrong: Mask, rows: int) -> tuple[int, str] | None:
    """The first sample at which an object jumped, with a description; None if it did not."""
    if not wrong.any():
        return None
    how = 'from one sample to the next' if rows == 1 else f'in {rows * STEP_S:.1f} s'
    return int(np.argmax(wrong)), f'{how}, and its velocity tells of another way'


def hands_agree_with_their_joints(evidence: Evidence) -> list[Fault]:
    """Checks that the recorded closing of each hand agrees with its joints."""
    trace, faults = evidence.trace, []
    for column, side in enumerate(trace.hand_names):
        off = np.abs(trace.hand_measured[:, column] - _shares(evidence, side).mean(axis=0))
        for wrong, text in (
            (~np.isfinite(trace.hand_asked[:, column]), 'is asked for a width that is none'),
            (~(off < HAND_SLACK), 'is said to be closed as its joints are not'),
        ):
            if wrong.any():
                row = int(np.argmax(wrong))
                faults.append(Fault(law='joints', object=side, time_s=float(trace.time_s[row]), text=text))
    return faults


def hands_do_what_they_are_asked(evidence: Evidence) -> list[Fault]:
    """Checks that a hand that touches nothing opens and closes as commanded."""
    trace, touches, overlaps, faults = evidence.trace, evidence.touches, evidence.robot_overlaps, []
    for column, side in enumerate(trace.hand_names):
        free = np.ones(len(trace.time_s), dtype=bool)
        free[touches.rows[evidence.world.side_of[touches.others] == side]] = False
        free[overlaps.rows[(evidence.world.side_of[overlaps.bodies] == side).any(axis=1)]] = False
        off = np.abs(_shares(evidence, side).min(axis=0) - trace.hand_asked[:, column]) > FOLLOW_SLACK
        if runs := runs_of(off & free, FOLLOW_ROWS):
            time_s = float(trace.time_s[runs[0][0]])
            faults.append(Fault(law='joints', object=side, time_s=time_s, text='does not do what it is asked to do'))
    return faults


def arms_have_inertia(evidence: Evidence) -> list[Fault]:
    """Checks that no arm joint changes direction at every sample, or stops completely within one sample."""
    trace, faults = evidence.trace, []
    rates = np.diff(trace.joint_positions_rad, axis=0) / evidence.step_s[:, None]
    pushes = np.diff(rates, axis=0) / evidence.step_s[1:, None]
    strong = np.abs(pushes) > SHAKE_RADPS2
    turned = strong[1:] & strong[:-1] & (pushes[1:] * pushes[:-1] < 0)
    halts = (rates == 0.0)[1:] & (np.abs(rates[:-1]) > HALT_RADPS)
    for name in [joint for arm in evidence.profile.arms.values() for joint in arm.joints]:
        column = trace.joint_names.index(name)
        for runs, text in (
            (runs_of(turned[:, column], SHAKE_ROWS), 'shakes as nothing with a mass does'),
            (runs_of(halts[:, column]), 'stands still from one sample to the next'),
        ):
            if runs:
                time_s = float(trace.time_s[runs[0][0]])
                faults.append(Fault(law='joints', object=name, time_s=time_s, text=text))
                break
    return faults


def _shares(evidence: Evidence, side: str) -> Floats:
    """(j, n), how far each moving joint of a hand is from its open posture, 0, towards its closed one, 1."""
    hand, trace = evidence.profile.arms[side].hand, evidence.trace
    shares = [
        (trace.joint_positions_rad[:, trace.joint_names.index(joint)] - start) / (end - start)
        for joint, start, end in zip(hand.joints, hand.open, hand.closed, strict=True)
        if start != end
    ]
    return np.array(shares) if shares else np.zeros((1, len(trace.time_s)))


def joints_keep_their_limits(evidence: Evidence) -> list[Fault]:
    """Checks that every joint keeps its position limits and its speed limit."""
    trace = evidence.trace
    faults = []
    rates = np.abs(np.diff(trace.joint_positions_rad, axis=0)) / evidence.step_s[:, None]
    joints = {joint.name: joint for joint in evidence.profile.moving_joints}
    arms = {name for arm in evidence.profile.arms.values() for name in arm.joints}
    for column, name in enumerate(trace.joint_names):
        joint, positions = joints[name], trace.joint_positions_rad[:, column]
        slack = JOINT_SLACK if name in arms or joint.kind == 'prismatic' else FINGER_SLACK
        outside = (positions < joint.lower - slack) | (positions > joint.upper + slack) | ~np.isfinite(positions)
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
