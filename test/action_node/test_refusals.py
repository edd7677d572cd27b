"""What is refused, on the decision and on what is seen now, moves nothing."""

from typing import Any

import pytest
from robots import PEAR, Robot, make_robot

from action_node.config import ActionConfig
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import TABLE


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        ('put the pear away', ReasonCode.MALFORMED),
        ('<move_to_box_1(pear)> <give(apple)>', ReasonCode.SEVERAL_ACTIONS),
        ('<fly_to(pear)>', ReasonCode.UNKNOWN_ACTION),
        ('<move_to_box_1(plum)>', ReasonCode.UNKNOWN_OBJECT),
        ('<put_on_tower(pear)>', ReasonCode.PRECONDITION),
    ],
)
def test_a_refusal_moves_nothing_and_is_recorded(robot: Robot, text: str, code: ReasonCode) -> None:
    result = robot.do(text)
    assert result.code is code
    assert result.intent_id == 0
    assert not robot.table.sent
    assert robot.log == [('outcome', str(code), 0)]


def test_an_action_of_another_task_is_not_allowed(robot: Robot) -> None:
    assert robot.do('<give(pear)>', allowed_actions=('point',)).code is ReasonCode.NOT_ALLOWED_FOR_TASK
    assert robot.do('<give(pear)>', allowed_actions=()).code is ReasonCode.NOT_ALLOWED_FOR_TASK
    assert not robot.table.sent


def test_an_object_gone_since_the_decision_is_refused(robot: Robot) -> None:
    decision = robot.table.snapshot()
    del robot.table.objects[PEAR]
    assert robot.do('<move_to_box_1(pear)>', snapshot=decision).code is ReasonCode.UNKNOWN_OBJECT
    assert not robot.table.sent


def test_an_object_that_only_the_present_shows_is_refused(robot: Robot) -> None:
    decision = robot.table.snapshot()
    robot.table.put('plum', 1.5)
    assert robot.do('<move_to_box_1(plum)>', snapshot=decision).code is ReasonCode.UNKNOWN_OBJECT


def test_nothing_moves_on_an_old_or_missing_frame(robot: Robot) -> None:
    decision = robot.table.snapshot()
    robot.table.blind = True
    assert robot.do('<move_to_box_1(pear)>', snapshot=decision).code is ReasonCode.NOT_VISIBLE
    other = make_robot()
    frozen = other.table.snapshot()
    other.table.latest = lambda: frozen
    other.table.advance(110.0)
    assert other.do('<move_to_box_1(pear)>', snapshot=frozen).code is ReasonCode.NOT_VISIBLE
    assert not robot.table.sent
    assert not other.table.sent


def test_a_second_action_meanwhile_is_busy(robot: Robot) -> None:
    answers: list[ReasonCode] = []
    robot.table.at.append((100.5, lambda: answers.append(robot.do('<give(apple)>').code)))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert answers == [ReasonCode.BUSY]
    assert robot.place('id apple') == TABLE


def test_a_frame_that_grew_old_while_the_intent_was_written_moves_nothing() -> None:
    robot = make_robot(config=ActionConfig(glance_timeout_s=0.1))

    def slow(entry: Any) -> None:
        if entry.kind == 'intent':
            robot.freeze()
            robot.table.advance(robot.table.time_s + 10.0)

    robot.recorder.recorded = slow
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.NOT_VISIBLE
    assert not robot.table.sent
    assert robot.log == [('intent', '', 0), ('outcome', 'not_visible', 1)]


def test_what_was_taken_away_while_the_intent_was_written_is_not_reached_for(robot: Robot) -> None:
    def slow(entry: Any) -> None:
        if entry.kind == 'intent':
            del robot.table.objects[PEAR]
            robot.table.advance(robot.table.time_s + 10.0)

    robot.recorder.recorded = slow
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.UNKNOWN_OBJECT
    assert not robot.table.sent
