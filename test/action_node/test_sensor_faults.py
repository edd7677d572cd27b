"""Joint states that are rare, frozen or contradictory, and a clock that goes back: no arm is thrown anywhere.

The controller of this table comes from where it is to the first point of a trajectory until that begins, as
ros2_control's does. What it must not do is to move faster than it does on any planned way.
"""

import math

import numpy as np
import pytest
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_JOINT, STEP_S, FakeBody, FakeTable
from robots import Robot, make_robot

from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from action_node.stop.stop_marker import StopMarker
from lucca_core.codes import ReasonCode
from lucca_core.joint_states import JointMerge

MOVE = '<move_to_box_1(pear)>'
FASTEST = 4.6
"""Of the planned ways, in rad/s."""


class Controlled(FakeTable):
    """A table whose joints are measured otherwise than they are, from one time to another."""

    fault_from_s, fault_to_s = 100.5, 103.0

    @property
    def faulty(self) -> bool:
        return self.fault_from_s <= self.time_s < self.fault_to_s

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        lead_s = start_s - self.time_s
        if lead_s > 0:
            times = np.concatenate([[0.0], path.times_s + lead_s])
            positions = np.vstack([[self.positions[joints[0]]], path.positions])
            path, start_s = JointPath(times, positions, np.vstack([[0.0], path.velocities])), self.time_s
        super().send(controller, joints, path, start_s)

    def fastest(self) -> float:
        """Of the arm, in rad/s."""
        places = np.array([place for _, place, _ in self.trace])
        return float(np.abs(np.diff(places)).max()) / STEP_S


class Seldom(Controlled):
    """Joint states come once in `period_s`."""

    fault_from_s, fault_to_s = 0.0, 1e9
    period_s = 0.2

    def advance(self, time_s: float) -> None:
        before = self._sample
        super().advance(time_s)
        if before is not None and int(time_s / self.period_s) == int(before.stamp_s / self.period_s):
            self._sample = before


class Frozen(Controlled):
    """Joint states say the same again and again, with new stamps."""

    kept: dict[str, float] | None = None

    def advance(self, time_s: float) -> None:
        super().advance(time_s)
        if self.faulty:
            self.kept = self.kept or dict(self.positions)
            self._sample = JointSample(time_s, self.kept)


class Contradicting(Controlled):
    """Joint states of another node come between."""

    def advance(self, time_s: float) -> None:
        super().advance(time_s)
        if self.faulty:
            told = {ARM_JOINT: 'slide at 0.10 and 0.005 s later at -1.00'}
            self._sample = JointSample(time_s, dict(self.positions), contradictions=told)


class WithoutTurns(Controlled):
    """The driver of a joint that turns on and on leaves out whole turns, here between the pear and its box."""

    window_rad = 2.0
    merge: JointMerge

    def advance(self, time_s: float) -> None:
        super().advance(time_s)
        told = math.remainder(self.positions[ARM_JOINT] + self.window_rad, math.tau) - self.window_rad
        self.merge.add(time_s, time_s, {**self.positions, ARM_JOINT: told})
        found = self.merge.merged()
        assert found is not None
        self._sample = JointSample(
            found.stamp_s, found.positions, found.stamps_s, found.not_finite, found.contradictions
        )


def without_turns() -> WithoutTurns:
    table = WithoutTurns()
    table.merge = JointMerge(1.0, {ARM_JOINT: 6.2}, frozenset({ARM_JOINT}))
    return table


def goes_on(robot: Robot) -> bool:
    """Whether the fault is over after a reset."""
    for _ in range(150):  # until the hold has come to rest
        robot.table.advance(robot.table.time_s + STEP_S)
    return (not robot.executor.stopped or robot.executor.reset()[0]) and robot.do(MOVE).code is ReasonCode.DONE


@pytest.mark.parametrize('period_s', [0.2, 0.5, 0.9, 0.99])
def test_joint_states_that_come_seldom_delay_a_motion_and_throw_no_arm_back(period_s: float) -> None:
    table = Seldom()
    table.period_s = period_s
    robot = make_robot(table)
    assert robot.do(MOVE).code is ReasonCode.DONE
    assert table.fastest() < FASTEST


@pytest.mark.parametrize('begin_s', [100.3, 100.5, 100.8, 101.6, 102.3])
@pytest.mark.parametrize('lasts_s', [1.5, 10.0])
def test_encoders_that_freeze_throw_no_arm_back_and_stop_it_if_they_stay_so(begin_s: float, lasts_s: float) -> None:
    table = Frozen()
    table.fault_from_s, table.fault_to_s = begin_s, begin_s + lasts_s
    robot = make_robot(table)
    result = robot.do(MOVE)
    assert table.fastest() < FASTEST
    assert result.code in (ReasonCode.DONE, ReasonCode.HARDWARE_FAULT)
    if lasts_s > 5.0:
        assert result.code is ReasonCode.HARDWARE_FAULT
        assert 'are its joints measured?' in result.message
        table.fault_to_s = 0.0
        assert goes_on(robot)


def test_joints_that_are_measured_at_two_places_stop_the_arm_and_at_rest_move_nothing() -> None:
    table = Contradicting()
    table.fault_to_s = 1e9
    robot = make_robot(table)
    result = robot.do(MOVE)
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'contradict each other' in result.message
    assert 'slide at 0.10 and 0.005 s later at -1.00' in result.message
    sent = len(table.sent)
    assert robot.executor.reset() == (
        False,
        'the arms were not brought home: joint states contradict each other, as of two publishers or a broken encoder: '
        'slide at 0.10 and 0.005 s later at -1.00; nothing moves',
    )
    assert all(len(path.times_s) == 1 for _, _, path in table.sent[sent:])
    table.fault_to_s = 0.0
    assert goes_on(robot)


def test_a_joint_whose_driver_leaves_out_whole_turns_is_moved_over_the_end_of_one() -> None:
    table = without_turns()
    robot = make_robot(table)
    assert robot.do(MOVE).code is ReasonCode.DONE
    assert table.fastest() < FASTEST
    assert max(place for _, place, _ in table.trace) > math.pi - table.window_rad
    assert robot.at_home


@pytest.mark.parametrize('silent_s', [0.0, 1.5])
def test_beyond_the_end_of_a_turn_such_a_joint_is_held_where_it_is(silent_s: float) -> None:
    """Also by a controller that knows of no turns: it would go back the whole way."""
    table = without_turns()
    beyond = [0.0]

    def stop() -> None:
        if table.positions[ARM_JOINT] < math.pi - table.window_rad + 0.2:
            table.at.append((table.time_s + STEP_S, stop))
            return
        beyond[0] = table.positions[ARM_JOINT]
        if silent_s:
            # What is measured after a silence has no turn of its own any more.
            table.merge.add(table.time_s + silent_s, table.time_s + silent_s, {HAND_JOINT: 0.0})
        robot.executor.stop('a test')

    table.at.append((100.5, stop))
    robot = make_robot(table)
    assert robot.do(MOVE).code is ReasonCode.STOPPED
    for _ in range(150):
        table.advance(table.time_s + STEP_S)
    assert table.fastest() < FASTEST
    assert beyond[0] > math.pi - table.window_rad
    assert table.positions[ARM_JOINT] == pytest.approx(beyond[0], abs=0.3)


@pytest.mark.parametrize('back_s', [0.2, 0.9])
def test_a_clock_that_goes_back_a_little_stops_the_arm(back_s: float) -> None:
    table = FakeTable()

    def back() -> None:
        table.time_s -= back_s

    table.at.append((100.6, back))
    robot = make_robot(table)
    result = robot.do(MOVE)
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'the clock went back from 100.6' in result.message
    assert goes_on(robot)


def test_whoever_asks_later_hears_why_the_robot_was_stopped(tmp_path) -> None:
    table = FakeTable()

    def break_encoder() -> None:
        table.positions[HAND_JOINT] = float('nan')

    table.at.append((100.6, break_encoder))
    robot = make_robot(table, marker=StopMarker(tmp_path))
    cause = 'joint states lack a finite position of grip, in reach'
    assert robot.do(MOVE).code is ReasonCode.HARDWARE_FAULT
    assert robot.executor.why_stopped == cause
    assert not robot.executor.reset()[0]
    assert robot.executor.why_stopped == cause
    table.positions[HAND_JOINT] = 0.0
    table.advance(table.time_s + STEP_S)
    later = robot.do(MOVE)
    assert later.code is ReasonCode.STOPPED
    assert cause in later.message
    assert robot.executor.reset()[0]
    assert robot.executor.why_stopped == ''
    robot.executor.stop('action/stop')
    assert 'the cause of the stop: action/stop' in robot.do(MOVE).message
    robot.executor.close()


@pytest.mark.parametrize(('endless', 'holds'), [(frozenset({ARM_JOINT}), [12.0]), (frozenset(), [])])
def test_a_stop_holds_an_endless_joint_that_others_have_turned_beyond_its_limits(
    endless: frozenset[str], holds: list[float]
) -> None:
    body = FakeBody()
    body.endless = endless
    table = FakeTable()
    table.positions[ARM_JOINT] = 12.0
    robot = make_robot(table, body=body)
    robot.executor.stop('action/stop')
    assert [float(path.positions[-1][0]) for name, _, path in table.sent if name == ARM_CONTROLLER] == holds
    robot.executor.close()
