"""Laws of motion: untouched objects stay at rest, gain no energy, fall when unsupported and come to rest."""

import numpy as np

from lucca_lab.judge.evidence import Evidence, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats

GRAVITY_MPS2 = 9.81
MAX_CREEP_M = 0.01
MAX_CREEP_BESIDE_OTHERS_M = 0.04
"""How far a resting object may creep while nothing moving touches it. Contacts are springs, and objects that lean on
each other slide for seconds after one of them is released."""

CREEP_PER_DROP = 3.0
"""Further creep per metre of lost height: an object that lies on others, or on a rim, may slip down."""

MAX_GAIN_J_PER_KG = 0.08
"""The most energy per mass that contacts with the scene may seem to give an object: 8 mm of height, or 0.4 m/s."""

BOUNCES, BOUNCE_ROWS = 0.05, 12
"""The share of the energy lost in an impact that an object may regain, and the samples that count as one impact."""

LEAST_DRAG_MPS2 = 0.5
"""The least deceleration of an object that moves along a surface. A rolling fruit has about 1, a sliding box 9."""

MAX_SPEED_MPS = 1.5
MAX_OFF_FALL_MPS2 = 3.0
FALL_ROWS = 4
"""Samples of 20 ms in a row in which an object in the air does not fall as it should."""

FLOAT_ROWS = 10
CARRIED_ROWS, CARRIED_M = 20, 0.02
"""Samples of 20 ms for which an object may stay in the fingers after its release, and how far it may go with them."""

REST_S = 1.0
REST_MPS = 0.01


def nothing_moves_untouched(evidence: Evidence) -> list[Fault]:
    """Checks that a resting object stays in place until the robot, or something set in motion by it, touches it."""
    faults = []
    for column, name in enumerate(evidence.trace.object_names):
        for first, last in runs_of(~evidence.agitated[:, column]):
            # At the start, objects are placed slightly above the table, and settle.
            settled = runs_of(evidence.resting[first:last, column])
            if not settled:
                continue
            start = first + settled[0][0]
            way = (
                evidence.trace.object_positions_m[start:last, column] - evidence.trace.object_positions_m[start, column]
            )
            moved = np.linalg.norm(way, axis=1)
            alone = evidence.alone[start:last, column].all()
            creep_m = MAX_CREEP_M if alone else MAX_CREEP_BESIDE_OTHERS_M
            most_m = creep_m + CREEP_PER_DROP * np.maximum(0.0, -way[:, 2])
            if (moved > most_m).any():
                row = start + int(np.argmax(moved > most_m))
                text = f'lay still and moved by {moved.max() * 100:.1f} cm though nothing touched it'
                faults.append(Fault(law='unheld motion', object=name, time_s=_time(evidence, row), text=text))
                break
    return faults


def nothing_is_carried_unheld(evidence: Evidence) -> list[Fault]:
    """Checks that no object moves through the air with the robot unless it is welded to a hand."""
    trace = evidence.trace
    carried = evidence.driven & ~trace.attached & ~evidence.by_scene
    faults = []
    for column, name in enumerate(trace.object_names):
        for first, last in runs_of(carried[:, column], CARRIED_ROWS):
            way_m = float(np.linalg.norm(np.ptp(trace.object_positions_m[first:last, column], axis=0)))
            if way_m > CARRIED_M:
                text = f'goes {way_m * 100:.1f} cm through the air with the robot, and is welded to no hand'
                faults.append(Fault(law='unheld motion', object=name, time_s=_time(evidence, first), text=text))
                break
    return faults


def nothing_gains_energy_by_itself(evidence: Evidence) -> list[Fault]:
    """Checks that an object touched only by the scene gains no energy, and loses some when it slides or rolls."""
    trace, dt = evidence.trace, evidence.step_s[:, None]
    velocity = np.diff(trace.object_positions_m, axis=0) / dt[:, :, None]
    # An object that sank into a soft contact is lifted out of it again.
    height = trace.object_positions_m[:, :, 2] + evidence.sunk_m
    middle_z = 0.5 * (height[1:] + height[:-1])
    energy = 0.5 * (velocity**2).sum(axis=2) + GRAVITY_MPS2 * middle_z
    ways_m = np.linalg.norm(velocity, axis=2) * dt
    energy += LEAST_DRAG_MPS2 * np.cumsum(ways_m * (evidence.on_scene[1:] & evidence.on_scene[:-1]), axis=0)
    free = ~evidence.driven & evidence.alone
    free = free[1:] & free[:-1]
    faults = []
    for column, name in enumerate(trace.object_names):
        for first, last in runs_of(free[:, column], 2):
            here = energy[first:last, column]
            gain = here - np.minimum.accumulate(here) - BOUNCES * _spent(here)
            if gain.max() > MAX_GAIN_J_PER_KG:
                row = first + int(np.argmax(gain > MAX_GAIN_J_PER_KG))
                text = f'has {gain.max():.2f} J/kg more than it should though nothing gave it any'
                faults.append(Fault(law='energy', object=name, time_s=_time(evidence, row), text=text))
                break
    return faults


def _spent(energy: Floats) -> Floats:
    """How much energy (n,) was lost since its highest value in the last `BOUNCE_ROWS` samples."""
    lately = np.concatenate([np.full(BOUNCE_ROWS, energy[0]), energy])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(lately, BOUNCE_ROWS + 1).max(axis=1) - energy)


def what_nothing_holds_falls(evidence: Evidence) -> list[Fault]:
    """Checks that gravity alone accelerates an object in the air."""
    trace = evidence.trace
    dt = evidence.step_s[:, None, None]
    velocity = np.diff(trace.object_positions_m, axis=0) / dt
    acceleration = np.diff(velocity, axis=0) / dt[1:]
    acceleration[:, :, 2] += GRAVITY_MPS2
    off = np.linalg.norm(acceleration, axis=2) > MAX_OFF_FALL_MPS2
    air = ~evidence.touched & ~evidence.driven
    air = air[2:] & air[1:-1] & air[:-2]
    faults = []
    for column, name in enumerate(trace.object_names):
        runs = runs_of(off[:, column] & air[:, column], FALL_ROWS)
        if runs:
            text = 'is in the air and does not fall'
            faults.append(Fault(law='free fall', object=name, time_s=_time(evidence, runs[0][0]), text=text))
    return faults


def what_rests_is_supported(evidence: Evidence) -> list[Fault]:
    """Checks that an object at rest lies on something or is held."""
    floating = evidence.resting & ~evidence.supported & ~evidence.trace.attached
    faults = []
    for column, name in enumerate(evidence.trace.object_names):
        runs = runs_of(floating[:, column], FLOAT_ROWS)
        if runs:
            text = 'lies still on nothing'
            faults.append(Fault(law='support', object=name, time_s=_time(evidence, runs[0][0]), text=text))
    return faults


def nothing_is_too_fast(evidence: Evidence) -> list[Fault]:
    """Checks that no object is faster than an arm or a fall from its greatest height can make it."""
    trace, dt = evidence.trace, evidence.step_s[:, None, None]
    velocity = np.diff(trace.object_positions_m, axis=0) / dt
    recorded = trace.object_velocities[1:, :, :3]
    faults = []
    for column, name in enumerate(trace.object_names):
        fallen_m = np.maximum(
            0.0, trace.object_positions_m[:-1, column, 2].max() - trace.object_positions_m[1:, column, 2]
        )
        limit = np.sqrt(MAX_SPEED_MPS**2 + 2 * GRAVITY_MPS2 * fallen_m)
        speed = np.maximum(np.linalg.norm(velocity[:, column], axis=1), np.linalg.norm(recorded[:, column], axis=1))
        if (speed > limit).any():
            row = int(np.argmax(speed > limit))
            text = f'moves at {speed[row]:.1f} m/s'
            faults.append(Fault(law='speed', object=name, time_s=_time(evidence, row), text=text))
    return faults


def all_is_at_rest_in_the_end(evidence: Evidence) -> list[Fault]:
    """Checks that nothing moves in the last second, and that no hand holds anything at the end."""
    trace = evidence.trace
    faults = []
    last = trace.time_s >= trace.time_s[-1] - REST_S
    speeds = np.maximum(evidence.speeds_mps, trace.object_speeds_mps)
    for column, name in enumerate(trace.object_names):
        fastest = float(speeds[last, column].max())
        if fastest >= REST_MPS:
            text = f'still moves at {fastest * 100:.1f} cm/s in the last second'
            faults.append(Fault(law='rest', object=name, time_s=float(trace.time_s[-1]), text=text))
        if trace.attached[-1, column]:
            text = 'is still attached to a hand in the end'
            faults.append(Fault(law='rest', object=name, time_s=float(trace.time_s[-1]), text=text))
    return faults


def _time(evidence: Evidence, row: int) -> float:
    return float(evidence.trace.time_s[row])
