"""What becomes of an intent that was left open."""

from typing import Any

import pytest
from fakes import ARM_JOINT, HAND_JOINT, HOME
from robots import PEAR, Robot, make_robot

from action_node.config import ActionConfig
from action_node.intent_history import IntentHistory
from lucca_core.codes import ReasonCode
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.snapshots import Snapshot


def test_settling_moves_nothing_and_closes_the_intent(robot: Robot) -> None:
    result = robot.do('<move_to_box_1(pear)>', settle_intent_id=7)
    assert (result.code, result.intent_id) == (ReasonCode.EFFECT_NOT_SEEN, 7)
    assert robot.log == [('outcome', 'effect_not_seen', 7)]
    assert not robot.table.sent


def test_settling_a_gift_that_is_gone_is_done(robot: Robot) -> None:
    decision = robot.table.snapshot()
    del robot.table.objects[PEAR]
    assert robot.do('<give(pear)>', snapshot=decision, settle_intent_id=7).code is ReasonCode.DONE


def test_settling_a_gift_that_may_be_in_the_hand_is_uncertain() -> None:
    robot = make_robot(config=ActionConfig(settle_timeout_s=0.3))
    decision = robot.table.snapshot()
    del robot.table.objects[PEAR]
    robot.table.positions[HAND_JOINT] = 1.0
    robot.table.advance(robot.table.time_s + 0.1)
    result = robot.do('<give(pear)>', snapshot=decision, settle_intent_id=7)
    assert result.code is ReasonCode.EFFECT_NOT_SEEN
    assert robot.recorder.entries[-1].uncertain
    assert not robot.table.sent


def test_one_frame_settles_nothing() -> None:
    robot = make_robot(config=ActionConfig(settle_timeout_s=0.3))
    frame = robot.table.snapshot()
    there = {**robot.table.objects}

    def flicker() -> None:
        if robot.table.objects:
            robot.table.objects.clear()
        else:
            robot.table.objects.update(there)
        robot.table.at.append((robot.table.time_s + robot.table.frame_s, flicker))

    robot.table.at.append((robot.table.time_s, flicker))
    robot.do('<give(pear)>', snapshot=frame, settle_intent_id=7)
    assert robot.recorder.entries[-1].uncertain
    assert 'do not agree' in robot.recorder.entries[-1].note


@pytest.mark.parametrize('text', ['<fly_to(pear)>', 'put the pear away', '<point(pear)>', '<give(pear)>'])
def test_what_cannot_be_settled_records_nothing(text: str) -> None:
    robot = make_robot(config=ActionConfig(settle_timeout_s=0.3))
    decision = robot.table.snapshot()
    if 'give' in text:
        del robot.table.objects[PEAR]
    robot.table.joints = lambda: None
    result = robot.do(text, snapshot=decision, settle_intent_id=7)
    assert result.code is not ReasonCode.DONE
    assert (result.outcome_id, robot.recorder.entries) == (0, [])
    assert 'stays open' in result.message


def test_settling_while_another_action_runs_records_nothing(robot: Robot) -> None:
    answers: list[Any] = []
    robot.table.at.append((100.5, lambda: answers.append(robot.do('<give(apple)>', settle_intent_id=7))))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert (answers[0].code, answers[0].outcome_id) == (ReasonCode.BUSY, 0)
    assert robot.log == [('intent', '', 0), ('outcome', 'done', 1)]


def test_settling_a_pointing_looks_at_the_joints(robot: Robot) -> None:
    missed = robot.do('<point(pear)>', settle_intent_id=3)
    assert missed.code is ReasonCode.EFFECT_NOT_SEEN
    robot.table.positions[ARM_JOINT] = 0.0
    robot.table.advance(robot.table.time_s + 0.1)
    assert robot.restarted().do('<point(pear)>', settle_intent_id=4).code is ReasonCode.DONE
    assert [item.uncertain for item in robot.recorder.entries] == [True, True]


def test_settling_without_a_frame_says_so_and_leaves_the_intent_open() -> None:
    robot = make_robot(config=ActionConfig(settle_timeout_s=0.05))
    decision = robot.table.snapshot()
    robot.table.blind = True
    result = robot.do('<move_to_box_1(pear)>', snapshot=decision, settle_intent_id=7)
    assert result.code is ReasonCode.TIMEOUT
    assert 'stays open' in result.message
    assert not robot.recorder.entries


def break_at(robot: Robot, kind: str) -> None:
    """The memory answers nothing any more, from the first entry of this kind on."""
    recorder = robot.recorder
    record = recorder.record

    def failing(entry: Any, timeout_s: float) -> int:
        recorder.broken = recorder.broken or entry.kind == kind
        return record(entry, timeout_s)

    recorder.record = failing


def mend(robot: Robot) -> None:
    del robot.recorder.record
    robot.recorder.broken = False


def test_a_pointing_whose_intent_was_not_acknowledged_did_not_happen_for_certain(robot: Robot) -> None:
    assert robot.do('<point(apple)>').code is ReasonCode.DONE
    break_at(robot, 'intent')
    sent = len(robot.table.sent)
    assert robot.do('<point(pear)>').code is ReasonCode.HARDWARE_FAULT
    mend(robot)
    result = robot.do('<point(pear)>', settle_intent_id=3)
    assert (result.code, len(robot.table.sent)) == (ReasonCode.EFFECT_NOT_SEEN, sent)
    assert not robot.recorder.entries[-1].uncertain
    assert 'nothing moved' in robot.recorder.entries[-1].note


@pytest.mark.parametrize('known', [False, True])
def test_an_intent_that_may_be_of_another_process_is_not_taken_for_one_that_never_began(
    robot: Robot, known: bool
) -> None:
    """The action was cut off in the process before this one, whose first try of it the memory refuses."""
    if known:
        robot.do('<fly_to(pear)>')  # a refusal, which is recorded after the open intent
    break_at(robot, 'intent')
    robot.do('<point(pear)>')
    mend(robot)
    robot.do('<point(pear)>', settle_intent_id=1 if known else 7)
    assert robot.recorder.entries[-1].uncertain


def test_a_pointing_whose_outcome_was_not_acknowledged_is_settled_as_it_ended() -> None:
    robot = make_robot(config=ActionConfig(outcome_timeout_s=0.3))
    break_at(robot, 'outcome')
    assert robot.do('<point(pear)>').code is ReasonCode.HARDWARE_FAULT
    robot.table.positions[ARM_JOINT] = HOME
    for _ in range(2):
        assert robot.do('<point(pear)>', settle_intent_id=1).code is ReasonCode.HARDWARE_FAULT
    mend(robot)
    result = robot.do('<point(pear)>', settle_intent_id=1)
    assert result.code is ReasonCode.DONE
    assert result.message.count('settled after an interruption') == 1
    assert not robot.recorder.entries[-1].uncertain


def test_a_refusal_in_between_does_not_end_what_is_known_of_an_open_intent() -> None:
    robot = make_robot(config=ActionConfig(outcome_timeout_s=0.3))
    break_at(robot, 'outcome')
    robot.do('<point(pear)>')
    mend(robot)
    robot.table.positions[ARM_JOINT] = HOME
    robot.do('<fly_to(pear)>')
    assert robot.do('<point(pear)>', settle_intent_id=1).code is ReasonCode.DONE
    assert not robot.recorder.entries[-1].uncertain


def test_an_arm_that_points_by_chance_does_not_make_up_for_what_never_began(robot: Robot) -> None:
    robot.do('<point(apple)>')
    break_at(robot, 'intent')
    robot.do('<point(pear)>')
    mend(robot)
    robot.table.positions[ARM_JOINT] = 0.0
    robot.table.advance(robot.table.time_s + 0.1)
    assert robot.do('<point(pear)>', settle_intent_id=3).code is ReasonCode.EFFECT_NOT_SEEN


def test_acknowledgements_in_another_order_than_the_logs_do_not_make_an_intent_one_that_never_began() -> None:
    history = IntentHistory()
    entry = EntryRequest(kind=EntryKind.INTENT, task='pointing', snapshot=Snapshot(), action='<point(pear)>')
    for entry_id in (10, 9):
        history.acknowledged(entry, entry_id)
    assert history.end_of('pointing', 10, '<point(pear)>') is None


def test_an_outcome_whose_recording_breaks_off_is_known_all_the_same(robot: Robot) -> None:
    def bug(entry: Any) -> None:
        if entry.kind == 'outcome':
            raise ZeroDivisionError('so it goes')

    robot.recorder.recorded = bug
    with pytest.raises(ZeroDivisionError):
        robot.do('<point(pear)>')
    robot.recorder.recorded = lambda entry: None
    robot.table.positions[ARM_JOINT] = HOME
    assert robot.do('<point(pear)>', settle_intent_id=1).code is ReasonCode.DONE


def test_the_end_of_another_action_with_the_same_number_settles_nothing() -> None:
    """As after `lucca doctor --new-memory`, when a log begins anew."""
    robot = make_robot(config=ActionConfig(outcome_timeout_s=0.3))
    break_at(robot, 'outcome')
    robot.do('<point(pear)>')
    mend(robot)
    robot.table.positions[ARM_JOINT] = HOME
    assert robot.do('<point(apple)>', settle_intent_id=1).code is ReasonCode.EFFECT_NOT_SEEN
    assert robot.recorder.entries[-1].uncertain


def test_an_acknowledged_entry_ends_what_was_kept_of_an_older_intent() -> None:
    robot = make_robot(config=ActionConfig(outcome_timeout_s=0.3))
    break_at(robot, 'outcome')
    robot.do('<point(pear)>')
    mend(robot)
    robot.table.positions[ARM_JOINT] = HOME
    robot.do('<point(pear)>', settle_intent_id=1)
    robot.do('<point(pear)>', settle_intent_id=1)
    assert robot.recorder.entries[-1].uncertain


def test_what_lies_on_the_table_is_settled_by_looking_at_it_whatever_is_remembered(robot: Robot) -> None:
    robot.do('<point(apple)>')
    break_at(robot, 'intent')
    robot.do('<give(pear)>')
    mend(robot)
    decision = robot.table.snapshot()
    del robot.table.objects[PEAR]
    assert robot.do('<give(pear)>', snapshot=decision, settle_intent_id=3).code is ReasonCode.DONE
