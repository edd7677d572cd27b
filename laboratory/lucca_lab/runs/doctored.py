"""Doctored traces: an honest trace with one random change, so that one object breaks one law.

The module shares no code with the laws.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from lucca_lab.judge.traces import SimulationTrace
from lucca_lab.runs.doctor import Doctor, Doctored, NothingToDoctorError, Rows, there, there_and_back, with_rows

_GRAVITY_MPS2 = 9.81


def _slides(doctor: Doctor) -> Doctored:
    name, rows = doctor.lying(doctor.chance.randrange(60, 220))
    way = doctor.flat(0.06, 0.2)
    shape = doctor.chance.choice((there, there_and_back))
    offsets = shape(len(rows)) * way
    if shape is there:
        rest = np.arange(rows[-1] + 1, len(doctor.trace.time_s))
        rows, offsets = np.concatenate([rows, rest]), np.vstack([offsets, np.tile(way, (len(rest), 1))])
    return Doctored(doctor.moved(name, rows, offsets), 'unheld motion', name, f'slides by {way.round(3)}')


def _hops(doctor: Doctor) -> Doctored:
    height = doctor.chance.uniform(0.04, 0.3)
    count = int(2 * np.sqrt(2 * height / _GRAVITY_MPS2) / 0.02) + 2
    name, rows = doctor.lying(count, alone=True)
    time_s = doctor.trace.time_s[rows] - doctor.trace.time_s[rows[0]]
    heights = np.maximum(0.0, np.sqrt(2 * _GRAVITY_MPS2 * height) * time_s - 0.5 * _GRAVITY_MPS2 * time_s**2)
    return Doctored(
        doctor.moved(name, rows, heights[:, None] * np.array((0.0, 0.0, 1.0))), 'energy', name, f'hops {height:.2f} m'
    )


def _hovers(doctor: Doctor) -> Doctored:
    name, rows = doctor.lying(doctor.chance.randrange(60, 200), alone=True)
    height = doctor.chance.uniform(0.06, 0.35)
    way = np.array((0.0, 0.0, height))
    return Doctored(
        doctor.moved(name, rows, there_and_back(len(rows)) * way), 'free fall', name, f'rises {height:.2f} m and sinks'
    )


def _floats(doctor: Doctor) -> Doctored:
    name, rows = doctor.lying(doctor.chance.randrange(90, 250), alone=True)
    height = doctor.chance.uniform(0.06, 0.4)
    ramp = 20
    shape = np.concatenate([there(ramp), np.ones((len(rows) - 2 * ramp, 1)), there(ramp)[::-1]])
    return Doctored(
        doctor.moved(name, rows, shape * np.array((0.0, 0.0, height))), 'support', name, f'stands {height:.2f} m up'
    )


def _floats_from_the_beginning(doctor: Doctor) -> Doctored:
    name, _ = doctor.lying(100, alone=True)
    column, height = doctor.trace.index_of(name), doctor.chance.uniform(0.06, 0.3)
    if (doctor.trace.held_by[:, column] != '').any():
        raise NothingToDoctorError(f'{name} is carried')
    rows = np.arange(len(doctor.trace.time_s))
    offsets = np.tile((0.0, 0.0, height), (len(rows), 1))
    return Doctored(doctor.moved(name, rows, offsets), 'support', name, f'is {height:.2f} m up all the time')


def _passes_through(doctor: Doctor) -> Doctored:
    name, rows = doctor.lying(doctor.chance.randrange(40, 150))
    here = doctor.trace.object_positions_m[rows[0], doctor.trace.index_of(name)]
    others = [item for item in doctor.trace.object_names if item != name]
    other = doctor.chance.choice(others)
    way = doctor.trace.object_positions_m[rows[len(rows) // 2], doctor.trace.index_of(other)] - here
    if np.linalg.norm(way) < 0.05:
        raise NothingToDoctorError('they lie beside each other')
    return Doctored(
        doctor.moved(name, rows, there_and_back(len(rows)) * way), 'solids', name, f'goes to where the {other} is'
    )


def _sinks_into_the_table(doctor: Doctor) -> Doctored:
    name, rows = doctor.lying(doctor.chance.randrange(20, 150))
    depth = doctor.chance.uniform(0.025, 0.05)
    return Doctored(
        doctor.moved(name, rows, there_and_back(len(rows)) * np.array((0.0, 0.0, -depth))),
        'solids',
        name,
        f'sinks by {depth:.3f} m',
    )


def _passes_through_a_wall(doctor: Doctor) -> Doctored:
    boxes = [item for item in doctor.scene.containers if item.shape == 'open_box']
    if not boxes:
        raise NothingToDoctorError('there is no box')
    box = doctor.chance.choice(boxes)
    name, rows = doctor.lying(doctor.chance.randrange(30, 120), alone=True)
    here = doctor.trace.object_positions_m[rows[0], doctor.trace.index_of(name)]
    x, y, _ = box.position_world_m
    if box.outline.contains(here[0], here[1]):
        raise NothingToDoctorError('it is in the box')
    way = np.array((x, y, here[2])) - here
    return Doctored(
        doctor.moved(name, rows, there_and_back(len(rows)) * way),
        'solids',
        name,
        f'goes through the wall of {box.name}',
    )


def _races(doctor: Doctor) -> Doctored:
    count = doctor.chance.randrange(10, 30)
    name, rows = doctor.lying(count)
    peak = doctor.chance.uniform(4.0, 8.0)
    length = peak * count * 0.02 / np.pi
    way = doctor.flat(length, length)
    return Doctored(doctor.moved(name, rows, there_and_back(count) * way), 'speed', name, f'moves at {peak:.1f} m/s')


def _is_said_to_race(doctor: Doctor) -> Doctored:
    name = doctor.an_object()
    rows = np.arange(doctor.chance.randrange(5, 40)) + doctor.chance.randrange(60, len(doctor.trace.time_s) - 200)
    velocities = doctor.trace.object_velocities.copy()
    velocities[rows, doctor.trace.index_of(name), :3] = doctor.flat(4.0, 10.0)
    return Doctored(
        replace(doctor.trace, object_velocities=velocities),
        'speed',
        name,
        'is recorded with a velocity of metres a second',
    )


def _jumps(doctor: Doctor) -> Doctored:
    name = doctor.an_object()
    first = doctor.chance.randrange(60, len(doctor.trace.time_s) - 120)
    last = doctor.chance.choice((first + doctor.chance.randrange(1, 60), len(doctor.trace.time_s)))
    rows = np.arange(first, last)
    way = doctor.flat(0.05, 0.6)
    positions = doctor.trace.object_positions_m.copy()
    positions[rows, doctor.trace.index_of(name)] += way
    return Doctored(
        replace(doctor.trace, object_positions_m=positions), 'jump', name, f'is elsewhere for {len(rows)} samples'
    )


def _vanishes(doctor: Doctor) -> Doctored:
    name = doctor.an_object()
    first = doctor.chance.randrange(0, len(doctor.trace.time_s) - 1)
    last = doctor.chance.choice((first + 1, len(doctor.trace.time_s), min(len(doctor.trace.time_s), first + 30)))
    place = doctor.chance.choice(((np.nan, 0.0, 0.8), (30.0, 0.0, 0.8), (0.4, 0.0, -5.0), (0.4, np.inf, 0.9)))
    positions = doctor.trace.object_positions_m.copy()
    positions[first:last, doctor.trace.index_of(name)] = place
    return Doctored(replace(doctor.trace, object_positions_m=positions), 'vanishing', name, f'is at {place}')


def _with_holds(trace: SimulationTrace, name: str, rows: Rows | slice, side: str) -> SimulationTrace:
    held = trace.held_by.astype('<U8')
    held[rows, trace.index_of(name)] = side
    return replace(trace, held_by=held)


def _is_welded_untouched(doctor: Doctor) -> Doctored:
    name, rows = doctor.lying(doctor.chance.randrange(4, 150))
    side = doctor.chance.choice(doctor.trace.hand_names)
    return Doctored(
        _with_holds(doctor.trace, name, rows, side),
        'weld',
        name,
        f'is welded to the {side} hand for {len(rows)} samples',
    )


def _is_welded_too_early(doctor: Doctor) -> Doctored:
    name, side, first, _ = doctor.hold(20)
    early = doctor.chance.randrange(60, 160)
    return Doctored(
        _with_holds(doctor.trace, name, slice(max(0, first - early), first), side),
        'weld',
        name,
        f'{early} samples early',
    )


def _is_welded_too_long(doctor: Doctor) -> Doctored:
    name, side, first, last = doctor.hold(20)
    hand = doctor.trace.hand_names.index(side)
    late = doctor.chance.randrange(20, 60)
    asked = doctor.trace.hand_asked[last : last + 10, hand]
    if (
        last + late >= len(doctor.trace.time_s)
        or not len(asked)
        or asked.min() > doctor.trace.hand_asked[first, hand] - 0.1
    ):
        raise NothingToDoctorError('it was not let go by opening')
    return Doctored(
        _with_holds(doctor.trace, name, slice(last, last + late), side),
        'release',
        name,
        f'is held {late} samples too long',
    )


def _hand_is_opened(doctor: Doctor) -> Doctored:
    name, side, first, last = doctor.hold(60)
    hand = doctor.trace.hand_names.index(side)
    begin = doctor.chance.randrange(first + 10, last - 20)
    asked = doctor.trace.hand_asked.copy()
    asked[begin:, hand] = doctor.chance.uniform(0.0, 0.8) * asked[first, hand]
    return Doctored(
        replace(doctor.trace, hand_asked=asked),
        'release',
        name,
        f'the {side} hand opens {last - begin} samples earlier',
    )


def _moves_in_the_hand(doctor: Doctor) -> Doctored:
    name, _, first, last = doctor.hold(60)
    rows = np.arange(first + 5, last - 5)
    way = doctor.flat(0.05, 0.15)
    return Doctored(
        doctor.moved(name, rows, there_and_back(len(rows)) * way),
        'two places',
        name,
        f'moves by {way.round(3)} in a hand',
    )


def _stays_behind(doctor: Doctor) -> Doctored:
    name, _, first, last = doctor.hold(60)
    places = doctor.trace.object_positions_m[first:last, doctor.trace.index_of(name)]
    if np.linalg.norm(places - places[0], axis=1).max() < 0.05:
        raise NothingToDoctorError('the hand does not move')
    return Doctored(
        doctor.at(name, np.arange(first, last), places[0]),
        'two places',
        name,
        'lies where it lay while a hand holds it',
    )


def _stands_twice(doctor: Doctor) -> Doctored:
    name, other = doctor.chance.sample(doctor.trace.object_names, 2)
    names = tuple(name if known == other else known for known in doctor.trace.object_names)
    return Doctored(
        replace(doctor.trace, object_names=names), 'two places', name, f'stands in the record for the {other}'
    )


def _is_said_to_touch(doctor: Doctor) -> Doctored:
    """Records contacts of an object with the table or a container as contacts with a link that touches nothing."""
    name, track = doctor.an_object(), doctor.trace.contacts
    assert track is not None
    touching = {track.body_names[number] for number in np.unique(track.bodies)}
    robot = doctor.links
    other = doctor.chance.choice([link for link in robot if link not in touching])
    still = ~np.isin(track.bodies, [track.body_names.index(link) for link in robot]).any(axis=1)
    mine = np.flatnonzero(still & (track.bodies == track.body_names.index(name)).any(axis=1))
    if len(mine) < 20:
        raise NothingToDoctorError(f'too few contacts of the {name} are recorded')
    first = doctor.chance.randrange(len(mine) - 10)
    bodies = track.bodies.copy()
    bodies[mine[first : first + 10]] = sorted((track.body_names.index(name), track.body_names.index(other)))
    return Doctored(
        replace(doctor.trace, contacts=replace(track, bodies=bodies)), 'contacts', name, f'is said to touch {other}'
    )


def _joint_is_elsewhere(doctor: Doctor) -> Doctored:
    column = doctor.chance.randrange(len(doctor.trace.joint_names))
    name = doctor.trace.joint_names[column]
    joint = next(item for item in doctor.profile.moving_joints if item.name == name)
    rows = np.arange(doctor.chance.randrange(3, 60)) + doctor.chance.randrange(50, len(doctor.trace.time_s) - 100)
    joints = doctor.trace.joint_positions_rad.copy()
    off = doctor.chance.uniform(0.1, 1.0)
    joints[rows, column] = doctor.chance.choice((joint.lower - off, joint.upper + off))
    return Doctored(
        replace(doctor.trace, joint_positions_rad=joints), 'joints', name, f'is {off:.2f} rad beyond its limit'
    )


def _moves_in_the_end(doctor: Doctor) -> Doctored:
    name = doctor.an_object()
    rows = np.arange(len(doctor.trace.time_s) - 100, len(doctor.trace.time_s))
    way = doctor.flat(0.06, 0.2)
    offsets = np.linspace(0, 1, len(rows))[:, None] ** 2 * way
    return Doctored(doctor.moved(name, rows, offsets), 'rest', name, f'moves by {way.round(3)} in the end')


def _is_held_in_the_end(doctor: Doctor) -> Doctored:
    name, side = doctor.an_object(), doctor.chance.choice(doctor.trace.hand_names)
    rows = slice(len(doctor.trace.time_s) - doctor.chance.randrange(1, 100), None)
    return Doctored(
        _with_holds(doctor.trace, name, rows, side), 'rest', name, f'is welded to the {side} hand in the end'
    )


def _piece_is_cut_out(doctor: Doctor) -> Doctored:
    count = len(doctor.trace.time_s)
    first = doctor.chance.randrange(10, count - 100)
    last = first + doctor.chance.randrange(8, 80)
    rows = doctor.chance.choice(
        (
            np.concatenate([np.arange(first), np.arange(last, count)]),
            np.concatenate([np.arange(last), np.arange(first, count)]),
            np.concatenate([np.arange(first), np.arange(first, last)[::-1], np.arange(last, count)]),
        )
    )
    return Doctored(with_rows(doctor.trace, rows), 'time', 'the trace', f'samples {first} to {last} out of place')


def comes_too_early(doctor: Doctor, starts_s: Sequence[float], objects: Sequence[str]) -> Doctored:
    """Swaps a job of the first group with one of the second. Each group has two jobs, which begin and end alike."""
    early, late = doctor.chance.randrange(2), doctor.chance.randrange(2, 4)
    blocks = _blocks(doctor.trace, starts_s)
    blocks[1 + early], blocks[1 + late] = blocks[1 + late], blocks[1 + early]
    trace = _in_time(with_rows(doctor.trace, np.concatenate(blocks)))
    return Doctored(trace, 'order', objects[late], 'is pointed at too early')


def is_pointed_at_again(doctor: Doctor, starts_s: Sequence[float], objects: Sequence[str]) -> Doctored:
    """Repeats one job at the end."""
    again = doctor.chance.randrange(len(objects))
    blocks = _blocks(doctor.trace, starts_s)
    trace = _in_time(with_rows(doctor.trace, np.concatenate([*blocks, blocks[1 + again]])))
    return Doctored(trace, 'repeats', objects[again], 'is pointed at again')


def lies_beside_the_ray(doctor: Doctor, starts_s: Sequence[float], objects: Sequence[str]) -> Doctored:
    """Puts an object elsewhere for the whole run."""
    name, way = doctor.chance.choice(list(objects)), doctor.flat(0.06, 0.15)
    rows = np.arange(len(doctor.trace.time_s))
    return Doctored(
        doctor.moved(name, rows, np.tile(way, (len(rows), 1))), 'pointing', name, f'lies {way.round(3)} beside the ray'
    )


def _blocks(trace: SimulationTrace, starts_s: Sequence[float]) -> list[Rows]:
    """The samples before the first job, followed by the samples of each job."""
    edges = [0, *np.searchsorted(trace.time_s, starts_s).tolist(), len(trace.time_s)]
    return [np.arange(first, last) for first, last in itertools.pairwise(edges)]


def _in_time(trace: SimulationTrace) -> SimulationTrace:
    step_s = float(np.median(np.abs(np.diff(trace.time_s))))
    return replace(trace, time_s=step_s * np.arange(len(trace.time_s), dtype=np.float64))


OF_POINTING = {
    'comes too early': comes_too_early,
    'is pointed at again': is_pointed_at_again,
    'lies beside the ray': lies_beside_the_ray,
}
"""Changes to a run in which four objects are pointed at. They need to know when each job began, and its object."""

KINDS: dict[str, Callable[[Doctor], Doctored]] = {
    'slides': _slides,
    'hops': _hops,
    'hovers': _hovers,
    'floats': _floats,
    'floats from the beginning': _floats_from_the_beginning,
    'passes through another': _passes_through,
    'passes through a wall': _passes_through_a_wall,
    'sinks into the table': _sinks_into_the_table,
    'races': _races,
    'is said to race': _is_said_to_race,
    'jumps': _jumps,
    'vanishes': _vanishes,
    'is welded untouched': _is_welded_untouched,
    'is welded too early': _is_welded_too_early,
    'is welded too long': _is_welded_too_long,
    'hand is opened': _hand_is_opened,
    'moves in the hand': _moves_in_the_hand,
    'stays behind': _stays_behind,
    'stands twice': _stands_twice,
    'is said to touch': _is_said_to_touch,
    'joint is elsewhere': _joint_is_elsewhere,
    'moves in the end': _moves_in_the_end,
    'is held in the end': _is_held_in_the_end,
    'piece is cut out': _piece_is_cut_out,
}
"""Every kind of change, by name."""
