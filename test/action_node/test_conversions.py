"""Values to messages, and what the simulator reads from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import JointState

from action_node.conversions import joints_from_msg, trajectory_to_msg
from action_node.stop.joint_path import JointPath
from lucca_ros.conversions.stamps import time_to_msg
from lucca_sim.conversions import trajectory_from_msg

pytestmark = pytest.mark.ros


@given(st.integers(1, 5), st.integers(1, 4), st.floats(0, 1e5))
def test_a_trajectory_comes_back_as_it_was(count: int, joints: int, start_s: float) -> None:
    numbers = np.random.default_rng(count).uniform(-1, 1, (count, joints))
    path = JointPath(0.05 + np.arange(count) * 0.1, numbers, -numbers)
    back = trajectory_from_msg(trajectory_to_msg(tuple('abcd'[:joints]), path, start_s))
    assert back.joints == tuple('abcd'[:joints])
    assert back.start_s == pytest.approx(start_s, abs=2e-9)
    np.testing.assert_allclose(back.times_s, path.times_s, atol=1e-9)
    np.testing.assert_array_equal(back.positions, path.positions)
    np.testing.assert_array_equal(back.velocities, path.velocities)


def test_joints_without_a_position_are_left_out() -> None:
    msg = JointState(name=['a', 'b'], position=[1.5])
    msg.header.stamp = time_to_msg(3.25)
    sample = joints_from_msg(msg)
    assert (sample.stamp_s, dict(sample.positions)) == (3.25, {'a': 1.5})
