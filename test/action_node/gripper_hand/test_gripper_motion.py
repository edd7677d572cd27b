"""A hand with the interface `gripper_command`: what its controller does, and what the robot does then."""

from collections.abc import Callable

import pytest

pytest.importorskip('rclpy')

import grippers
from action_msgs.msg import GoalStatus
from fakes import ARM_CONTROLLER, HAND_CONTROLLER
from grippers import (
    CLOSED_M,
    MOVE,
    OBJECT_M,
    OPEN_M,
    SLOW_MPS,
    GripperTable,
    begun,
    closing,
    gripper_robot,
    is_protective_stop,
    is_well_after_a_reset,
    later,
    moved_together,
    opening,
)
from robots import Robot

from action_node.cancel_latch import CancelLatch
from action_node.config import ActionConfig
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import HAND

pytestmark = pytest.mark.ros


@pytest.mark.parametrize('allow_stalling', [True, False])
@pytest.mark.parametrize('speed_mps', [0.5, 0.1, SLOW_MPS])
def test_a_gripper_that_stalls_on_an_object_holds_it_and_carries_it(
    robot: Robot, table: GripperTable, allow_stalling: bool, speed_mps: float
) -> None:
    table.gripper.allow_stalling, table.gripper.speed_mps = allow_stalling, speed_mps
    result = robot.do(MOVE)
    assert result.code is ReasonCode.DONE, result.message
    assert robot.at_home
    end = GoalStatus.STATUS_SUCCEEDED if allow_stalling else GoalStatus.STATUS_ABORTED
    assert (end, True) in table.gripper.ended
    assert (table.reports.fault, robot.executor.stopped) == ('', False)


def on_time(table: GripperTable) -> None:
    pass


def reports_early(table: GripperTable) -> None:
    table.gripper.goal_tolerance_m = 0.015


def pauses(table: GripperTable) -> None:
    """The finger rests on its way, both when it closes and when it opens."""

    def pause() -> None:
        table.gripper.jammed = True
        table.at.append((table.time_s + 0.5, lambda: setattr(table.gripper, 'jammed', False)))

    table.when += [(lambda: closing(table), pause), (lambda: opening(table), pause)]


@pytest.mark.parametrize('happens', [on_time, reports_early, pauses])
@pytest.mark.parametrize('speed_mps', [0.5, 0.1, SLOW_MPS, 0.003])
def test_the_arm_moves_only_while_the_finger_rests(
    table: GripperTable, happens: Callable[[GripperTable], None], speed_mps: float
) -> None:
    robot = gripper_robot(table, ActionConfig(arrival_timeout_s=20.0))
    table.gripper.speed_mps = speed_mps
    happens(table)
    assert robot.do(MOVE).code is ReasonCode.DONE
    assert moved_together(table) == []


@pytest.mark.parametrize('speed_mps', [0.1, SLOW_MPS])
@pytest.mark.parametrize('when', [closing, opening])
def test_a_stop_holds_a_moving_finger_where_it_is(
    robot: Robot, table: GripperTable, when: Callable[[GripperTable], bool], speed_mps: float
) -> None:
    table.gripper.speed_mps = speed_mps
    stopped_at: list[float] = []

    def stop() -> None:
        stopped_at.append(table.gripper.position_m)
        assert robot.executor.stop().whole

    table.when.append((lambda: when(table), stop))
    assert robot.do(MOVE).code is ReasonCode.STOPPED
    arm = table.place_of_arm
    # In one step of the table the finger moves on, since it is measured before it hears.
    assert later(table) == (pytest.approx(arm, abs=0.02), pytest.approx(stopped_at[0], abs=0.02 * speed_mps))
    assert table.reports.fault == ''
    is_well_after_a_reset(robot)


def test_a_stop_after_the_time_of_the_path_still_holds_a_finger_that_is_late(robot: Robot, table: GripperTable) -> None:
    table.gripper.speed_mps = SLOW_MPS / 4
    table.when.append((lambda: table.place_of_arm > -0.05 and closing(table), robot.executor.stop))
    assert robot.do(MOVE).code is ReasonCode.STOPPED
    assert later(table)[1] > (OPEN_M + OBJECT_M) / 2 - 0.001


@pytest.mark.parametrize('speed_mps', [SLOW_MPS, SLOW_MPS / 4])
@pytest.mark.parametrize(('gap_s', 'silence_s'), [(0.25, 1.0), (0.25, 0.2), (1.5, 1.0)])
@pytest.mark.parametrize('when', [begun, closing])
def test_a_stop_that_does_not_see_the_finger_now_holds_it_where_it_was_seen_or_says_that_it_is_not_held(
    table: GripperTable, when: Callable[[GripperTable], bool], gap_s: float, silence_s: float, speed_mps: float
) -> None:
    robot = gripper_robot(table, ActionConfig(joints_silence_s=silence_s))
    table.gripper.speed_mps = speed_mps
    seen_m: list[float] = []
    said: list[tuple[bool, str]] = []
    goals: list[float] = []

    def stop_unseeing() -> None:
        seen_m.append(table.gripper.position_m)
        table.silent = True
        table.time_s += gap_s
        sent = len(table.gripper.goals)
        report = robot.executor.stop()
        said.append((report.whole, str(report)))
        goals.extend(table.gripper.goals[sent:])

    table.when.append((lambda: when(table), stop_unseeing))
    robot.do(MOVE)
    ((whole, text),) = said
    assert whole == (gap_s < silence_s)
    if whole:
        # It was seen one step of the table before.
        assert goals == [pytest.approx(seen_m[0], abs=0.02 * speed_mps)]
    else:
        assert goals == []
        assert HAND_CONTROLLER in text
        assert 'use the hardware stop' in text


def test_a_stop_after_a_release_that_could_not_be_sent_leaves_the_grip_alone(robot: Robot, table: GripperTable) -> None:
    table.when.append((lambda: table.place_of_arm > 1.9, lambda: setattr(table.gripper, 'known', False)))
    assert 'offers no action' in robot.do(MOVE).message
    table.gripper.known = True
    assert robot.executor.stop().whole
    assert table.gripper.command_m == CLOSED_M
    assert later(table)[1] == pytest.approx(OBJECT_M)
    assert robot.place() == HAND


def test_a_stop_while_an_object_is_carried_leaves_the_grip_alone(robot: Robot, table: GripperTable) -> None:
    table.when.append((lambda: table.place_of_arm > 1.0, robot.executor.stop))
    assert robot.do(MOVE).code is ReasonCode.STOPPED
    assert table.sent[-1][0] == ARM_CONTROLLER
    assert table.gripper.command_m == CLOSED_M
    assert later(table)[1] == pytest.approx(OBJECT_M)
    assert table.reports.fault == ''


@pytest.mark.parametrize('when', [closing, opening])
@pytest.mark.parametrize('speed_mps', [0.1, SLOW_MPS])
def test_a_cancel_ends_at_home_with_an_open_hand(
    robot: Robot, table: GripperTable, when: Callable[[GripperTable], bool], speed_mps: float
) -> None:
    table.gripper.speed_mps = speed_mps
    latch = CancelLatch()
    table.when.append((lambda: when(table), latch.set))
    # A cancel after the release does not undo what is done.
    assert robot.do(MOVE, latch).code is (ReasonCode.CANCELLED if when is closing else ReasonCode.DONE)
    assert robot.at_home
    assert table.gripper.position_m == pytest.approx(OPEN_M, abs=0.002)
    assert (table.reports.fault, robot.executor.stopped) == ('', False)


@pytest.mark.parametrize('speed_mps', [0.5, 0.1, SLOW_MPS, SLOW_MPS / 2])
@pytest.mark.parametrize('object_m', [OBJECT_M, 0.034, 0.0365])
def test_a_cancel_in_the_release_of_an_object_never_closes_the_hand_again(
    robot: Robot, table: GripperTable, monkeypatch: pytest.MonkeyPatch, object_m: float, speed_mps: float
) -> None:
    monkeypatch.setattr(grippers, 'OBJECT_M', object_m)
    table.gripper.speed_mps = speed_mps
    latch = CancelLatch()
    cancelled_at: list[int] = []

    def cancel() -> None:
        cancelled_at.append(len(table.steps) - 1)
        latch.set()

    table.when.append((lambda: table.place_of_arm > 1.9 and table.gripper.position_m > object_m + 0.0003, cancel))
    assert robot.do(MOVE, latch).code is ReasonCode.DONE
    places_m = [finger_m for _, finger_m in table.steps[cancelled_at[0] :]]
    # In one step of the table the finger moves on, since it is measured before it hears.
    in_a_step_m = 0.02 * speed_mps
    assert all(after_m > max(places_m[: index + 1]) - in_a_step_m for index, after_m in enumerate(places_m[1:]))
    assert table.gripper.goals[-1] == OPEN_M
    assert places_m[-1] == pytest.approx(OPEN_M, abs=0.002)
    assert (robot.place(), moved_together(table)) == ('box 1', [])


def test_a_cancel_that_the_finger_does_not_hear_of_is_a_protective_stop(robot: Robot, table: GripperTable) -> None:
    table.gripper.speed_mps = SLOW_MPS
    latch = CancelLatch()

    def cancel_unheard() -> None:
        table.gripper.answers = False
        latch.set()

    table.when.append((lambda: closing(table), cancel_unheard))
    is_protective_stop(robot.do(MOVE, latch), robot, table, 'did not come to rest where it should in close')
    assert table.place_of_arm == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize('when', [closing, opening])
def test_a_cancel_by_another_client_is_a_protective_stop_and_a_reset_opens_the_hand(
    robot: Robot, table: GripperTable, when: Callable[[GripperTable], bool]
) -> None:
    table.gripper.speed_mps = SLOW_MPS
    table.when.append((lambda: when(table), table.gripper.cancel))
    result = robot.do(MOVE)
    is_protective_stop(result, robot, table, 'the motion was canceled by another client')
    assert later(table)[1] == pytest.approx(table.gripper.position_m)
    is_well_after_a_reset(robot)
