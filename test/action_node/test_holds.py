"""A hold keeps an arm where it is or was told to be, and says what could not be held."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_CONTROLLER, HAND_JOINT, FakeTable, is_hold, straight

from action_node.stop import valve as valve_module
from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from action_node.stop.sent_motion import Hold
from action_node.stop.valve import Valve
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_robot.arm_profile import USUAL_ACCELERATION


def moving_arm_and_hand(accelerations: Mapping[str, float] | None = None) -> tuple[FakeTable, Valve]:
    table = FakeTable()
    joints, limits = {ARM_CONTROLLER: (ARM_JOINT,)}, {ARM_JOINT: (-10.0, 10.0)}
    valve = Valve(table, joints, 1.0, limits=limits, accelerations=accelerations)
    for segment in (
        straight('reach', ARM_CONTROLLER, ARM_JOINT, -1.0, 1.0, 4.0),
        straight('close', HAND_CONTROLLER, HAND_JOINT, 0.0, 1.0, 4.0),
    ):
        path = JointPath(segment.times_s, segment.positions, segment.velocities)
        valve.send(segment.controller, segment.joints, path, table.time_s)
    table.advance(table.time_s + 2.0)
    return table, valve


def cut_wire(table: FakeTable, broken: str) -> Callable[..., None]:
    """Sends as the table does, but not to one controller."""
    real = table.send

    def send(controller: str, *rest: Any) -> None:
        if controller == broken:
            raise MotionError(ReasonCode.HARDWARE_FAULT, 'the wire is cut')
        real(controller, *rest)

    return send


@pytest.mark.parametrize('value', [float('nan'), float('inf'), -float('inf'), 1e308, -12.0])
def test_an_arm_whose_joints_cannot_be_where_they_are_measured_holds_where_it_was_told_to_be(value: float) -> None:
    table, valve = moving_arm_and_hand()
    table._sample = JointSample(table.time_s, {ARM_JOINT: value, HAND_JOINT: value})
    assert valve.stop() == ()
    assert [(name, float(path.positions[0][0])) for name, _, path in table.sent[2:]] == [
        (ARM_CONTROLLER, pytest.approx(0.0, abs=0.01)),
        (HAND_CONTROLLER, pytest.approx(0.5, abs=0.01)),
    ]


@pytest.mark.parametrize('broken', [ARM_CONTROLLER, HAND_CONTROLLER])
def test_a_controller_that_cannot_be_told_to_hold_keeps_no_other_from_it_and_is_named(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, valve = moving_arm_and_hand()
    with monkeypatch.context() as cut:
        cut.setattr(table, 'send', cut_wire(table, broken))
        (fault,) = valve.stop()
    assert fault == f'{broken}: MotionError: the wire is cut'
    (other,) = {ARM_CONTROLLER, HAND_CONTROLLER} - {broken}
    assert [name for name, _, path in table.sent[2:] if is_hold(path)] == [other]
    assert valve.stop() == (), 'a further stop holds what the first one could not'
    assert table.sent[-1][0] == broken


def test_a_trajectory_that_comes_out_after_the_stop_lost_patience_is_held_and_no_stop_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(valve_module, 'PATIENCE_S', 0.05)
    table, valve = moving_arm_and_hand()
    on_its_way, goes_on, real = threading.Event(), threading.Event(), table.send
    reach = straight('reach', ARM_CONTROLLER, ARM_JOINT, 0.0, 1.0, 4.0)
    path = JointPath(reach.times_s, reach.positions, reach.velocities)

    def send(controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        if len(path.times_s) > 1:
            on_its_way.set()
            assert goes_on.wait(20.0)
        real(controller, joints, path, start_s)

    monkeypatch.setattr(table, 'send', send)
    sending = threading.Thread(target=valve.send, args=(ARM_CONTROLLER, (ARM_JOINT,), path, table.time_s))
    sending.start()
    assert on_its_way.wait(20.0)
    for _ in range(2):
        assert valve.stop() == (f'{ARM_CONTROLLER}: a trajectory is still being sent',)
    goes_on.set()
    sending.join(20.0)
    assert is_hold([path for name, _, path in table.sent if name == ARM_CONTROLLER][-1])
    assert valve.stop() == ()


def test_what_could_not_be_held_once_is_not_said_of_a_later_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    table, valve = moving_arm_and_hand()
    with monkeypatch.context() as cut:
        cut.setattr(table, 'send', cut_wire(table, HAND_CONTROLLER))
        assert len(valve.stop()) == 1
    assert valve.release(valve.stops)
    table.advance(table.time_s + 10.0)
    assert valve.stop() == ()


@pytest.mark.parametrize('apart', [False, True], ids=['one publisher', 'two publishers'])
def test_an_arm_under_way_is_not_thrown_back_to_where_it_was_measured_long_ago(apart: bool) -> None:
    table, valve = moving_arm_and_hand()
    long_ago = JointSample(table.time_s - 0.5, dict(table.positions))
    table.advance(table.time_s + 0.5)
    table._sample = long_ago
    if apart:
        table._sample = JointSample(table.time_s, long_ago.positions, {ARM_JOINT: long_ago.stamp_s})
    assert valve.stop() == ()
    (hold,) = [path for name, _, path in table.sent[2:] if name == ARM_CONTROLLER]
    assert float(hold.positions[0][0]) == pytest.approx(table.positions[ARM_JOINT], abs=0.01)


@pytest.mark.parametrize('most', [1.0, 7.5, 15.0, 1000.0])
@pytest.mark.parametrize('off_rad', [0.0, 0.02, 0.1, 0.25])
def test_an_arm_comes_to_its_hold_within_its_accelerations_and_no_faster_than_on_its_path(
    off_rad: float, most: float
) -> None:
    """Where it is measured or where it was told to be. A controller goes on a cubic from there, at the speed it has."""
    table, valve = moving_arm_and_hand({ARM_JOINT: most})
    told, pace = table.positions[ARM_JOINT], 0.75
    table._sample = JointSample(table.time_s, {**table.positions, ARM_JOINT: told - off_rad})
    assert valve.stop() == ()
    (hold,) = [path for name, _, path in table.sent[2:] if name == ARM_CONTROLLER]
    target, hold_s = hold.positions[0], hold.duration_s
    assert target[0] == pytest.approx(told - off_rad)
    for begin in (told, told - off_rad):
        way = JointPath(np.array([0.0, hold_s]), np.array([[begin], target]), np.array([[pace], [0.0]]))
        times = np.linspace(0.0, 0.999 * hold_s, 200)
        places, speeds = (np.array([state[number][0] for state in map(way.at, times)]) for number in (0, 1))
        assert np.abs(speeds).max() <= 1.001 * pace
        bounds = (valve_module.HOLD_S, valve_module.MOST_HOLD_S)
        assert np.abs(np.diff(speeds)).max() / times[1] <= 1.001 * most or hold_s in bounds
        assert places.max() - begin <= 0.4 * off_rad + max(0.6 * pace**2 / most, 0.04 * pace)
    assert hold_s <= valve_module.MOST_HOLD_S
    assert hold_s <= max(0.1, 3 * off_rad / pace, 5 * pace / most + 2 * (off_rad / most) ** 0.5)


@pytest.mark.parametrize(
    ('after_s', 'off_rad', 'least_s', 'most_s'),
    [(0.0, 0.0, 0.1, 0.2), (2.0, 0.0, 0.4, 0.41), (4.4, 0.0, 0.1, 0.1), (-0.1, 0.0, 0.4, 0.41), (4.4, 0.2, 0.6, 0.7)],
    ids=['at its begin', 'in the middle', 'after its end', 'before its begin', 'after its end, but far from it'],
)
def test_a_hold_of_an_arm_that_is_nearly_at_rest_is_short(
    after_s: float, off_rad: float, least_s: float, most_s: float
) -> None:
    """On a path of up to 0.75 rad/s. Before it begins, or far from it, nobody knows how fast the arm is."""
    table = FakeTable()
    valve = Valve(table, {ARM_CONTROLLER: (ARM_JOINT,)}, 1.0, lead_s=0.15)
    reach = straight('reach', ARM_CONTROLLER, ARM_JOINT, -1.0, 1.0, 4.0)
    path = JointPath(reach.times_s, reach.positions, reach.velocities)
    start_s = table.time_s + 0.3
    valve.send(ARM_CONTROLLER, (ARM_JOINT,), path, start_s)
    table.advance(start_s + after_s)
    table._sample = JointSample(table.time_s, {ARM_JOINT: table.positions[ARM_JOINT] - off_rad})
    assert valve.stop() == ()
    assert least_s - 1e-9 <= table.sent[-1][2].duration_s <= most_s + 1e-9


def test_a_stop_while_an_arm_is_still_being_held_brings_it_to_rest_no_harder() -> None:
    table, valve = moving_arm_and_hand()
    valve.hold()
    begun_s = table.time_s
    (first,) = [path.duration_s for name, _, path in table.sent[2:] if name == ARM_CONTROLLER]
    assert valve.holds_until_s(begun_s) == pytest.approx(begun_s + first)
    table.advance(begun_s + first / 3)
    assert valve.stop() == ()
    last = table.sent[-1][2] if table.sent[-1][0] == ARM_CONTROLLER else table.sent[-2][2]
    assert last.duration_s >= first
    table.advance(table.time_s + last.duration_s + 0.1)
    assert valve.holds_until_s(table.time_s) == table.time_s


def test_a_stop_during_a_hold_counts_on_the_speed_that_the_arm_had_also_after_the_end_of_its_path() -> None:
    table = FakeTable()
    valve = Valve(table, {ARM_CONTROLLER: (ARM_JOINT,)}, 1.0, accelerations={ARM_JOINT: 2.0}, lead_s=0.15)
    places, speeds = np.array([[-1.0], [-0.25], [-0.2]]), np.array([[0.75], [0.75], [0.0]])
    valve.send(ARM_CONTROLLER, (ARM_JOINT,), JointPath(np.array([0.0, 1.0, 1.1]), places, speeds), table.time_s)
    table.advance(table.time_s + 1.0)
    assert valve.hold() == ()
    assert table.sent[-1][2].duration_s == pytest.approx(1.5)
    table.advance(table.time_s + 1.4)
    assert valve.stop() == ()
    assert table.sent[-1][2].duration_s == pytest.approx(1.5)


@pytest.mark.parametrize('begun_s', [None, 100.0], ids=['the clock failed', 'the clock has restarted'])
def test_a_hold_is_over_by_wall_time_if_the_clock_fails(begun_s: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = Hold(None, 0.5, 10.0, begun_s)
    wall_s = [10.2]
    monkeypatch.setattr('action_node.stop.sent_motion.time.monotonic', lambda: wall_s[0])
    assert hold.until_s(50.0) == pytest.approx(50.3)
    assert not hold.is_over(50.0)
    wall_s[0] = 10.6
    assert hold.until_s(50.0) == 50.0
    assert hold.is_over(50.0)


def test_an_arm_of_which_nothing_is_measured_comes_to_rest_no_harder() -> None:
    table, valve = moving_arm_and_hand()
    table._sample = JointSample(table.time_s, {HAND_JOINT: 0.5})
    assert valve.stop() == ()
    (hold,) = [path for name, _, path in table.sent[2:] if name == ARM_CONTROLLER]
    assert hold.duration_s >= 4 * 0.75 / USUAL_ACCELERATION - 1e-9


def test_without_a_clock_a_moving_hand_holds_about_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    table, valve = moving_arm_and_hand()
    monkeypatch.setattr(table, 'now_s', lambda: float('nan'))
    assert valve.stop() == ()
    assert {name for name, _, _ in table.sent[2:]} == {ARM_CONTROLLER, HAND_CONTROLLER}


def test_a_closed_hand_keeps_its_grip_when_the_clock_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    table = FakeTable()
    valve = Valve(table, {ARM_CONTROLLER: (ARM_JOINT,)}, 1.0)
    close = straight('close', HAND_CONTROLLER, HAND_JOINT, 0.0, 1.0, 0.5)
    valve.send(
        close.controller, close.joints, JointPath(close.times_s, close.positions, close.velocities), table.time_s
    )
    table.advance(table.time_s + 1.0)
    table.time_s = 0.0
    wall_s = [10.0]
    monkeypatch.setattr('action_node.stop.valve.time.monotonic', lambda: wall_s[0])
    valve._sent[HAND_CONTROLLER] = replace(valve._sent[HAND_CONTROLLER], sent_wall_s=0.0)
    valve.stop()
    assert HAND_CONTROLLER not in [name for name, _, _ in table.sent[1:]]
