"""Further ways to doctor an honest trace, written only from docs/trace.md, without knowledge of the laws.

Several laws may report one of these changes: `Doctored.law` is the intended one, `also` has the others.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lucca_lab.runs.doctor import Doctor, Doctored, Floats, NothingToDoctorError, Rows, there, with_rows


def _turned(quats_wxyz: Floats, axis: tuple[float, float, float], angles_rad: Floats) -> Floats:
    """Orientations (n, 4) turned about a world axis by angles (n,)."""
    half = angles_rad / 2
    turn = np.column_stack([np.cos(half), *(np.sin(half) * part for part in axis)])
    w, x, y, z = (turn[:, [number]] for number in range(4))
    a, b, c, d = (quats_wxyz[:, [number]] for number in range(4))
    return np.hstack(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ]
    )


def _about_own_axes(quat_wxyz: Floats, vector: Floats) -> Floats:
    """A world vector (3,) in the frame of an orientation (4,)."""
    w, v = quat_wxyz[0], -quat_wxyz[1:]
    twice = 2 * np.cross(v, vector)
    return np.asarray(vector + w * twice + np.cross(v, twice))


def _with_turn(doctor: Doctor, name: str, rows: Rows, axis: tuple[float, float, float], angles: Floats) -> Doctored:
    """Turns an object in these samples, and keeps it turned in all later ones; its angular velocities are adapted."""
    trace, column = doctor.trace, doctor.trace.index_of(name)
    wanted = np.zeros(len(trace.time_s))
    wanted[rows] = angles
    wanted[rows[-1] + 1 :] = angles[-1]
    turns, velocities = trace.object_orientations_wxyz.copy(), trace.object_velocities.copy()
    turns[:, column] = _turned(turns[:, column], axis, wanted)
    spin = np.gradient(wanted, trace.time_s)[:, None] * np.array(axis)
    velocities[:, column, 3:] += np.vstack(
        [_about_own_axes(*pair) for pair in zip(turns[:, column], spin, strict=True)]
    )
    changed = replace(trace, object_orientations_wxyz=turns, object_velocities=velocities)
    return Doctored(changed, 'unheld motion', name, f'turns by {angles[-1]:.2f} rad')


def _turns_in_place(doctor: Doctor) -> Doctored:
    name, rows = doctor.lying(doctor.chance.randrange(60, 200))
    angle = doctor.chance.choice((-1, 1)) * doctor.chance.uniform(0.8, 2.5)
    return replace(
        _with_turn(doctor, name, rows, (0.0, 0.0, 1.0), angle * there(len(rows))[:, 0]),
        also=('solids', 'energy', 'weld', 'two places'),
    )


def _creeps(doctor: Doctor) -> Doctored:
    """Moves an object so slowly that no single sample shows it."""
    name, rows = doctor.lying(doctor.chance.randrange(600, 1000))
    way = doctor.flat(0.08, 0.2)
    rest = np.arange(rows[-1] + 1, len(doctor.trace.time_s))
    parts = np.concatenate([np.linspace(0, 1, len(rows)), np.ones(len(rest))])[:, None]
    changed = doctor.moved(name, np.concatenate([rows, rest]), parts * way)
    return Doctored(
        changed, 'unheld motion', name, f'creeps by {way.round(3)} in {len(rows)} samples', ('solids', 'weld')
    )


def _is_kicked(doctor: Doctor) -> Doctored:
    """Makes an object suddenly fast; friction then stops it."""
    name, rows = doctor.lying(100, alone=True)
    speed, slows = doctor.chance.uniform(0.5, 1.0), doctor.chance.uniform(3.0, 6.0)
    time_s = np.minimum(doctor.trace.time_s[rows] - doctor.trace.time_s[rows[0]], speed / slows)
    length = speed * time_s - 0.5 * slows * time_s**2
    way = doctor.flat(1.0, 1.0)
    rest = np.arange(rows[-1] + 1, len(doctor.trace.time_s))
    parts = np.concatenate([length, np.full(len(rest), length[-1])])[:, None]
    changed = doctor.moved(name, np.concatenate([rows, rest]), parts * way)
    return Doctored(changed, 'unheld motion', name, f'is kicked to {speed:.2f} m/s', ('energy', 'solids'))


def _stands_on_an_edge(doctor: Doctor) -> Doctored:
    """Tilts a box for the whole run onto an edge that is not below its centre."""
    boxes = [item for item in doctor.scene.objects if item.shape == 'box' and _is_left_alone(doctor, item.name)]
    if not boxes:
        raise NothingToDoctorError('no box is left alone')
    item = doctor.chance.choice(boxes)
    angle = doctor.chance.uniform(0.25, 0.5)
    x, y, z = item.size_m
    tall = abs(np.cos(angle)) * z / 2 + abs(np.sin(angle)) * max(x, y) / 2 - z / 2
    rows = np.arange(len(doctor.trace.time_s))
    column = doctor.trace.index_of(item.name)
    yaw = doctor.trace.object_orientations_wxyz[0, column]
    heading = 2 * np.arctan2(yaw[3], yaw[0]) + (0.0 if x >= y else np.pi / 2)
    axis = (float(-np.sin(heading)), float(np.cos(heading)), 0.0)
    lifted = replace(doctor, trace=doctor.moved(item.name, rows, np.tile((0.0, 0.0, tall), (len(rows), 1))))
    changed = _with_turn(lifted, item.name, rows, axis, np.full(len(rows), angle)).trace
    return Doctored(changed, 'support', item.name, f'stands tilted by {angle:.2f} rad', ('solids', 'jump', 'energy'))


def _hangs_over(doctor: Doctor) -> Doctored:
    """Puts an object on another one for the whole run, with its centre beyond the side of that one."""
    free = [item for item in doctor.scene.objects if _is_left_alone(doctor, item.name)]
    below = [item for item in free if item.shape in ('box', 'cylinder')]
    if not below or len(free) < 2:
        raise NothingToDoctorError('too few are left alone')
    base = doctor.chance.choice(below)
    item = doctor.chance.choice([other for other in free if other.name != base.name])
    places = doctor.trace.object_positions_m
    under, column = places[0, doctor.trace.index_of(base.name)], doctor.trace.index_of(item.name)
    out = max(base.size_m[:2]) * 0.71 + doctor.chance.uniform(0.1, 0.6) * min(item.size_m[:2]) / 2
    aim = under + doctor.flat(out, out)
    height = base.size_m[2] / 2 + item.size_m[2] / 2
    rows = np.arange(len(doctor.trace.time_s))
    offset = np.array((aim[0], aim[1], under[2] + height)) - places[0, column]
    changed = doctor.moved(item.name, rows, np.tile(offset, (len(rows), 1)))
    return Doctored(changed, 'support', item.name, f'hangs over the {base.name}', ('jump', 'solids'))


def _is_inside_another(doctor: Doctor) -> Doctored:
    free = [item for item in doctor.scene.objects if _is_left_alone(doctor, item.name)]
    if len(free) < 2:
        raise NothingToDoctorError('too few are left alone')
    item, other = doctor.chance.sample(free, 2)
    places, column = doctor.trace.object_positions_m, doctor.trace.index_of(item.name)
    near = 0.5 * (min(item.size_m[:2]) + min(other.size_m[:2])) * doctor.chance.uniform(0.1, 0.5)
    offset = places[0, doctor.trace.index_of(other.name)] + doctor.flat(near, near) - places[0, column]
    offset[2] = 0.0
    rows = np.arange(len(doctor.trace.time_s))
    changed = doctor.moved(item.name, rows, np.tile(offset, (len(rows), 1)))
    return Doctored(changed, 'solids', item.name, f'lies inside the {other.name} all the time', ('jump',))


def _is_left_alone(doctor: Doctor, name: str) -> bool:
    places = doctor.trace.object_positions_m[:, doctor.trace.index_of(name)]
    held = doctor.trace.held_by[:, doctor.trace.index_of(name)]
    return bool((held == '').all() and np.linalg.norm(places - places[0], axis=1).max() < 0.01)


def _turns_in_the_hand(doctor: Doctor) -> Doctored:
    name, _, first, last = doctor.hold(60)
    rows = np.arange(first + 5, last - 5)
    angle = doctor.chance.choice((-1, 1)) * doctor.chance.uniform(0.8, 2.0)
    axis = doctor.chance.choice(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    turned = _with_turn(doctor, name, rows, axis, angle * there(len(rows))[:, 0])
    return replace(turned, law='two places', also=('solids', 'weld'), how=f'turns in a hand by {angle:.2f} rad')


def _is_carried_beside_the_hand(doctor: Doctor) -> Doctored:
    """Shifts the whole path of a carried object sideways."""
    name = doctor.hold(20)[0]
    way = doctor.flat(0.1, 0.25)
    rows = np.arange(len(doctor.trace.time_s))
    changed = doctor.moved(name, rows, np.tile(way, (len(rows), 1)))
    return Doctored(changed, 'weld', name, f'is carried {way.round(3)} beside the hand')


def _joint_leaps(doctor: Doctor) -> Doctored:
    """Moves a joint elsewhere for some samples, within its limits."""
    joints = doctor.trace.joint_positions_rad.copy()
    column = doctor.chance.randrange(len(doctor.trace.joint_names))
    name = doctor.trace.joint_names[column]
    joint = next(item for item in doctor.profile.moving_joints if item.name == name)
    rows = np.arange(doctor.chance.randrange(2, 100)) + doctor.chance.randrange(50, len(joints) - 150)
    off = doctor.chance.uniform(0.2, 0.45) * (joint.upper - joint.lower)
    middle = (joint.lower + joint.upper) / 2
    joints[rows, column] += -off if joints[rows, column].mean() > middle else off
    changed = replace(doctor.trace, joint_positions_rad=joints)
    return Doctored(changed, 'joints', name, f'leaps by {off:.2f} rad', ('solids',))


def _arms_stay(doctor: Doctor) -> Doctored:
    """Stops all joints from the beginning of a hold on, while the held object moves on."""
    name, _, first, last = doctor.hold(60)
    places = doctor.trace.object_positions_m[first:last, doctor.trace.index_of(name)]
    if np.linalg.norm(places - places[0], axis=1).max() < 0.08:
        raise NothingToDoctorError('it is not carried')
    joints = doctor.trace.joint_positions_rad.copy()
    joints[first:] = joints[first]
    changed = replace(doctor.trace, joint_positions_rad=joints)
    return Doctored(changed, 'two places', name, 'is carried by arms that do not move', ('weld',))


def _other_hand_holds(doctor: Doctor) -> Doctored:
    name, side, first, last = doctor.hold(20)
    held = doctor.trace.held_by.astype('<U12')
    others = [other for other in doctor.trace.hand_names if other != side]
    held[first:last, doctor.trace.index_of(name)] = other = doctor.chance.choice([*others, 'third'])
    return Doctored(replace(doctor.trace, held_by=held), 'weld', name, f'is held by the {other} hand, not the {side}')


def _is_said_to_stand_still(doctor: Doctor) -> Doctored:
    name, _, first, last = doctor.hold(60)
    column = doctor.trace.index_of(name)
    if doctor.trace.object_speeds_mps[first:last, column].max() < 0.15:
        raise NothingToDoctorError('it is carried too slowly')
    velocities = doctor.trace.object_velocities.copy()
    velocities[first:last, column] = 0.0
    return Doctored(replace(doctor.trace, object_velocities=velocities), 'jump', name, 'is carried without a velocity')


def _time_stops(doctor: Doctor) -> Doctored:
    """Sets the clock forward at one sample."""
    times, first = doctor.trace.time_s.copy(), doctor.chance.randrange(10, len(doctor.trace.time_s) - 100)
    gap_s = doctor.chance.uniform(0.3, 5.0)
    times[first:] += gap_s
    return Doctored(replace(doctor.trace, time_s=times), 'time', 'the trace', f'{gap_s:.1f} s are missing')


def _time_runs(doctor: Doctor) -> Doctored:
    factor = doctor.chance.choice((doctor.chance.uniform(0.1, 0.4), doctor.chance.uniform(2.5, 5.0)))
    trace = doctor.trace
    changed = replace(trace, time_s=trace.time_s * factor, object_velocities=trace.object_velocities / factor)
    return Doctored(changed, 'time', 'the trace', f'all took {factor:.2f} of its time')


def _hand_never_closes(doctor: Doctor) -> Doctored:
    name, side, _, _ = doctor.hold(20)
    hand = doctor.trace.hand_names.index(side)
    asked, measured = doctor.trace.hand_asked.copy(), doctor.trace.hand_measured.copy()
    asked[:, hand] = measured[:, hand] = doctor.chance.uniform(0.0, 0.05)
    changed = replace(doctor.trace, hand_asked=asked, hand_measured=measured)
    return Doctored(changed, 'weld', name, f'is held by the open {side} hand', ('release', 'joints'))


def _touch_is_left_out(doctor: Doctor) -> Doctored:
    """Removes all contacts of an object while a hand holds it."""
    name, _, first, last = doctor.hold(40)
    track = doctor.trace.contacts
    assert track is not None
    mine = (track.bodies == track.body_names.index(name)).any(axis=1) & (track.rows >= first) & (track.rows < last)
    if mine.sum() < 20:
        raise NothingToDoctorError('it has no contacts')
    kept = replace(
        track,
        rows=track.rows[~mine],
        bodies=track.bodies[~mine],
        normals=track.normals[~mine],
        depths_m=track.depths_m[~mine],
        forces_n=track.forces_n[~mine],
    )
    return Doctored(replace(doctor.trace, contacts=kept), 'contacts', name, 'is held without a contact', ('weld',))


def _flips(doctor: Doctor) -> Doctored:
    """Turns an object over between two samples."""
    name, _ = doctor.lying(100)
    first = doctor.chance.randrange(60, len(doctor.trace.time_s) - 60)
    angle = doctor.chance.uniform(0.7, np.pi)
    axis = doctor.chance.choice(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    turns = doctor.trace.object_orientations_wxyz.copy()
    column, count = doctor.trace.index_of(name), len(turns) - first
    turns[first:, column] = _turned(turns[first:, column], axis, np.full(count, angle))
    changed = replace(doctor.trace, object_orientations_wxyz=turns)
    return Doctored(changed, 'jump', name, f'is turned by {angle:.2f} rad between two samples')


def _has_no_direction(doctor: Doctor) -> Doctored:
    name = doctor.an_object()
    first = doctor.chance.randrange(0, len(doctor.trace.time_s) - 1)
    last = doctor.chance.choice((first + 1, min(len(doctor.trace.time_s), first + 50), len(doctor.trace.time_s)))
    turn = doctor.chance.choice(((np.nan, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (3.0, 0.0, 0.0, 1.0)))
    turns = doctor.trace.object_orientations_wxyz.copy()
    turns[first:last, doctor.trace.index_of(name)] = turn
    changed = replace(doctor.trace, object_orientations_wxyz=turns)
    return Doctored(changed, 'vanishing', name, f'has the orientation {turn}', ('jump', 'unheld motion'))


def _has_no_velocity(doctor: Doctor) -> Doctored:
    name = doctor.an_object()
    first = doctor.chance.randrange(0, len(doctor.trace.time_s) - 1)
    last = doctor.chance.choice((first + 1, len(doctor.trace.time_s)))
    velocities = doctor.trace.object_velocities.copy()
    number = doctor.chance.randrange(6)
    velocities[first:last, doctor.trace.index_of(name), number] = doctor.chance.choice((np.nan, np.inf))
    changed = replace(doctor.trace, object_velocities=velocities)
    return Doctored(changed, 'speed', name, f'number {number} of its velocity is none', ('vanishing', 'jump'))


def _runs_ahead(doctor: Doctor) -> Doctored:
    """Records everything that happens to an object some time before its cause."""
    name, _, first, last = doctor.hold(60)
    column, ahead = doctor.trace.index_of(name), doctor.chance.randrange(40, 120)
    places = doctor.trace.object_positions_m[first:last, column]
    if np.linalg.norm(places - places[0], axis=1).max() < 0.08:
        raise NothingToDoctorError('it is not carried')
    rows = np.minimum(np.arange(len(doctor.trace.time_s)) + ahead, len(doctor.trace.time_s) - 1)
    positions, turns = doctor.trace.object_positions_m.copy(), doctor.trace.object_orientations_wxyz.copy()
    velocities, held = doctor.trace.object_velocities.copy(), doctor.trace.held_by.copy()
    for array in (positions, turns, velocities, held):
        array[:, column] = array[rows, column]
    changed = replace(
        doctor.trace,
        object_positions_m=positions,
        object_orientations_wxyz=turns,
        object_velocities=velocities,
        held_by=held,
    )
    return Doctored(changed, 'weld', name, f'is {ahead} samples ahead', ('two places', 'unheld motion'))


def _is_spun(doctor: Doctor) -> Doctored:
    """Records a spin of an object whose orientation does not change."""
    name, rows = doctor.lying(40)
    velocities = doctor.trace.object_velocities.copy()
    spin = doctor.chance.uniform(3.0, 60.0)
    velocities[rows, doctor.trace.index_of(name), 3 + doctor.chance.randrange(3)] = spin
    changed = replace(doctor.trace, object_velocities=velocities)
    return Doctored(changed, 'jump', name, f'is recorded to spin at {spin:.0f} rad/s', ('speed', 'unheld motion'))


def _ends_in_the_hand(doctor: Doctor) -> Doctored:
    """Ends the record while an object is carried."""
    name, _, first, last = doctor.hold(80)
    end = doctor.chance.randrange(first + 60, last)
    return Doctored(with_rows(doctor.trace, np.arange(end)), 'rest', name, f'is still held at the end, sample {end}')


def _sinks_like_a_feather(doctor: Doctor) -> Doctored:
    """Lets an object come down from above at a small, constant speed."""
    free = [item.name for item in doctor.scene.objects if _is_left_alone(doctor, item.name)]
    if not free:
        raise NothingToDoctorError('none is left alone')
    name = doctor.chance.choice(free)
    height, speed = doctor.chance.uniform(0.15, 0.4), doctor.chance.uniform(0.05, 0.3)
    time_s = doctor.trace.time_s - doctor.trace.time_s[0]
    heights = np.maximum(0.0, height - speed * time_s)
    changed = doctor.moved(name, np.arange(len(time_s)), heights[:, None] * np.array((0.0, 0.0, 1.0)))
    return Doctored(changed, 'free fall', name, f'sinks at {speed:.2f} m/s', ('support', 'jump'))


FURTHER: dict[str, Callable[[Doctor], Doctored]] = {
    'turns in place': _turns_in_place,
    'creeps': _creeps,
    'is kicked': _is_kicked,
    'stands on an edge': _stands_on_an_edge,
    'hangs over': _hangs_over,
    'is inside another': _is_inside_another,
    'turns in the hand': _turns_in_the_hand,
    'is carried beside the hand': _is_carried_beside_the_hand,
    'joint leaps': _joint_leaps,
    'arms stay': _arms_stay,
    'other hand holds': _other_hand_holds,
    'is said to stand still': _is_said_to_stand_still,
    'time stops': _time_stops,
    'time runs': _time_runs,
    'hand never closes': _hand_never_closes,
    'touch is left out': _touch_is_left_out,
    'flips': _flips,
    'has no direction': _has_no_direction,
    'has no velocity': _has_no_velocity,
    'runs ahead': _runs_ahead,
    'is spun': _is_spun,
    'ends in the hand': _ends_in_the_hand,
    'sinks like a feather': _sinks_like_a_feather,
}
"""Every further kind of change, by name."""
