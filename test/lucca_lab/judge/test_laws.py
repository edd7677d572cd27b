"""The judge finds each doctored trace, by law and object, and accepts the honest ones."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from doctoring import (
    first_hold,
    following,
    held,
    hop,
    moved,
    rows_between,
    there_and_back,
    with_joint,
    without_contacts,
)
from pointing_cases import DOCTORED_POINTING

from lucca_lab.judge.traces import SimulationTrace
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import judge_trace, law_faults
from lucca_lab.runs.doctor import with_rows
from lucca_lab.runs.drawn import JOBS
from lucca_sim.scene import load_scene

pytestmark = pytest.mark.physics

Doctor = Callable[[SimulationTrace], SimulationTrace]
BYSTANDER = 'baseball'


def slide(name: str, way_m: tuple[float, float, float], first_s: float, last_s: float) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = rows_between(trace, first_s, last_s)
        return moved(trace, name, there_and_back(rows, way_m), rows)

    return doctor


def lift(name: str, height_m: float, first_s: float, last_s: float) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = rows_between(trace, first_s, last_s)
        return moved(trace, name, np.tile((0.0, 0.0, height_m), (len(rows), 1)), rows)

    return doctor


def hopping(name: str, height_m: float, at_s: float) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = rows_between(trace, at_s, at_s + 2 * np.sqrt(2 * height_m / 9.81))
        return moved(trace, name, hop(trace, rows, height_m), rows)

    return doctor


def in_the_end(name: str, offset_m: tuple[float, float, float]) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = rows_between(trace, trace.time_s[-1] - 1.2, trace.time_s[-1])
        return moved(trace, name, np.tile(offset_m, (len(rows), 1)), rows)

    return doctor


def at_row(name: str, values: tuple[float, float, float]) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        positions = trace.object_positions_m.copy()
        positions[200, trace.index_of(name)] = values
        return replace(trace, object_positions_m=positions)

    return doctor


def from_the_beginning(name: str, offset_m: tuple[float, float, float]) -> Doctor:
    return lambda trace: moved(trace, name, np.tile(offset_m, (len(trace.time_s), 1)), np.arange(len(trace.time_s)))


def drifting(name: str) -> Doctor:
    """It moves all the time, at the end too."""

    def doctor(trace: SimulationTrace) -> SimulationTrace:
        offsets = np.zeros((len(trace.time_s), 3))
        offsets[:, 0] = -0.02 * trace.time_s
        return moved(trace, name, offsets, np.arange(len(trace.time_s)))

    return doctor


def onto(name: str, other: str, part: float) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        way = trace.object_positions_m[0, trace.index_of(other)] - trace.object_positions_m[0, trace.index_of(name)]
        rows = rows_between(trace, 0.1, 1.5)
        return moved(trace, name, there_and_back(rows, tuple(part * way)), rows)

    return doctor


def rising(name: str, height_m: float, first_s: float, last_s: float) -> Doctor:
    return slide(name, (0.0, 0.0, height_m), first_s, last_s)


def falling_slowly(name: str, height_m: float) -> Doctor:
    """As if it had been dropped from a height in a tenth of gravity."""

    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = rows_between(trace, 0.0, np.sqrt(2 * height_m / 0.981))
        heights = height_m - 0.5 * 0.981 * (trace.time_s[rows] - trace.time_s[rows[0]]) ** 2
        return moved(trace, name, np.column_stack([0 * heights, 0 * heights, np.maximum(0.0, heights)]), rows)

    return doctor


def welded(name: str, side: str, first_s: float, last_s: float) -> Doctor:
    return lambda trace: held(trace, name, side, rows_between(trace, first_s, last_s))


def welded_early(name: str, rows_before: int) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = first_hold(trace, name)
        side = str(trace.held_by[rows[0], trace.index_of(name)])
        return held(trace, name, side, np.arange(rows[0] - rows_before, rows[0]))

    return doctor


def welded_late(name: str, rows_after: int) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = first_hold(trace, name)
        side = str(trace.held_by[rows[0], trace.index_of(name)])
        return held(trace, name, side, np.arange(rows[-1] + 1, rows[-1] + 1 + rows_after))

    return doctor


def hand_opened_while_holding(name: str) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = first_hold(trace, name)
        hand = trace.hand_names.index(str(trace.held_by[rows[0], trace.index_of(name)]))
        asked = trace.hand_asked.copy()
        asked[rows[20:60], hand] = 0.0
        return replace(trace, hand_asked=asked)

    return doctor


def hand_half_opened_while_holding(name: str) -> Doctor:
    """It is asked to open, but not so far that it would count as open."""

    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = first_hold(trace, name)
        hand = trace.hand_names.index(str(trace.held_by[rows[0], trace.index_of(name)]))
        asked = trace.hand_asked.copy()
        asked[rows[20:60], hand] = asked[rows[0], hand] - 0.1
        return replace(trace, hand_asked=asked)

    return doctor


def thumb_away_while_holding(name: str) -> Doctor:
    """The thumb is stretched out for most of a hold; the fingers alone stay where they are, on one side."""

    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = first_hold(trace, name)
        side = str(trace.held_by[rows[0], trace.index_of(name)])[0]
        for joint in ('T0', 'T1', 'T2', 'T3'):
            trace = with_joint(trace, f'{side}_joint{joint}', rows[5:], 0.0)
        return trace

    return doctor


def left_behind(name: str) -> Doctor:
    """It lies where it lay while the hand that is said to hold it goes away."""

    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows, column = first_hold(trace, name), trace.index_of(name)
        positions = trace.object_positions_m.copy()
        positions[rows, column] = positions[rows[0], column]
        return following(replace(trace, object_positions_m=positions), name)

    return doctor


def turning_in_the_hand(name: str) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows, column = first_hold(trace, name), trace.index_of(name)
        turns = trace.object_orientations_wxyz.copy()
        angle = np.linspace(0, 1.5, len(rows)) / 2
        turns[rows, column] = np.column_stack([np.cos(angle), 0 * angle, 0 * angle, np.sin(angle)])
        return replace(trace, object_orientations_wxyz=turns)

    return doctor


def slipping(name: str) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = first_hold(trace, name)
        return moved(trace, name, there_and_back(rows, (0.0, 0.06, 0.0)), rows)

    return doctor


def twice(name: str, other: str) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        names = tuple(name if known == other else known for known in trace.object_names)
        return replace(trace, object_names=names)

    return doctor


def cut(first_row: int, last_row: int) -> Doctor:
    return lambda trace: with_rows(
        trace, np.concatenate([np.arange(first_row), np.arange(last_row, len(trace.time_s))])
    )


def backwards(trace: SimulationTrace) -> SimulationTrace:
    return with_rows(trace, np.arange(len(trace.time_s))[::-1])


def repeated_rows(trace: SimulationTrace) -> SimulationTrace:
    return with_rows(trace, np.concatenate([np.arange(300), np.arange(200, len(trace.time_s))]))


def contacts_of(name: str, keep_every: int) -> Doctor:
    """Most contacts of one object are taken out of the record."""

    def doctor(trace: SimulationTrace) -> SimulationTrace:
        track = trace.contacts
        assert track is not None
        mine = (track.bodies == track.body_names.index(name)).any(axis=1)
        return without_contacts(trace, ~mine | (np.arange(len(mine)) % keep_every == 0))

    return doctor


def said_to_touch(name: str, other: str) -> Doctor:
    """What touches the table is said to touch something else."""

    def doctor(trace: SimulationTrace) -> SimulationTrace:
        track = trace.contacts
        assert track is not None
        bodies = track.bodies.copy()
        mine = np.flatnonzero((track.bodies == track.body_names.index(name)).any(axis=1))[:50]
        bodies[mine] = sorted((track.body_names.index(name), track.body_names.index(other)))
        return replace(trace, contacts=replace(track, bodies=bodies))

    return doctor


def joint_set(name: str, value: float) -> Doctor:
    return lambda trace: with_joint(trace, name, np.arange(250, 260), value)


def joint_swings(name: str) -> Doctor:
    def doctor(trace: SimulationTrace) -> SimulationTrace:
        rows = np.arange(0, 100)
        here = trace.joint_positions_rad[0, trace.joint_names.index(name)]
        return with_joint(trace, name, rows, here + 0.4 * np.sin(np.linspace(0, 40, 100)))

    return doctor


OFTEN = frozenset({'unheld motion', 'solids', 'support', 'weld', 'release', 'two places', 'vanishing', 'speed'})
"""Laws of which `make test` has all doctored traces; of the others it has every other one."""

TEN_LAWS = {
    'motion of what nobody holds': 'unheld motion',
    'passing through a solid': 'solids',
    'lying on nothing': 'support',
    'a weld without two contacts': 'weld',
    'a weld after the hand opened': 'release',
    'two places at once': 'two places',
    'appearing or vanishing': 'vanishing',
    'speed': 'speed',
    'order': 'order',
    'the ray of a pointing finger': 'pointing',
}
"""What has to be found at least, and the name of its law."""

DOCTORED: list[tuple[str, str, Doctor]] = [
    ('unheld motion', BYSTANDER, slide(BYSTANDER, (-0.05, 0.0, 0.0), 2.0, 6.0)),
    ('unheld motion', BYSTANDER, slide(BYSTANDER, (0.0, 0.03, 0.0), 1.0, 9.0)),
    ('unheld motion', 'bowl', slide('bowl', (0.02, 0.02, 0.0), 1.0, 4.0)),
    ('energy', BYSTANDER, hopping(BYSTANDER, 0.05, 2.0)),
    ('energy', BYSTANDER, slide(BYSTANDER, (-0.15, 0.0, 0.0), 2.0, 2.6)),
    ('energy', 'bowl', hopping('bowl', 0.02, 1.0)),
    ('free fall', BYSTANDER, rising(BYSTANDER, 0.2, 2.0, 5.0)),
    ('free fall', BYSTANDER, falling_slowly(BYSTANDER, 0.15)),
    ('free fall', 'cup', rising('cup', 0.1, 0.5, 2.5)),
    ('support', BYSTANDER, from_the_beginning(BYSTANDER, (0.0, 0.0, 0.1))),
    ('support', BYSTANDER, lift(BYSTANDER, 0.05, 2.0, 4.0)),
    ('support', 'cup', in_the_end('cup', (0.0, 0.0, 0.2))),
    ('solids', BYSTANDER, from_the_beginning(BYSTANDER, (0.0, 0.0, -0.03))),
    ('solids', BYSTANDER, onto(BYSTANDER, 'bowl', 1.0)),
    ('solids', 'cup', onto('cup', BYSTANDER, 0.9)),
    ('solids', 'apple', in_the_end('apple', (0.0, 0.15, 0.0))),
    ('speed', BYSTANDER, slide(BYSTANDER, (-0.4, 0.0, 0.0), 2.0, 2.5)),
    ('speed', 'bowl', slide('bowl', (0.0, 0.5, 0.0), 1.0, 1.6)),
    ('speed', 'cup', rising('cup', 0.6, 0.5, 1.2)),
    ('jump', BYSTANDER, at_row(BYSTANDER, (0.5, 0.5, 0.84))),
    ('jump', 'apple', at_row('apple', (0.3, 0.1, 0.9))),
    ('jump', 'cup', at_row('cup', (0.3, -0.1, 0.83))),
    ('vanishing', BYSTANDER, at_row(BYSTANDER, (np.nan, 0.5, 0.84))),
    ('vanishing', 'apple', at_row('apple', (0.0, 0.0, -9.0))),
    ('vanishing', 'cup', at_row('cup', (50.0, 0.0, 0.8))),
    ('two places', 'apple', twice('apple', BYSTANDER)),
    ('two places', 'apple', left_behind('apple')),
    ('two places', 'cup', slipping('cup')),
    ('two places', 'apple', turning_in_the_hand('apple')),
    ('weld', BYSTANDER, welded(BYSTANDER, 'left', 2.0, 3.0)),
    ('weld', 'apple', welded_early('apple', 60)),
    ('weld', 'bowl', welded('bowl', 'left', 1.0, 1.4)),
    ('weld', 'cup', thumb_away_while_holding('cup')),
    ('release', 'apple', hand_half_opened_while_holding('apple')),
    ('release', 'apple', welded_late('apple', 25)),
    ('release', 'cup', hand_opened_while_holding('cup')),
    ('release', 'cup', welded_late('cup', 60)),
    ('contacts', BYSTANDER, said_to_touch(BYSTANDER, 'apple')),
    ('contacts', 'cup', said_to_touch('cup', 'box 1')),
    ('contacts', 'apple', said_to_touch('apple', 'l_Itip')),
    ('rest', BYSTANDER, drifting(BYSTANDER)),
    ('rest', 'cup', welded('cup', 'right', 1.0, 999.0)),
    ('rest', 'apple', lambda trace: held(trace, 'apple', 'left', np.array([len(trace.time_s) - 1]))),
    ('time', 'the trace', cut(300, 340)),
    ('time', 'the trace', backwards),
    ('time', 'the trace', repeated_rows),
    ('joints', 'l_joint2', joint_set('l_joint2', 9.0)),
    ('joints', 'r_joint1', joint_swings('r_joint1')),
    ('joints', 'l_joint4', joint_set('l_joint4', 0.0)),
]


@pytest.mark.parametrize(
    'task',
    [pytest.param(task, marks=pytest.mark.slow if task in ('sorting', 'arrangement') else ()) for task in JOBS],
)
def test_an_honest_trace_is_complete_and_physical(recorded, task):
    judgement = judge_trace(recorded(task), load_scene(task, 3), {task: load_truth()[task]})[task]
    assert judgement.faults == ()
    assert (judgement.complete, judgement.physical, judgement.repeated, judgement.order) == (True, True, 0, True)


FAST = [law in OFTEN or index % 2 == 0 for index, (law, _, _) in enumerate(DOCTORED)]


# `make soak` has all, and `lucca attack doctored-traces` draws more.
@pytest.mark.parametrize(
    ('law', 'name', 'doctor'),
    [pytest.param(*case, marks=() if fast else pytest.mark.slow) for case, fast in zip(DOCTORED, FAST, strict=True)],
    ids=[f'{index} {law} {name}' for index, (law, name, _) in enumerate(DOCTORED)],
)
def test_a_doctored_trace_is_found_out_by_law_and_object(recorded, law, name, doctor):
    faults = law_faults(doctor(recorded('short')), load_scene('sorting', 3))
    assert (law, name) in {(fault.law, fault.object) for fault in faults}, [str(fault) for fault in faults]


def test_each_law_has_three_doctored_traces_and_each_of_the_ten_has_them_in_make_test():
    counts = Counter(law for law, _, _ in (*DOCTORED, *DOCTORED_POINTING))
    assert counts.keys() >= set(TEN_LAWS.values())
    assert min(counts.values()) >= 3
    fast = Counter(law for (law, _, _), fast in zip(DOCTORED, FAST, strict=True) if fast)
    fast += Counter(law for law, _, _ in DOCTORED_POINTING)
    assert {what: law for what, law in TEN_LAWS.items() if fast[law] < 3} == {}


def test_a_hold_without_recorded_contacts_is_found(recorded):
    faults = law_faults(contacts_of('apple', 10)(recorded('short')), load_scene('sorting', 3))
    assert {(fault.law, fault.object) for fault in faults} == {('contacts', 'apple')}
