"""Values to messages and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import JointState

from action_node.conversions import (
    entry_from_msg,
    entry_to_msg,
    joints_from_msg,
    request_from_goal,
    request_to_goal,
    result_from_msg,
    result_to_msg,
    trajectory_from_msg,
    trajectory_to_msg,
)
from action_node.trajectory import Path
from action_node.values import ActionRequest, ActionResult, LogEntry
from lucca_core.codes import ReasonCode
from lucca_core.values import Snapshot, TableObject
from lucca_ros.conversions import time_to_msg

pytestmark = pytest.mark.ros

SNAPSHOT = Snapshot(stamp_s=12.5, objects=(TableObject(object_id='o1', name='pear', label='pear'),))
texts = st.text(st.characters(blacklist_categories=['Cs'], blacklist_characters='\0'), max_size=20)
counts = st.integers(0, 2**31)
times = st.floats(0, 1e6)


@given(texts, texts, st.lists(texts, max_size=4), counts, times)
def test_a_request_comes_back_as_it_was(text: str, task: str, allowed: list[str], intent: int, wall_s: float) -> None:
    request = ActionRequest(
        text=text,
        task=task,
        allowed_actions=tuple(allowed),
        snapshot=SNAPSHOT,
        confirmed_by=task,
        settle_intent_id=intent,
        answered_wall_s=wall_s,
    )
    assert request_from_goal(request_to_goal(request)) == request


@given(st.sampled_from(list(ReasonCode)), texts, counts, times)
def test_a_result_comes_back_as_it_was(code: ReasonCode, text: str, number: int, seconds: float) -> None:
    result = ActionResult(
        code=code,
        message=text,
        action=text,
        object_id=text,
        intent_id=number,
        outcome_id=number,
        attempts=number,
        duration_s=seconds,
        overhead_before_s=seconds,
        planning_s=seconds,
        overhead_after_s=seconds,
        verify_wait_s=seconds,
    )
    assert result_from_msg(result_to_msg(result)) == result


@given(texts, counts, st.booleans(), times)
def test_an_entry_comes_back_as_it_was(text: str, number: int, uncertain: bool, seconds: float) -> None:
    entry = LogEntry(
        kind='outcome',
        task=text,
        snapshot=SNAPSHOT,
        action=text,
        object_id=text,
        object_name=text,
        intent_id=number,
        code='done',
        uncertain=uncertain,
        attempts=number,
        duration_s=seconds,
        note=text,
    )
    assert entry_from_msg(entry_to_msg(entry)) == entry


@given(st.integers(1, 5), st.integers(1, 4), st.floats(0, 1e5))
def test_a_trajectory_comes_back_as_it_was(count: int, joints: int, start_s: float) -> None:
    numbers = np.random.default_rng(count).uniform(-1, 1, (count, joints))
    path = Path(0.05 + np.arange(count) * 0.1, numbers, -numbers)
    names, back, back_s = trajectory_from_msg(trajectory_to_msg(tuple('abcd'[:joints]), path, start_s))
    assert names == tuple('abcd'[:joints])
    assert back_s == pytest.approx(start_s, abs=2e-9)
    np.testing.assert_allclose(back.times_s, path.times_s, atol=1e-9)
    np.testing.assert_array_equal(back.positions, path.positions)
    np.testing.assert_array_equal(back.velocities, path.velocities)


def test_a_result_of_no_known_code_is_refused() -> None:
    msg = result_to_msg(ActionResult(code=ReasonCode.DONE))
    msg.code = 'splendid'
    with pytest.raises(ValueError, match='splendid'):
        result_from_msg(msg)


def test_joints_without_a_position_are_left_out() -> None:
    msg = JointState(name=['a', 'b'], position=[1.5])
    msg.header.stamp = time_to_msg(3.25)
    sample = joints_from_msg(msg)
    assert (sample.stamp_s, dict(sample.positions)) == (3.25, {'a': 1.5})
