"""A hand with the interface `gripper_command`: what its controller does, and what the robot does then."""

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip('rclpy')

import grippers
from action_msgs.msg import GoalStatus
from fakes import ARM_CONTROLLER, HAND_CONTROLLER
from grippers import CLOSED_M, OBJECT_M, OPEN_M, FakeGripper, GripperTable, gripper_robot
from robots import PEAR, Robot

from action_node.cancel_latch import CancelLatch
from action_node.config import ActionConfig
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionResult
from lucca_core.protocol.snapshots import HAND, TABLE

pytestmark = pytest.mark.ros
MOVE = '<move_to_box_1(pear)>'
LATER_S = 10.0
SLOW_MPS = 0.02
"""At this speed, the gripper needs longer than the plan assumes."""


@pytest.fixture(autouse=True)
def control_msgs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No registry carries control_msgs: its goal stands here as plain values with the fields of its definition."""

    def goal() -> SimpleNamespace:
        return SimpleNamespace(command=SimpleNamespace(position=0.0, max_effort=0.0))

    for name in ('control_msgs', 'control_msgs.action'):
        module = ModuleType(name)
        vars(module)['GripperCommand'] = SimpleNamespace(Goal=goal)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def table() -> GripperTable:
    return GripperTable()


@pytest.fixture
def robot(table: GripperTable) -> Robot:
    return gripper_robot(table)


def closing(table: GripperTable) -> bool:
    """Whether the gripper is half way to the object."""
    return table.gripper.position_m < (OPEN_M + OBJECT_M) / 2


def begun(table: GripperTable) -> bool:
    """Whether the gripper has just begun to close."""
    return table.gripper.position_m < OPEN_M - 0.0005


def opening(table: GripperTable) -> bool:
    """Whether the gripper lets go of the object."""
    return table.place_of_arm > 1.9 and table.gripper.position_m > OBJECT_M + 0.002


def later(table: GripperTable) -> tuple[float, float]:
    """Where arm and finger are after some time in which nothing is done."""
    for _ in range(int(LATER_S / 0.1)):
        table.advance(table.time_s + 0.1)
    return table.place_of_arm, table.gripper.position_m


def moved_together(table: GripperTable) -> list[tuple[float, float]]:
    """Where arm and finger were whenever both moved."""
    return [
        (arm, finger_m)
        for (before, before_m), (arm, finger_m) in zip(table.steps, table.steps[1:], strict=False)
        if abs(arm - before) > 1e-6 and abs(finger_m - before_m) > 1e-6
    ]


def is_protective_stop(result: ActionResult, robot: Robot, table: GripperTable, reason: str) -> None:
    """The action ended with a reason, and nothing is sent from then on."""
    assert result.code is ReasonCode.HARDWARE_FAULT, result.message
    assert reason in result.message
    assert 'nothing moves until action/reset' in result.message
    assert robot.executor.stopped
    sent = len(table.sent)
    assert robot.do(MOVE).code in (ReasonCode.STOPPED, ReasonCode.HARDWARE_FAULT)
    assert len(table.sent) == sent


def is_well_after_a_reset(robot: Robot) -> None:
    assert robot.executor.reset() == (True, 'the arms are at home')
    assert robot.do('<move_to_box_2(apple)>').code is ReasonCode.DONE
    assert robot.at_home


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
