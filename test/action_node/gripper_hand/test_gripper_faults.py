"""A hand with the interface `gripper_command` that grasps nothing, jams, or has a dead controller."""

from collections.abc import Callable

import pytest

pytest.importorskip('rclpy')

import grippers
from grippers import (
    MOVE,
    OBJECT_M,
    SLOW_MPS,
    FakeGripper,
    GripperTable,
    closing,
    gripper_robot,
    is_protective_stop,
    is_well_after_a_reset,
    later,
    opening,
)
from robots import PEAR, Robot

from action_node.config import ActionConfig
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import TABLE

pytestmark = pytest.mark.ros


class Killed(BaseException):
    pass


def test_when_the_node_dies_the_finger_ends_its_last_goal_and_nothing_else_moves(table: GripperTable) -> None:
    def kill() -> None:
        raise Killed

    table.when.append((lambda: closing(table), kill))
    with pytest.raises(Killed):
        gripper_robot(table).do(MOVE)
    before, goal_m = table.place_of_arm, table.gripper.goals[-1]
    assert later(table) == (pytest.approx(before, abs=0.01), pytest.approx(max(goal_m, OBJECT_M), abs=0.002))
    assert table.gripper.at_rest


@pytest.mark.parametrize(
    ('known', 'reason'), [(True, 'offers no action; is its driver running?'), (False, 'did not report the end')]
)
@pytest.mark.parametrize('when', [closing, opening])
def test_a_killed_controller_ends_the_action_where_the_arm_is_and_a_reset_fails_until_it_runs_again(
    robot: Robot, table: GripperTable, when: Callable[[GripperTable], bool], known: bool, reason: str
) -> None:
    """`known`: the middleware knows at once that the process is gone; it may also learn it only much later."""
    table.gripper.speed_mps = SLOW_MPS
    table.gripper.dies_known = known
    table.when.append((lambda: when(table), table.gripper.kill))
    result = robot.do(MOVE)
    assert result.code is ReasonCode.HARDWARE_FAULT, result.message
    assert reason in result.message
    arm = 0.0 if when is closing else 2.0
    assert later(table)[0] == pytest.approx(arm, abs=0.01)
    assert not robot.executor.reset()[0]
    assert later(table)[0] == pytest.approx(arm, abs=0.01)
    table.gripper.start()
    is_well_after_a_reset(robot)


def test_a_gripper_that_stalls_on_nothing_is_no_grasp(table: GripperTable) -> None:
    robot = gripper_robot(table, ActionConfig(max_attempts=1))
    table.when.append((lambda: closing(table), lambda: setattr(table.gripper, 'jammed', True)))
    table.when.append((lambda: table.place_of_arm > 1.0, lambda: setattr(table.gripper, 'jammed', False)))
    result = robot.do(MOVE)
    assert result.code in (ReasonCode.GRASP_FAILED, ReasonCode.EFFECT_NOT_SEEN), result.message
    assert robot.place() == TABLE
    assert robot.at_home
    assert any(stalled for _, stalled in table.gripper.ended)


def test_a_gripper_that_closes_on_nothing_is_no_grasp(table: GripperTable) -> None:
    robot = gripper_robot(table, ActionConfig(max_attempts=1))
    table.when.append((lambda: closing(table), lambda: table.move(PEAR, 0.5)))
    result = robot.do(MOVE)
    assert result.code in (ReasonCode.GRASP_FAILED, ReasonCode.EFFECT_NOT_SEEN), result.message
    assert robot.place() == TABLE
    assert robot.at_home


def jammed(gripper: FakeGripper) -> None:
    gripper.jammed = True


def rejecting(gripper: FakeGripper) -> None:
    gripper.accepts = False


def inactive(gripper: FakeGripper) -> None:
    gripper.active = False


def silent(gripper: FakeGripper) -> None:
    gripper.answers = False


@pytest.mark.parametrize('place', [-0.1, 1.9])
@pytest.mark.parametrize('allow_stalling', [True, False])
@pytest.mark.parametrize(
    ('happens', 'reason'),
    [
        (jammed, 'does not follow'),
        (rejecting, 'it rejected the motion (is the controller active?)'),
        (inactive, 'does not follow'),
        (silent, 'does not follow'),
    ],
)
def test_a_gripper_that_does_not_move_is_a_protective_stop_where_the_arm_is(
    robot: Robot,
    table: GripperTable,
    happens: Callable[[FakeGripper], None],
    reason: str,
    allow_stalling: bool,
    place: float,
) -> None:
    table.gripper.allow_stalling = allow_stalling
    table.when.append((lambda: table.place_of_arm > place, lambda: happens(table.gripper)))
    result = robot.do(MOVE)
    arm, finger_m = table.place_of_arm, table.gripper.position_m
    is_protective_stop(result, robot, table, reason)
    assert later(table) == (pytest.approx(arm, abs=0.01), pytest.approx(finger_m))
    assert arm == pytest.approx(0.0 if place < 0 else 2.0, abs=0.05)
    if place > 0:
        assert not robot.executor.reset()[0], 'the hand is still closed'
        assert robot.executor.stopped
    table.gripper.jammed, table.gripper.accepts, table.gripper.answers = False, True, True
    table.gripper.start()
    is_well_after_a_reset(robot)


@pytest.mark.parametrize('allow_stalling', [True, False])
@pytest.mark.parametrize(
    ('jams_after_m', 'goal_tolerance_m', 'reason'),
    [(0.0, 0.002, 'does not follow'), (0.0, 0.01, 'does not follow'), (0.001, 0.002, 'stalled before the end of open')],
)
@pytest.mark.parametrize('object_m', [OBJECT_M, 0.027, 0.029, 0.032, 0.036])
def test_a_finger_that_jams_at_the_release_keeps_the_arm_there_however_wide_the_object_is(
    robot: Robot,
    table: GripperTable,
    monkeypatch: pytest.MonkeyPatch,
    object_m: float,
    jams_after_m: float,
    goal_tolerance_m: float,
    reason: str,
    allow_stalling: bool,
) -> None:
    monkeypatch.setattr(grippers, 'OBJECT_M', object_m)
    table.gripper.allow_stalling, table.gripper.goal_tolerance_m = allow_stalling, goal_tolerance_m
    jams_m = object_m + jams_after_m - 1e-5
    table.when.append(
        (lambda: table.place_of_arm > 1.9 and table.gripper.position_m > jams_m, lambda: jammed(table.gripper))
    )
    is_protective_stop(robot.do(MOVE), robot, table, reason)
    assert later(table) == (pytest.approx(2.0, abs=0.05), pytest.approx(object_m + jams_after_m, abs=1e-4))


def test_a_gripper_that_is_moved_by_force_gets_that_of_its_profile() -> None:
    weak, strong = GripperTable(), GripperTable(max_effort=20.0)
    for table in (weak, strong):
        table.gripper.by_effort = True
    assert 'does not follow' in gripper_robot(weak).do(MOVE).message
    assert gripper_robot(strong).do(MOVE).code is ReasonCode.DONE
    assert strong.gripper.max_effort == 20.0
