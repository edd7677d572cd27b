"""What is recorded of an action and answered, where memory fails it at one instant or another."""

from typing import Any

from robots import Robot

from lucca_core.codes import ReasonCode


def test_a_refusal_that_cannot_be_recorded_is_still_a_refusal(robot: Robot) -> None:
    robot.recorder.broken = True
    result = robot.do('<fly_to(pear)>')
    assert result.code is ReasonCode.UNKNOWN_ACTION
    assert result.outcome_id == 0
    assert 'could not be recorded' in result.message


def test_without_an_acknowledged_intent_nothing_moves(robot: Robot) -> None:
    robot.recorder.broken = True
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert not robot.table.sent


def test_an_outcome_is_insisted_on(robot: Robot) -> None:
    def fail(entry: Any) -> None:
        robot.recorder.failures = 1 if entry.kind == 'intent' else 0

    robot.recorder.recorded = fail
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert robot.log == [('intent', '', 0), ('outcome', 'done', 1)]


def test_an_outcome_that_cannot_be_recorded_is_a_fault_that_says_what_happened(robot: Robot) -> None:
    def fail(entry: Any) -> None:
        robot.recorder.broken = True

    robot.recorder.recorded = fail
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'done' in result.message
    assert result.outcome_id == 0


def test_a_planner_that_breaks_leaves_no_open_intent(robot: Robot) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError('so it goes')

    robot.planner.plan = broken
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'so it goes' in result.message
    assert robot.log == [('intent', '', 0), ('outcome', 'hardware_fault', 1)]
