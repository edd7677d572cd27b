"""Drivers with action interfaces: what they say, what of it is a protective stop, and that only a reset ends that."""

import numpy as np
import pytest
from controllers import PREEMPTED, DrivenTable
from robots import Robot, make_robot

from action_node.cancel_latch import CancelLatch
from action_node.driver_reports import DriverReports, GoalEnd, GoalReport, why_stopped
from lucca_core.codes import ReasonCode


@pytest.mark.parametrize(
    ('report', 'newest', 'why'),
    [
        (GoalReport(GoalEnd.SUCCEEDED), True, ''),
        (GoalReport(GoalEnd.CANCELED), False, ''),
        (PREEMPTED, False, ''),
        (GoalReport(GoalEnd.REJECTED), False, ''),
        (GoalReport(GoalEnd.ABORTED, stalled=True), True, ''),
        (GoalReport(GoalEnd.CANCELED), True, 'canceled by another client'),
        (GoalReport(GoalEnd.REJECTED), True, 'is the controller active?'),
        (GoalReport(GoalEnd.ABORTED, -4, 'arm'), True, 'aborted the motion (path tolerance violated, arm)'),
        (GoalReport(GoalEnd.ABORTED, -5), False, 'goal tolerance violated'),
        (GoalReport(GoalEnd.ABORTED, -9), True, 'error -9'),
        (GoalReport(GoalEnd.ABORTED), True, 'without a reason'),
    ],
)
def test_only_what_no_later_goal_explains_is_a_protective_stop(report: GoalReport, newest: bool, why: str) -> None:
    assert (why in why_stopped(report, newest=newest)) if why else why_stopped(report, newest=newest) == ''


def test_the_first_fault_is_kept_until_it_is_forgotten_and_later_reports_of_old_goals_are_none() -> None:
    reports = DriverReports()
    first, second = reports.sent('arm'), reports.sent('arm')
    reports.ended('arm', first, PREEMPTED)
    assert reports.fault == ''
    reports.ended('arm', second, GoalReport(GoalEnd.REJECTED, text='no'))
    reports.ended('arm', second, GoalReport(GoalEnd.ABORTED, -4))
    assert reports.fault == 'arm stopped by itself: it rejected the motion (no)'
    reports.forget()
    reports.ended('arm', second, GoalReport(GoalEnd.ABORTED, -1))
    assert reports.fault == ''


def test_a_report_is_expected_until_the_last_goal_has_ended_or_is_forgotten() -> None:
    reports = DriverReports()
    assert not reports.expected('hand')
    first, second = reports.sent('hand'), reports.sent('hand')
    reports.ended('hand', first, GoalReport(GoalEnd.CANCELED))
    assert reports.expected('hand')
    reports.ended('hand', second, GoalReport(GoalEnd.SUCCEEDED))
    assert not reports.expected('hand')
    third = reports.sent('hand')
    reports.forget()
    assert not reports.expected('hand')
    reports.sent('hand')
    reports.ended('hand', third, GoalReport(GoalEnd.SUCCEEDED))
    assert reports.expected('hand')


def test_that_a_gripper_stalled_is_known_until_the_next_goal_or_reset() -> None:
    reports, stalled = DriverReports(), GoalReport(GoalEnd.SUCCEEDED, stalled=True)
    first, second = reports.sent('hand'), reports.sent('hand')
    reports.ended('hand', first, stalled)
    assert not reports.stalled('hand')
    reports.ended('hand', second, stalled)
    assert reports.stalled('hand')
    third = reports.sent('hand')
    assert not reports.stalled('hand')
    reports.ended('hand', third, stalled)
    reports.forget()
    assert not reports.stalled('hand')


@pytest.fixture
def table() -> DrivenTable:
    return DrivenTable()


@pytest.fixture
def robot(table: DrivenTable) -> Robot:
    return make_robot(table)


def test_streamed_chunks_keep_the_rules_and_none_is_rejected(robot: Robot, table: DrivenTable) -> None:
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert robot.at_home
    said = [report for controller in table.controllers.values() for report in controller.said]
    assert {report.end for report in said} == {GoalEnd.SUCCEEDED, GoalEnd.ABORTED}
    assert all(report == PREEMPTED for report in said if report.end is GoalEnd.ABORTED)


def inactive(table: DrivenTable) -> None:
    table.arm.deactivate()


def blocked(table: DrivenTable) -> None:
    table.arm.path_tolerance = 0.05
    table.arm.blocked_at = float(table.arm.position[0])


def silent(table: DrivenTable) -> None:
    table.silent = True


@pytest.mark.parametrize(
    ('happens', 'reason'),
    [(inactive, 'Current goal cancelled'), (blocked, 'path tolerance violated'), (silent, 'silent for')],
)
def test_a_protective_stop_ends_the_action_with_its_reason_and_needs_a_reset(
    happens: object, reason: str, robot: Robot, table: DrivenTable
) -> None:
    table.at.append((100.6, lambda: happens(table)))  # type: ignore[operator]
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert reason in result.message
    assert 'nothing moves until action/reset' in result.message
    assert robot.executor.stopped
    sent = len(table.sent)
    assert robot.do('<move_to_box_1(pear)>').code in (ReasonCode.STOPPED, ReasonCode.HARDWARE_FAULT)
    assert len(table.sent) == sent
    table.arm.active, table.arm.blocked_at, table.silent = True, np.inf, False
    table.advance(table.time_s + 0.2)
    assert robot.executor.reset() == (True, 'the arms are at home')
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE


def test_while_the_controller_is_still_inactive_a_reset_fails_and_the_robot_stays_stopped(
    robot: Robot, table: DrivenTable
) -> None:
    table.at.append((100.6, table.arm.deactivate))
    robot.do('<move_to_box_1(pear)>')
    done, message = robot.executor.reset()
    assert not done
    assert 'Controller is not running' in message
    assert robot.executor.stopped


def test_a_stop_holds_where_the_arm_is(robot: Robot, table: DrivenTable) -> None:
    table.at.append((100.6, lambda: robot.executor.stop() and None))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    here = float(table.arm.position[0])
    table.advance(table.time_s + 2.0)
    assert float(table.arm.position[0]) == pytest.approx(here, abs=0.02)
    assert table.reports.fault == ''


def test_a_cancel_ends_at_home_and_is_no_fault(robot: Robot, table: DrivenTable) -> None:
    latch = CancelLatch()
    table.at.append((100.6, latch.set))
    assert robot.do('<move_to_box_1(pear)>', latch).code is ReasonCode.CANCELLED
    assert robot.at_home
    assert (table.reports.fault, robot.executor.stopped) == ('', False)


def test_when_the_node_dies_the_arm_comes_to_rest_within_a_chunk(table: DrivenTable) -> None:
    class Killed(BaseException):
        pass

    def kill() -> None:
        raise Killed

    table.at.append((100.6, kill))
    with pytest.raises(Killed):
        make_robot(table).do('<move_to_box_1(pear)>')
    for step in range(200):
        table.advance(100.61 + 0.01 * step)
    rest = float(table.arm.position[0])
    table.advance(table.time_s + 5.0)
    assert float(table.arm.position[0]) == pytest.approx(rest, abs=1e-6)
    assert table.arm.goal is None
