"""A cancel, a stop and the end of the process, at every instant of an action."""

from dataclasses import replace

import pytest
from examples import examples
from fakes import ARM_JOINT, HAND_JOINT, FakeTable
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import Robot, make_robot

from action_node.cancel_latch import CancelLatch
from action_node.config import ActionConfig
from action_node.stop.joint_sample import JointSample
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import HAND, TABLE, USERS_SIDE


def test_a_cancel_before_the_intent_leaves_no_trace(robot: Robot) -> None:
    latch = CancelLatch()
    latch.set()
    assert robot.do('<move_to_box_1(pear)>', latch).code is ReasonCode.CANCELLED
    assert not robot.recorder.entries
    assert not robot.table.sent


def test_a_cancel_after_the_intent_and_before_the_motion_is_an_outcome(robot: Robot) -> None:
    latch = CancelLatch()
    robot.recorder.recorded = lambda entry: latch.set()
    assert robot.do('<move_to_box_1(pear)>', latch).code is ReasonCode.CANCELLED
    assert robot.log == [('intent', '', 0), ('outcome', 'cancelled', 1)]
    assert not robot.table.sent


@settings(max_examples=examples(60), deadline=None)
@given(st.floats(0.0, 5.0), st.sampled_from(['move_to_box_1', 'give', 'point']))
def test_a_cancel_at_any_instant_is_honoured_with_the_arm_home_and_the_truth_told(delay_s: float, action: str) -> None:
    robot = make_robot()
    latch = CancelLatch()
    robot.table.at.append((robot.table.time_s + delay_s, latch.set))
    result = robot.do(f'<{action}(pear)>', latch)
    assert robot.at_home
    assert robot.log[-1] == ('outcome', str(result.code), 1)
    if result.code is ReasonCode.DONE:
        assert robot.place() == {'move_to_box_1': 'box 1', 'give': USERS_SIDE, 'point': TABLE}[action]
    else:
        assert result.code is ReasonCode.CANCELLED
        assert robot.place() == TABLE
    sent = len(robot.table.sent)
    robot.table.advance(robot.table.time_s + 5.0)
    assert len(robot.table.sent) == sent
    assert robot.at_home


@settings(max_examples=examples(60), deadline=None)
@given(st.floats(0.0, 5.0))
def test_a_stop_at_any_instant_holds_until_reset_and_then_all_goes_on(delay_s: float) -> None:
    robot = make_robot()
    stopped_at: list[tuple[float, str]] = []

    def stop() -> None:
        robot.executor.stop()
        stopped_at.append((robot.table.positions[ARM_JOINT], robot.place()))

    robot.table.at.append((robot.table.time_s + delay_s, stop))
    result = robot.do('<move_to_box_1(pear)>')
    robot.table.advance(max(robot.table.time_s, 100.0 + delay_s) + 3.0)
    where, held = stopped_at[0]
    assert abs(robot.table.positions[ARM_JOINT] - where) < 1e-6
    assert robot.place() == held
    assert result.code in (ReasonCode.STOPPED, ReasonCode.DONE)
    assert robot.log[-1] == ('outcome', str(result.code), 1)
    sent = len(robot.table.sent)
    assert robot.do('<give(apple)>').code is ReasonCode.STOPPED
    assert len(robot.table.sent) == sent
    assert robot.executor.reset() == (True, 'the arms are at home')
    assert robot.at_home
    assert robot.place() != HAND
    assert robot.do('<give(apple)>').code is ReasonCode.DONE


class BrokenEncoders(FakeTable):
    """Of the joints in `broken`, joint states hold NaN."""

    broken: frozenset[str] = frozenset()

    def joints(self) -> JointSample | None:
        sample = super().joints()
        if sample is None:
            return None
        known = {name: position for name, position in sample.positions.items() if name not in self.broken}
        return replace(sample, positions=known, not_finite=self.broken)


@pytest.mark.parametrize('joint', [ARM_JOINT, HAND_JOINT])
@settings(max_examples=examples(30), deadline=None)
@given(delay_s=st.floats(0.1, 3.5))
def test_a_joint_that_is_not_finite_at_any_instant_ends_the_motion_whatever_moves(joint: str, delay_s: float) -> None:
    table = BrokenEncoders()
    robot = make_robot(table)
    where: list[float] = []

    def breaks() -> None:
        table.broken = frozenset({joint})
        where.append(table.positions[ARM_JOINT])

    table.at.append((table.time_s + delay_s, breaks))
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT or (result.code is ReasonCode.DONE and delay_s > 3.0)
    assert f'lack a finite position of {joint}' in result.message
    sent = len(table.sent)
    table.advance(table.time_s + 3.0)
    assert abs(table.positions[ARM_JOINT] - where[0]) < 0.15, 'it holds near where it was'
    assert robot.do('<give(apple)>').code in (ReasonCode.HARDWARE_FAULT, ReasonCode.STOPPED)
    assert robot.executor.reset() == (
        False,
        f'the arms were not brought home: joint states lack a finite position of {joint}; nothing moves',
    )
    assert all(len(path.times_s) == 1 for _, _, path in table.sent[sent:]), 'only holds'
    table.broken = frozenset()
    assert robot.executor.reset() == (True, 'the arms are at home')
    assert robot.at_home
    assert robot.do('<give(apple)>').code is ReasonCode.DONE


@settings(max_examples=examples(40), deadline=None)
@given(st.floats(0.1, 4.5))
def test_a_node_that_dies_at_any_instant_leaves_an_arm_that_holds_and_the_next_one_goes_on(delay_s: float) -> None:
    robot = make_robot()

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
    in_hand = again.place() == HAND
    settled = again.do('<move_to_box_1(pear)>', settle_intent_id=1)
    assert again.table.positions == resting
    there = again.place() == 'box 1'
    assert settled.code is (ReasonCode.DONE if there else ReasonCode.EFFECT_NOT_SEEN)
    result = again.do('<move_to_box_1(pear)>')
    assert result.code is (ReasonCode.PRECONDITION if there else ReasonCode.DONE)
    assert not (there and in_hand)
    assert again.place() == 'box 1'
    assert again.do('<move_to_box_1(apple)>').code is ReasonCode.DONE
    assert [code for kind, code, _ in again.log if kind == 'outcome'].count('done') == 2
