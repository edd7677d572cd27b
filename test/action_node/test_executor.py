"""From text to a verified effect: what moves, what is seen of it, and how often it is tried."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from robots import PEAR, Robot, make_robot

from action_node.cancel_latch import CancelLatch
from action_node.config import ActionConfig
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import TABLE, USERS_SIDE, Snapshot, TableObject
from lucca_memory.procedural import Effect


def test_an_action_moves_the_object_and_closes_its_intent(robot: Robot) -> None:
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.DONE
    assert robot.place() == 'box 1'
    assert robot.log == [('intent', '', 0), ('outcome', 'done', 1)]
    assert (result.action, result.object_id, result.intent_id, result.outcome_id, result.attempts) == (
        '<move_to_box_1(pear)>',
        PEAR,
        1,
        2,
        1,
    )
    assert robot.at_home
    assert robot.recorder.entries[1].snapshot.object_with_id(PEAR).container == 'box 1'


def test_a_dry_run_plans_and_shows_and_records_nothing() -> None:
    robot = make_robot(config=replace(ActionConfig(), dry_run=True))
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.intent_id) == (ReasonCode.STOPPED, 0)
    assert result.message.startswith('dry run: a motion of the')
    assert [kind for kind, _, _ in robot.log if kind == 'intent'] == []
    assert robot.planner.requests
    assert robot.table.sent


def test_giving_and_pointing_end_as_done(robot: Robot) -> None:
    assert robot.do('<give(pear)>').code is ReasonCode.DONE
    assert robot.place() == USERS_SIDE
    assert robot.do('<point(apple)>').code is ReasonCode.DONE
    assert robot.place('id apple') == TABLE


def test_phases_come_in_order(robot: Robot) -> None:
    told: list[tuple[str, float]] = []
    robot.executor.execute(
        robot.request('<move_to_box_1(pear)>'), CancelLatch(), lambda phase, share: told.append((phase, share))
    )
    phases = [phase for phase, _ in told]
    assert list(dict.fromkeys(phases)) == ['gated', 'recorded', 'planning', 'moving', 'verifying']
    shares = [share for phase, share in told if phase == 'moving']
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0


def test_a_missed_grasp_is_tried_again_within_one_intent(robot: Robot) -> None:
    robot.table.misses = 1
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts) == (ReasonCode.DONE, 2)
    assert robot.log == [('intent', '', 0), ('outcome', 'done', 1)]


def test_misses_are_bounded_and_reported(robot: Robot) -> None:
    robot.table.misses = 9
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts) == (ReasonCode.GRASP_FAILED, ActionConfig().max_attempts)
    assert robot.log == [('intent', '', 0), ('outcome', 'grasp_failed', 1)]


def test_what_is_out_of_reach_leaves_no_intent_and_is_not_planned(robot: Robot) -> None:
    robot.reach.reasons[PEAR] = 'pear is two metres away'
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts, result.intent_id) == (ReasonCode.UNREACHABLE, 0, 0)
    assert 'pear is two metres away' in result.message
    assert not robot.table.sent
    assert not robot.planner.requests
    assert robot.log == [('outcome', 'unreachable', 0)]


def test_what_no_motion_leads_to_is_unreachable_and_closed(robot: Robot) -> None:
    robot.planner.unreachable.add(PEAR)
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts) == (ReasonCode.UNREACHABLE, 0)
    assert not robot.table.sent
    assert robot.log == [('intent', '', 0), ('outcome', 'unreachable', 1)]


def test_a_motion_without_a_frame_after_it_is_uncertain(robot: Robot) -> None:
    def go_blind() -> None:
        robot.table.blind = True

    robot.table.at.append((101.0, go_blind))
    result = robot.do('<move_to_box_1(pear)>')
    assert (result.code, result.attempts) == (ReasonCode.EFFECT_NOT_SEEN, 1)
    assert robot.recorder.entries[-1].uncertain


def test_silent_joints_stop_the_motion(robot: Robot) -> None:
    def silence() -> None:
        robot.table.silent = True

    robot.table.at.append((100.5, silence))
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'silent' in result.message
    assert robot.log[-1] == ('outcome', 'hardware_fault', 1)


def test_an_arm_that_does_not_follow_is_held(robot: Robot) -> None:
    def jam() -> None:
        robot.table.stuck = True

    robot.table.at.append((100.3, jam))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.HARDWARE_FAULT


def test_joints_unheard_of_move_nothing(robot: Robot) -> None:
    robot.table.joints = lambda: None
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.HARDWARE_FAULT
    assert not robot.table.sent


def test_a_late_tick_delays_the_motion_and_skips_nothing(robot: Robot) -> None:
    robot.table.late = {100.4: 3.0, 104.2: 2.0}
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.DONE
    steps = [
        abs(b[1] - a[1]) for a, b in zip(robot.table.trace, robot.table.trace[1:], strict=False) if b[0] - a[0] < 0.011
    ]
    assert max(steps) < 0.08


def test_what_was_seen_before_watching_broke_off_is_in_the_outcome(robot: Robot) -> None:
    seen: list[Snapshot] = []
    wait = robot.table.wait_newer_than

    def break_off(stamp_s: float, timeout_s: float, interrupted: Callable[[], bool]) -> Snapshot | None:
        if seen:
            raise ValueError('a frame that cannot be read')
        frame = wait(stamp_s, timeout_s, interrupted)
        assert frame is not None
        # The pear is still falling, so that a second frame is waited for.
        seen.append(replace(frame, objects=tuple(replace(item, container=TABLE) for item in frame.objects)))
        return seen[0]

    robot.table.wait_newer_than = break_off
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.HARDWARE_FAULT
    assert robot.log[-1] == ('outcome', 'hardware_fault', 1)
    assert robot.recorder.entries[-1].snapshot is seen[0]


def test_a_frame_that_cannot_be_judged_is_in_the_outcome(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[Snapshot] = []

    def break_off(_effect: Effect, _target: TableObject, _before: Snapshot, after: Snapshot, _moved_m: float) -> None:
        frames.append(after)
        raise ZeroDivisionError('so it goes')

    monkeypatch.setattr('action_node.effect_watcher.judge_lasting', break_off)
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.HARDWARE_FAULT
    outcome = robot.recorder.entries[-1].snapshot
    assert [outcome] == frames
    assert outcome.object_with_id(PEAR).container == 'box 1'
