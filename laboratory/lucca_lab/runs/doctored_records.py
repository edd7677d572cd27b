"""Doctored records: changes to the forces, contacts, hands, clock and beginning that an honest trace records.

As in `doctored_further`, `Doctored.law` is the intended law, and `also` has others that may report the change instead.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lucca_lab.judge.traces import ContactTrack
from lucca_lab.runs.doctor import Doctor, Doctored, NothingToDoctorError, Rows, there, with_rows

_LEAST_ROWS, _LEAST_LYING = 8, 12
"""The least number of samples in a row of a contact that is changed: of any contact, and of one of a resting object."""

_STILL_MPS = 0.005
_MOVES_RADPS = 0.3


def _is_done_from_the_start(doctor: Doctor) -> Doctored:
    """Puts everything where it lies in the end, for the whole run."""
    trace, last = doctor.trace, len(doctor.trace.time_s) - 1
    ways = np.linalg.norm(trace.object_positions_m[-1] - trace.object_positions_m[0], axis=1)
    still = with_rows(trace, np.full(last + 1, last))
    return Doctored(
        replace(still, time_s=trace.time_s),
        'start',
        trace.object_names[int(np.argmax(ways))],
        'lies where it will be brought to from the beginning',
    )


def _presses_on_nothing(doctor: Doctor) -> Doctored:
    """Removes nearly all force from the contacts of an object."""
    name, mine = _contacts_of(doctor, lying=True)
    track = _track(doctor)
    forces, factor = track.forces_n.copy(), doctor.chance.choice((0.0, 0.03, 0.1))
    forces[mine] *= factor
    return _recorded(doctor, replace(track, forces_n=forces), name, f'presses with {factor:.2f} of its force')


def _is_pushed_from_elsewhere(doctor: Doctor) -> Doctored:
    """Turns the normals of an object's contacts into another direction."""
    name, mine = _contacts_of(doctor)
    track = _track(doctor)
    normals = track.normals.copy()
    aside = np.cross(normals[mine], (0.6, 0.8, 0.0))
    aside /= np.maximum(np.linalg.norm(aside, axis=1), 1e-9)[:, None]
    normals[mine] = -normals[mine] if doctor.chance.random() < 0.5 else aside
    return _recorded(doctor, replace(track, normals=normals), name, 'is said to be pushed from another side')


def _touches_from_afar(doctor: Doctor) -> Doctored:
    """Records the contacts of an object with a gap, or with an overlap that does not exist."""
    name, mine = _contacts_of(doctor)
    track = _track(doctor)
    depths = track.depths_m.copy()
    depths[mine] = doctor.chance.choice((-1.0, -0.03, 0.03, -np.inf))
    return _recorded(doctor, replace(track, depths_m=depths), name, f'is said to be {depths[mine][0]} m deep')


def _contacts_stand_twice(doctor: Doctor) -> Doctored:
    name, mine = _contacts_of(doctor)
    return _recorded(doctor, _taken(_track(doctor), _with_again(doctor, mine)), name, 'has its contacts twice')


def _link_is_said_to_touch(doctor: Doctor) -> Doctored:
    """Adds contacts of a link with the table, though only contacts of objects are recorded."""
    track = _track(doctor)
    link = doctor.chance.choice(doctor.links)
    rows = np.arange(20, dtype=np.int32) + doctor.chance.randrange(50, len(doctor.trace.time_s) - 50)
    pair = np.tile(sorted((track.body_names.index('world'), track.body_names.index(link))), (len(rows), 1))
    added = ContactTrack(
        track.body_names,
        np.concatenate([track.rows, rows]),
        np.concatenate([track.bodies, pair.astype(track.bodies.dtype)]),
        np.concatenate([track.normals, np.tile((0.0, 0.0, 1.0), (len(rows), 1))]),
        np.concatenate([track.depths_m, np.full(len(rows), 0.001)]),
        np.concatenate([track.forces_n, np.full(len(rows), 5.0)]),
    )
    return _recorded(doctor, added, link, 'is said to touch the table')


def _slides_on(doctor: Doctor) -> Doctored:
    """Lets an object slide along the table as if on ice after a hand released it."""
    name, _, _, last = doctor.hold(20)
    column, count = doctor.trace.index_of(name), len(doctor.trace.time_s)
    slow, fast = 6, doctor.chance.randrange(100, 250)
    rows = np.arange(last, count)
    if len(rows) < slow + fast + 80 or (doctor.trace.held_by[rows, column] != '').any():
        raise NothingToDoctorError(f'the {name} does not lie long enough after it was let go')
    speed = doctor.chance.uniform(0.1, 0.3)
    parts = np.zeros(len(rows))
    parts[:fast] = speed * 0.02 * np.arange(fast)
    parts[fast : fast + slow] = parts[fast - 1] + speed * 0.02 * slow * there(slow)[:, 0] / 2
    parts[fast + slow :] = parts[fast + slow - 1]
    changed = doctor.moved(name, rows, parts[:, None] * doctor.flat(1.0, 1.0))
    return Doctored(
        changed, 'energy', name, f'slides on at {speed:.2f} m/s', ('solids', 'support', 'free fall', 'jump')
    )


def _trade_places(doctor: Doctor) -> Doctored:
    """Swaps two objects for the whole run."""
    trace, track = doctor.trace, _track(doctor)
    names = doctor.chance.sample(trace.object_names, 2)
    columns = [trace.index_of(name) for name in names]
    order = np.arange(len(trace.object_names))
    order[columns] = order[columns[::-1]]
    bodies = list(track.body_names)
    numbers = [bodies.index(name) for name in names]
    bodies[numbers[0]], bodies[numbers[1]] = bodies[numbers[1]], bodies[numbers[0]]
    changed = replace(
        trace,
        object_positions_m=trace.object_positions_m[:, order],
        object_orientations_wxyz=trace.object_orientations_wxyz[:, order],
        object_velocities=trace.object_velocities[:, order],
        held_by=trace.held_by[:, order],
        contacts=replace(track, body_names=tuple(bodies)),
    )
    return Doctored(changed, 'start', names[0], f'is taken for the {names[1]} all the time', ('support', 'solids'))


def _hovers_by_millimetres(doctor: Doctor) -> Doctored:
    name, rows = doctor.lying(150, alone=True)
    height = doctor.chance.uniform(0.002, 0.0035)
    ramp = 15
    shape = np.concatenate([there(ramp), np.ones((len(rows) - 2 * ramp, 1)), there(ramp)[::-1]])
    changed = doctor.moved(name, rows, shape * np.array((0.0, 0.0, height)))
    return Doctored(changed, 'support', name, f'hovers {height * 1000:.1f} mm high', ('contacts',))


def _samples_are_left_out(doctor: Doctor) -> Doctored:
    """Removes single samples here and there."""
    count = len(doctor.trace.time_s)
    gone = np.arange(doctor.chance.randrange(20, 60), count - 10, doctor.chance.randrange(15, 80))
    rows = np.setdiff1d(np.arange(count), gone)
    return Doctored(with_rows(doctor.trace, rows), 'time', 'the trace', f'{len(gone)} samples are left out')


def _arm_is_left_out(doctor: Doctor) -> Doctored:
    trace = doctor.trace
    arm = doctor.chance.choice(list(doctor.profile.arms.values()))
    keep = [column for column, name in enumerate(trace.joint_names) if name not in arm.joints]
    changed = replace(
        trace,
        joint_names=tuple(trace.joint_names[column] for column in keep),
        joint_positions_rad=trace.joint_positions_rad[:, keep],
    )
    return Doctored(changed, 'vanishing', arm.joints[0], 'is not recorded, as is all of its arm')


def _hand_is_left_out(doctor: Doctor) -> Doctored:
    trace = doctor.trace
    gone = doctor.chance.randrange(len(trace.hand_names))
    keep = [column for column in range(len(trace.hand_names)) if column != gone]
    changed = replace(
        trace,
        hand_names=tuple(trace.hand_names[column] for column in keep),
        hand_asked=trace.hand_asked[:, keep],
        hand_measured=trace.hand_measured[:, keep],
    )
    return Doctored(changed, 'vanishing', trace.hand_names[gone], 'is not recorded')


def _hand_moves_unasked(doctor: Doctor) -> Doctored:
    """Records, for some seconds, that a hand that holds nothing was commanded to do something else than it does."""
    trace, column = doctor.trace, doctor.chance.randrange(len(doctor.trace.hand_names))
    side, rows = trace.hand_names[column], np.arange(150)
    rows = rows + doctor.chance.randrange(20, len(trace.time_s) - 170)
    if (trace.held_by[rows] == side).any():
        raise NothingToDoctorError(f'the {side} hand holds something')
    asked = trace.hand_asked.copy()
    asked[rows, column] = np.where(trace.hand_measured[rows, column] < 0.5, 0.9, 0.05)
    return Doctored(replace(trace, hand_asked=asked), 'joints', side, 'does for 3 s what it is not asked to do')


def _arm_shakes(doctor: Doctor) -> Doctored:
    """Moves an arm joint to and fro at each sample, more slowly than its limit."""
    trace = doctor.trace
    name = doctor.chance.choice([joint for arm in doctor.profile.arms.values() for joint in arm.joints])
    rows = np.arange(doctor.chance.randrange(20, 80))
    rows = rows + doctor.chance.randrange(50, len(trace.time_s) - 150)
    joints = trace.joint_positions_rad.copy()
    joints[rows, trace.joint_names.index(name)] += np.where(rows % 2, 0.008, -0.008)
    return Doctored(replace(trace, joint_positions_rad=joints), 'joints', name, f'shakes for {len(rows)} samples')


def _all_stands_still(doctor: Doctor) -> Doctored:
    """Repeats one sample for a while in the middle of a motion."""
    trace = doctor.trace
    arms = {joint for arm in doctor.profile.arms.values() for joint in arm.joints}
    columns = [column for column, name in enumerate(trace.joint_names) if name in arms]
    rates = np.abs(np.diff(trace.joint_positions_rad[:, columns], axis=0)) / 0.02
    moving = np.flatnonzero(rates[50:-100].max(axis=1) > _MOVES_RADPS) + 50
    if not len(moving):
        raise NothingToDoctorError('no arm moves')
    row = int(doctor.chance.choice(moving.tolist()))
    rows = np.concatenate(
        [np.arange(row + 1), np.full(doctor.chance.randrange(10, 60), row), np.arange(row + 1, len(trace.time_s))]
    )
    name = trace.joint_names[columns[int(np.argmax(rates[row - 1]))]]
    changed = replace(with_rows(trace, rows), time_s=np.linspace(0.0, 0.02 * (len(rows) - 1), len(rows)))
    return Doctored(changed, 'joints', name, f'stands still at once at sample {row}, as all does', ('jump',))


def _is_called_kinematic(doctor: Doctor) -> Doctored:
    """Records another engine, though the trace has all that only physics gives."""
    changed = replace(doctor.trace, engine=doctor.chance.choice(('kinematic', 'Physics', '')))
    return Doctored(changed, 'contacts', 'the trace', f'says that its engine is {changed.engine!r}')


def _track(doctor: Doctor) -> ContactTrack:
    assert doctor.trace.contacts is not None
    return doctor.trace.contacts


def _contacts_of(doctor: Doctor, *, lying: bool = False) -> tuple[str, Rows]:
    """An object, and the numbers of its contacts with one body other than the robot, in consecutive samples.

    With `lying`, the object lies still, untouched by the robot, and the numbers are those of all its contacts in these
    samples.

    Raises:
        NothingToDoctorError: there are no such contacts.
    """
    track, trace = _track(doctor), doctor.trace
    robot = np.isin(track.body_names, doctor.links)[track.bodies]
    names = list(trace.object_names)
    doctor.chance.shuffle(names)
    for name in names:
        mine = (track.bodies == track.body_names.index(name)).any(axis=1)
        touched = np.unique(track.rows[mine & robot.any(axis=1)])
        still = trace.object_speeds_mps[track.rows, trace.index_of(name)] < _STILL_MPS
        if lying:
            mine &= still & ~np.isin(track.rows, [row + near for row in touched for near in range(-5, 6)])
        for pair in np.unique(track.bodies[mine & ~robot.any(axis=1)], axis=0):
            numbers = np.flatnonzero(mine & (track.bodies == pair).all(axis=1))
            pieces = np.split(numbers, np.flatnonzero(np.diff(track.rows[numbers]) != 1) + 1)
            longest = max(pieces, key=len)
            if lying and len(longest) >= _LEAST_LYING:
                return name, np.flatnonzero(mine & np.isin(track.rows, track.rows[longest]))
            if not lying and len(longest) >= _LEAST_ROWS:
                return name, longest
    raise NothingToDoctorError('too few contacts are recorded')


def _with_again(doctor: Doctor, mine: Rows) -> Rows:
    again = mine[: doctor.chance.randrange(5, len(mine) + 1)]
    return np.concatenate([np.arange(len(_track(doctor).rows)), again])


def _taken(track: ContactTrack, numbers: npt.NDArray[np.int64]) -> ContactTrack:
    return ContactTrack(
        track.body_names,
        track.rows[numbers],
        track.bodies[numbers],
        track.normals[numbers],
        track.depths_m[numbers],
        track.forces_n[numbers],
    )


def _recorded(doctor: Doctor, track: ContactTrack, name: str, how: str) -> Doctored:
    return Doctored(replace(doctor.trace, contacts=track), 'contacts', name, how)


OF_RECORDS: dict[str, Callable[[Doctor], Doctored]] = {
    'is done from the start': _is_done_from_the_start,
    'presses on nothing': _presses_on_nothing,
    'is pushed from elsewhere': _is_pushed_from_elsewhere,
    'touches from afar': _touches_from_afar,
    'contacts stand twice': _contacts_stand_twice,
    'link is said to touch': _link_is_said_to_touch,
    'slides on': _slides_on,
    'trade places': _trade_places,
    'hovers by millimetres': _hovers_by_millimetres,
    'samples are left out': _samples_are_left_out,
    'arm is left out': _arm_is_left_out,
    'hand is left out': _hand_is_left_out,
    'hand moves unasked': _hand_moves_unasked,
    'arm shakes': _arm_shakes,
    'all stands still': _all_stands_still,
    'is called kinematic': _is_called_kinematic,
}
"""Every kind of change, by name."""
