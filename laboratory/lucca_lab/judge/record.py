"""Laws of the record itself: time increases, objects persist, and reported data agree with each other."""

import numpy as np

from lucca_lab.judge.evidence import Evidence
from lucca_lab.judge.faults import Fault

MAX_GAP_S = 0.1
ROOM_M = 4.0
FLOOR_M = -0.3
MAX_JUMP_M = 0.012
"""How far an object may be from the position predicted by its previous recorded velocity, beyond half of what the
change of that velocity explains."""

MAX_CONTACT_GAP_M = 0.004
LEAST_DEPTH_M = 0.002
JOINT_SLACK = 0.03
"""Beyond a joint's limit, in rad or m: servos are springs."""

ARM_RATE_SLACK = 1.5
HAND_RATE_SLACK = 15.0
"""Over a joint's speed limit: a servo may overshoot its target, and a finger springs back from what it pressed on."""


def time_runs_on(evidence: Evidence) -> list[Fault]:
    """Times increase, and no piece has been cut out."""
    steps = evidence.step_s
    wrong = np.flatnonzero((steps <= 0) | (steps > MAX_GAP_S) | ~np.isfinite(steps))
    if not len(wrong):
        return []
    row = int(wrong[0])
    text = f'goes on by {steps[row]:.3f} s from one sample to the next'
    return [Fault(law='time', object='the trace', time_s=float(evidence.trace.time_s[row]), text=text)]


def nothing_appears_or_vanishes(evidence: Evidence) -> list[Fault]:
    """Each object is somewhere in the room at every sample, and stands in the record once."""
    trace = evidence.trace
    faults = []
    positions = trace.object_positions_m
    with np.errstate(invalid='ignore'):
        here = (
            np.isfinite(positions).all(axis=2)
            & (np.abs(positions) < ROOM_M).all(axis=2)
            & (positions[:, :, 2] > FLOOR_M)
        )
    for column, name in enumerate(trace.object_names):
        if not here[:, column].all():
            row = int(np.argmin(here[:, column]))
            faults.append(_fault('vanishing', evidence, column, row, 'is nowhere in the room'))
        if trace.object_names.index(name) != column:
            faults.append(_fault('two places', evidence, column, 0, 'stands in the record twice'))
    faults += [
        Fault(law='vanishing', object=name, time_s=None, text='is on this table, and not in the record')
        for name in evidence.scene.object_names
        if name not in trace.object_names
    ]
    return faults


def positions_follow_velocities(evidence: Evidence) -> list[Fault]:
    """From one sample to the next an object goes as far as its recorded velocity says; otherwise it jumped."""
    trace = evidence.trace
    velocity = trace.object_velocities[:, :, :3]
    dt = evidence.step_s[:, None, None]
    expected = 0.5 * (velocity[1:] + velocity[:-1]) * dt
    change = 0.5 * np.linalg.norm((velocity[1:] - velocity[:-1]) * dt, axis=2)
    off = np.linalg.norm(np.diff(trace.object_positions_m, axis=0) - expected, axis=2) - change
    faults = []
    for column in range(off.shape[1]):
        row = int(np.argmax(off[:, column] > MAX_JUMP_M))
        if off[row, column] > MAX_JUMP_M:
            way = float(
                np.linalg.norm(trace.object_positions_m[row + 1, column] - trace.object_positions_m[row, column])
            )
            text = f'jumped {way * 100:.1f} cm from one sample to the next'
            faults.append(_fault('jump', evidence, column, row, text))
    return faults


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

    def keys(rows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return np.asarray((rows.astype(np.int64) * count + pairs[:, 0]) * count + pairs[:, 1])

    said_keys = keys(track.rows, said)
    near = np.unique(keys(touches.rows, bodies)[touches.gaps_m <= MAX_CONTACT_GAP_M])
    deep = np.unique(keys(touches.rows, bodies)[touches.gaps_m <= -LEAST_DEPTH_M])
    faults = []
    for wrong, text in (
        (np.setdiff1d(said_keys, near), 'is said to touch {}, and does not'),
        (np.setdiff1d(deep, said_keys), 'overlaps {}, and no contact is recorded'),
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
