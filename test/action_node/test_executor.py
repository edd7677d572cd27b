"""From text to a verified effect: what is recorded, what moves, and what is answered, at every instant."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import ARM_JOINT, HAND_JOINT, HOME
from hypothesis import given, settings
from hypothesis import strategies as st

from action_node.config import ActionConfig
from action_node.stop_marker import StopMarker
from action_node.values import CancelLatch
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_core.values import HAND, TABLE, USERS_SIDE

MakeRobot = Callable[..., Any]
PEAR = 'id pear'


def place(robot: Any, object_id: str = PEAR) -> str:
    return robot.table.objects[object_id].container


def at_home(robot: Any) -> bool:
    positions = robot.table.positions
    return abs(positions[ARM_JOINT] - HOME) < 0.15 and positions[HAND_JOINT] < 0.5


def test_an_action_moves_the_object_and_closes_its_intent(robot: Any) -> None:
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.DONE
    assert place(robot) == 'box 1'
    assert robot.log == [('intent', '', 0), ('outcome', 'done', 1)]
    assert (result.action, result.object_id, result.intent_id, result.outcome_id, result.attempts) == (
        '<move_to_box_1(pear)>',
        PEAR,
        1,
        2,
        1,
    )
    assert at_home(robot)
    assert robot.recorder.entries[1].snapshot.object_with_id(PEAR).container == 'box 1'


def test_giving_and_pointing_end_as_done(robot: Any) -> None:
    assert robot.do('<give(pear)>').code is ReasonCode.DONE
    assert place(robot) == USERS_SIDE
    assert robot.do('<point(apple)>').code is ReasonCode.DONE
    assert place(robot, 'id apple') == TABLE


def test_phases_come_in_order(robot: Any) -> None:
    told: list[tuple[str, float]] = []
    robot.executor.execute(
        robot.request('<move_to_box_1(pear)>'), CancelLatch(), lambda phase, share: told.append((phase, share))
    )
    phases = [phase for phase, _ in told]
    assert list(dict.fromkeys(phases)) == ['gated', 'recorded', 'planning', 'moving', 'verifying']
    shares = [share for phase, share in told if phase == 'moving']
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0


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
def test_a_refusal_moves_nothing_and_is_recorded(robot: Any, text: str, code: ReasonCode) -> None:
    result = robot.do(text)
    assert result.code is code
    assert result.intent_id == 0
    assert not robot.table.sent
    assert robot.log == [('outcome', str(code), 0)]


def test_a_refusal_that_cannot_be_recorded_is_still_a_refusal(robot: Any) -> None:
    robot.recorder.broken = True
    result = robot.do('<fly_to(pear)>')
    assert result.code is ReasonCode.UNKNOWN_ACTION
    assert result.outcome_id == 0
    assert 'could not be recorded' in result.message


def test_an_action_of_another_task_is_not_allowed(robot: Any) -> None:
    assert robot.do('<give(pear)>', allowed_actions=('point',)).code is ReasonCode.NOT_ALLOWED_FOR_TASK
    assert robot.do('<give(pear)>', allowed_actions=()).code is ReasonCode.NOT_ALLOWED_FOR_TASK
    assert not robot.table.sent


def test_without_an_acknowledged_intent_nothing_moves(robot: Any) -> None:
    robot.recorder.broken = True
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert not robot.table.sent


def test_an_object_gone_since_the_decision_is_refused(robot: Any) -> None:
    decision = robot.table.snapshot()
    del robot.table.objects[PEAR]
    assert robot.do('<move_to_box_1(pear)>', snapshot=decision).code is ReasonCode.UNKNOWN_OBJECT
    assert not robot.table.sent


def test_an_object_that_only_the_present_shows_is_refused(robot: Any) -> None:
    decision = robot.table.snapshot()
    robot.table.put('plum', 1.5)
    assert robot.do('<move_to_box_1(plum)>', snapshot=decision).code is ReasonCode.UNKNOWN_OBJECT


def test_nothing_moves_on_an_old_or_missing_frame(robot: Any, new_robot: MakeRobot) -> None:
    decision = robot.table.snapshot()
    robot.table.blind = True
    assert robot.do('<move_to_box_1(pear)>', snapshot=decision).code is ReasonCode.NOT_VISIBLE
    other = new_robot()
    frozen = other.table.snapshot()
    other.table.latest = lambda: frozen
    other.table.advance(110.0)
    assert other.do('<move_to_box_1(pear)>', snapshot=frozen).code is ReasonCode.NOT_VISIBLE
    assert not robot.table.sent
    assert not other.table.sent


def test_a_missed_grasp_is_tried_again_within_one_intent(robot: Any) -> None:
    robot.table.misses = 1
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts) == (ReasonCode.DONE, 2)
    assert robot.log == [('intent', '', 0), ('outcome', 'done', 1)]


def test_misses_are_bounded_and_reported(robot: Any) -> None:
    robot.table.misses = 9
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts) == (ReasonCode.GRASP_FAILED, ActionConfig().max_attempts)
    assert robot.log == [('intent', '', 0), ('outcome', 'grasp_failed', 1)]


def test_what_no_arm_reaches_is_unreachable_and_closed(robot: Any) -> None:
    robot.planner.unreachable.add(PEAR)
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts) == (ReasonCode.UNREACHABLE, 0)
    assert not robot.table.sent
    assert robot.log == [('intent', '', 0), ('outcome', 'unreachable', 1)]


def test_a_motion_without_a_frame_after_it_is_uncertain(robot: Any) -> None:
    def go_blind() -> None:
        robot.table.blind = True

    robot.table.at.append((101.0, go_blind))
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts) == (ReasonCode.EFFECT_NOT_SEEN, 1)
    assert robot.recorder.entries[-1].uncertain


def test_an_outcome_is_insisted_on(robot: Any) -> None:
    def fail(entry: Any) -> None:
        robot.recorder.failures = 1 if entry.kind == 'intent' else 0

    robot.recorder.recorded = fail
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert robot.log == [('intent', '', 0), ('outcome', 'done', 1)]


def test_an_outcome_that_cannot_be_recorded_is_a_fault_that_says_what_happened(robot: Any) -> None:
    def fail(entry: Any) -> None:
        robot.recorder.broken = True

    robot.recorder.recorded = fail
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'done' in result.message
    assert result.outcome_id == 0


def test_silent_joints_stop_the_motion(robot: Any) -> None:
    def silence() -> None:
        robot.table.silent = True

    robot.table.at.append((100.5, silence))
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'silent' in result.message
    assert robot.log[-1] == ('outcome', 'hardware_fault', 1)


def test_an_arm_that_does_not_follow_is_held(robot: Any) -> None:
    def jam() -> None:
        robot.table.stuck = True

    robot.table.at.append((100.3, jam))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.HARDWARE_FAULT


def test_joints_unheard_of_move_nothing(robot: Any) -> None:
    robot.table.joints = lambda: None
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.HARDWARE_FAULT
    assert not robot.table.sent


def test_a_cancel_before_the_intent_leaves_no_trace(robot: Any) -> None:
    latch = CancelLatch()
    latch.set()
    assert robot.do('<move_to_box_1(pear)>', latch).code is ReasonCode.CANCELLED
    assert not robot.recorder.entries
    assert not robot.table.sent


def test_a_cancel_after_the_intent_and_before_the_motion_is_an_outcome(robot: Any) -> None:
    latch = CancelLatch()
    robot.recorder.recorded = lambda entry: latch.set()
    assert robot.do('<move_to_box_1(pear)>', latch).code is ReasonCode.CANCELLED
    assert robot.log == [('intent', '', 0), ('outcome', 'cancelled', 1)]
    assert not robot.table.sent


@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 5.0), st.sampled_from(['move_to_box_1', 'give', 'point']))
def test_a_cancel_at_any_instant_is_honoured_with_the_arm_home_and_the_truth_told(delay_s: float, action: str) -> None:
    robot = NEW_ROBOT()
    latch = CancelLatch()
    robot.table.at.append((robot.table.time_s + delay_s, latch.set))
    result = robot.do(f'<{action}(pear)>', latch)
    assert at_home(robot)
    assert robot.log[-1] == ('outcome', str(result.code), 1)
    if result.code is ReasonCode.DONE:
        assert place(robot) == {'move_to_box_1': 'box 1', 'give': USERS_SIDE, 'point': TABLE}[action]
    else:
        assert result.code is ReasonCode.CANCELLED
        assert place(robot) == TABLE
    sent = len(robot.table.sent)
    robot.table.advance(robot.table.time_s + 5.0)
    assert len(robot.table.sent) == sent
    assert at_home(robot)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 5.0))
def test_a_stop_at_any_instant_holds_until_reset_and_then_all_goes_on(delay_s: float) -> None:
    robot = NEW_ROBOT()
    stopped_at: list[tuple[float, str]] = []

    def stop() -> None:
        robot.executor.stop()
        stopped_at.append((robot.table.positions[ARM_JOINT], place(robot)))

    robot.table.at.append((robot.table.time_s + delay_s, stop))
    result = robot.do('<move_to_box_1(pear)>')
    robot.table.advance(max(robot.table.time_s, 100.0 + delay_s) + 3.0)
    where, held = stopped_at[0]
    assert abs(robot.table.positions[ARM_JOINT] - where) < 1e-6
    assert place(robot) == held
    assert result.code in (ReasonCode.STOPPED, ReasonCode.DONE)
    assert robot.log[-1] == ('outcome', str(result.code), 1)
    sent = len(robot.table.sent)
    assert robot.do('<give(apple)>').code is ReasonCode.STOPPED
    assert len(robot.table.sent) == sent
    assert robot.executor.reset() == (True, 'the arms are at home')
    assert at_home(robot)
    assert place(robot) != HAND
    assert robot.do('<give(apple)>').code is ReasonCode.DONE


@settings(max_examples=40, deadline=None)
@given(st.floats(0.1, 4.5))
def test_a_node_that_dies_at_any_instant_leaves_an_arm_that_holds_and_the_next_one_goes_on(delay_s: float) -> None:
    robot = NEW_ROBOT()

    class Killed(BaseException):
        pass

    def die() -> None:
        robot.table.send = lambda *_: None  # a dead node sends nothing, not even a hold
        raise Killed

    robot.table.at.append((robot.table.time_s + delay_s, die))
    with pytest.raises(Killed):
        robot.do('<move_to_box_1(pear)>')
    del robot.table.send
    robot.table.advance(robot.table.time_s + ActionConfig().horizon_s + 0.2)
    resting = dict(robot.table.positions)
    robot.table.advance(robot.table.time_s + 3.0)
    assert robot.table.positions == resting

    again = robot.restarted()
    in_hand = place(again) == HAND
    settled = again.do('<move_to_box_1(pear)>', settle_intent_id=1)
    assert again.table.positions == resting
    there = place(again) == 'box 1'
    assert settled.code is (ReasonCode.DONE if there else ReasonCode.EFFECT_NOT_SEEN)
    result = again.do('<move_to_box_1(pear)>')
    assert result.code is (ReasonCode.PRECONDITION if there else ReasonCode.DONE)
    assert not (there and in_hand)
    assert place(again) == 'box 1'
    assert again.do('<move_to_box_1(apple)>').code is ReasonCode.DONE
    assert [code for kind, code, _ in again.log if kind == 'outcome'].count('done') == 2


def test_a_planner_that_breaks_leaves_no_open_intent(robot: Any) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError('so it goes')

    robot.planner.plan = broken
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'so it goes' in result.message
    assert robot.log == [('intent', '', 0), ('outcome', 'hardware_fault', 1)]


def test_a_second_action_meanwhile_is_busy(robot: Any) -> None:
    answers: list[ReasonCode] = []
    robot.table.at.append((100.5, lambda: answers.append(robot.do('<give(apple)>').code)))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert answers == [ReasonCode.BUSY]
    assert place(robot, 'id apple') == TABLE


def test_a_late_tick_delays_the_motion_and_skips_nothing(robot: Any) -> None:
    robot.table.late = {100.4: 3.0, 104.2: 2.0}
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.DONE
    steps = [
        abs(b[1] - a[1]) for a, b in zip(robot.table.trace, robot.table.trace[1:], strict=False) if b[0] - a[0] < 0.011
    ]
    assert max(steps) < 0.08


def test_settling_moves_nothing_and_closes_the_intent(robot: Any) -> None:
    result = robot.do('<move_to_box_1(pear)>', settle_intent_id=7)
    assert (result.code, result.intent_id) == (ReasonCode.EFFECT_NOT_SEEN, 7)
    assert robot.log == [('outcome', 'effect_not_seen', 7)]
    assert not robot.table.sent


def test_settling_a_gift_that_is_gone_is_done(robot: Any) -> None:
    decision = robot.table.snapshot()
    del robot.table.objects[PEAR]
    assert robot.do('<give(pear)>', snapshot=decision, settle_intent_id=7).code is ReasonCode.DONE


def test_settling_a_gift_that_may_be_in_the_hand_is_uncertain(new_robot: MakeRobot) -> None:
    robot = new_robot(config=ActionConfig(settle_timeout_s=0.3))
    decision = robot.table.snapshot()
    del robot.table.objects[PEAR]
    robot.table.positions[HAND_JOINT] = 1.0
    robot.table.advance(robot.table.time_s + 0.1)
    result = robot.do('<give(pear)>', snapshot=decision, settle_intent_id=7)
    assert result.code is ReasonCode.EFFECT_NOT_SEEN
    assert robot.recorder.entries[-1].uncertain
    assert not robot.table.sent


def test_one_frame_settles_nothing(new_robot: MakeRobot) -> None:
    robot = new_robot(config=ActionConfig(settle_timeout_s=0.3))
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
def test_what_cannot_be_settled_records_nothing(new_robot: MakeRobot, text: str) -> None:
    robot = new_robot(config=ActionConfig(settle_timeout_s=0.3))
    decision = robot.table.snapshot()
    if 'give' in text:
        del robot.table.objects[PEAR]
    robot.table.joints = lambda: None
    result = robot.do(text, snapshot=decision, settle_intent_id=7)
    assert result.code is not ReasonCode.DONE
    assert (result.outcome_id, robot.recorder.entries) == (0, [])
    assert 'stays open' in result.message


def test_settling_while_another_action_runs_records_nothing(robot: Any) -> None:
    answers: list[Any] = []
    robot.table.at.append((100.5, lambda: answers.append(robot.do('<give(apple)>', settle_intent_id=7))))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert (answers[0].code, answers[0].outcome_id) == (ReasonCode.BUSY, 0)
    assert robot.log == [('intent', '', 0), ('outcome', 'done', 1)]


def frozen(robot: Any) -> None:
    last = robot.table.snapshot()
    robot.table.latest = lambda: last


def test_no_arm_is_brought_home_on_an_old_frame(new_robot: MakeRobot) -> None:
    robot = new_robot(config=ActionConfig(frame_timeout_s=0.1))
    robot.table.positions[ARM_JOINT] = 0.5
    frozen(robot)
    robot.table.advance(robot.table.time_s + 10.0)
    robot.executor.stop()
    sent = len(robot.table.sent)
    done, message = robot.executor.reset()
    assert (done, 'old' in message) == (False, True)
    assert len(robot.table.sent) == sent + 1, 'the arm holds'
    assert robot.executor.stopped
    del robot.table.latest
    assert robot.executor.reset()[0]


def test_a_frame_that_grew_old_while_the_intent_was_written_moves_nothing(new_robot: MakeRobot) -> None:
    robot = new_robot(config=ActionConfig(glance_timeout_s=0.1))

    def slow(entry: Any) -> None:
        if entry.kind == 'intent':
            frozen(robot)
            robot.table.advance(robot.table.time_s + 10.0)

    robot.recorder.recorded = slow
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.NOT_VISIBLE
    assert not robot.table.sent
    assert robot.log == [('intent', '', 0), ('outcome', 'not_visible', 1)]


def test_what_was_taken_away_while_the_intent_was_written_is_not_reached_for(robot: Any) -> None:
    def slow(entry: Any) -> None:
        if entry.kind == 'intent':
            del robot.table.objects[PEAR]
            robot.table.advance(robot.table.time_s + 10.0)

    robot.recorder.recorded = slow
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.UNKNOWN_OBJECT
    assert not robot.table.sent


def test_settling_a_pointing_looks_at_the_joints(robot: Any) -> None:
    missed = robot.do('<point(pear)>', settle_intent_id=3)
    assert missed.code is ReasonCode.EFFECT_NOT_SEEN
    robot.table.positions[ARM_JOINT] = 0.0
    robot.table.advance(robot.table.time_s + 0.1)
    assert robot.do('<point(pear)>', settle_intent_id=4).code is ReasonCode.DONE
    assert [item.uncertain for item in robot.recorder.entries] == [True, True]


def test_settling_without_a_frame_says_so_and_leaves_the_intent_open(new_robot: MakeRobot) -> None:
    robot = new_robot(config=ActionConfig(settle_timeout_s=0.05))
    decision = robot.table.snapshot()
    robot.table.blind = True
    result = robot.do('<move_to_box_1(pear)>', snapshot=decision, settle_intent_id=7)
    assert result.code is ReasonCode.TIMEOUT
    assert 'stays open' in result.message
    assert not robot.recorder.entries


def test_a_stop_outlives_the_process_and_only_a_reset_ends_it(new_robot: MakeRobot, tmp_path: Path) -> None:
    robot = new_robot(marker=StopMarker(tmp_path))
    robot.executor.stop()
    again = robot.restarted().restarted()
    sent = len(again.table.sent)
    assert again.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    assert len(again.table.sent) == sent
    assert again.executor.reset()[0]
    assert again.restarted().do('<move_to_box_1(pear)>').code is ReasonCode.DONE


def test_a_stop_that_cannot_be_written_holds_all_the_same(new_robot: MakeRobot, tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('not a folder')
    robot = new_robot(marker=StopMarker(tmp_path / 'file'))
    with pytest.raises(FileExistsError):
        robot.executor.stop()
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    assert not robot.executor.reset()[0], 'the disk still says that it was stopped'
    assert robot.executor.stopped


def test_a_reset_lifts_no_stop_that_came_after_it_was_asked_for(robot: Any) -> None:
    robot.executor.stop()
    stops = robot.executor.stops
    robot.executor.stop()
    sent = len(robot.table.sent)
    assert robot.executor.reset(stops)[0] is False
    assert robot.executor.stopped
    assert len(robot.table.sent) == sent
    assert robot.executor.reset()[0]


def test_a_stop_during_a_reset_wins(new_robot: MakeRobot, tmp_path: Path) -> None:
    robot = new_robot(marker=StopMarker(tmp_path))
    robot.table.positions[ARM_JOINT] = 0.5
    robot.executor.stop()
    robot.table.at.append((robot.table.time_s + 0.5, robot.executor.stop))
    assert robot.executor.reset()[0] is False
    assert robot.executor.stopped
    assert robot.marker.is_set()


def test_a_reset_that_fails_leaves_the_robot_stopped(new_robot: MakeRobot, tmp_path: Path) -> None:
    robot = new_robot(marker=StopMarker(tmp_path))
    robot.table.positions[ARM_JOINT] = 0.5
    robot.executor.stop()
    real = robot.planner.plan_clear

    def unreachable(*_: object) -> None:
        raise MotionError(ReasonCode.UNREACHABLE, 'something is in the way')

    def broken(*_: object) -> None:
        raise ZeroDivisionError('so it goes')

    robot.planner.plan_clear = unreachable
    done, message = robot.executor.reset()
    assert (done, 'in the way' in message) == (False, True)
    assert robot.executor.stopped
    robot.planner.plan_clear = broken
    assert robot.executor.reset() == (False, 'internal error ZeroDivisionError: so it goes')
    assert robot.executor.stopped
    assert robot.restarted().do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    robot.planner.plan_clear = real
    assert robot.executor.reset()[0]
    assert not robot.marker.is_set()


def test_reset_is_not_taken_while_an_action_runs(new_robot: MakeRobot) -> None:
    robot = new_robot(config=ActionConfig(intent_timeout_s=0.01))
    answers: list[tuple[bool, str]] = []
    robot.table.at.append((100.5, lambda: answers.append(robot.executor.reset())))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert answers[0][0] is False


NEW_ROBOT: MakeRobot


@pytest.fixture(autouse=True)
def _robots(new_robot: MakeRobot) -> None:
    global NEW_ROBOT
    NEW_ROBOT = new_robot
