"""The relay on real DDS: joint states and a stamped trajectory in, setpoints out."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from lucca_robot.profile import load_profile  # noqa: E402
from lucca_sim.relay.node import RelayNode  # noqa: E402

pytestmark = pytest.mark.ros

PROFILE = load_profile('two_six_dof')
ARM = PROFILE.arms['left']
SPINS = 4000


@pytest.fixture
def graph() -> Iterator[tuple[Any, RelayNode, SingleThreadedExecutor]]:
    context = rclpy.Context()
    rclpy.init(context=context)
    client = rclpy.create_node('controller', context=context)
    relay = RelayNode(context=context, parameter_overrides=[Parameter('robot', value='two_six_dof')])
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(client)
    executor.add_node(relay)
    yield client, relay, executor
    executor.shutdown()
    relay.destroy_node()
    client.destroy_node()
    context.try_shutdown()


def test_a_trajectory_becomes_setpoints_that_end_where_it_ends(
    graph: tuple[Any, RelayNode, SingleThreadedExecutor],
) -> None:
    client, relay, executor = graph
    assert relay.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert relay.trigger_activate() == TransitionCallbackReturn.SUCCESS
    joints = client.create_publisher(JointState, 'joint_states', 10)
    trajectories = client.create_publisher(JointTrajectory, f'{ARM.controller}/joint_trajectory', 10)
    heard: list[list[float]] = []
    client.create_subscription(
        JointTrajectory, f'{ARM.controller}/setpoints', lambda msg: heard.append(list(msg.points[0].positions)), 10
    )
    goal = [position + 0.05 for position in ARM.home]
    point = JointTrajectoryPoint(positions=goal)
    point.time_from_start.nanosec = 300_000_000
    states = JointState(name=list(PROFILE.home), position=list(PROFILE.home.values()))
    for count in range(SPINS):
        joints.publish(states)
        # Refused until joint states have arrived, so it is repeated until the first setpoint.
        if not heard and count % 20 == 0:
            trajectories.publish(JointTrajectory(joint_names=list(ARM.joints), points=[point]))
        executor.spin_once(timeout_sec=0.01)
        if heard and heard[-1] == pytest.approx(goal):
            break
    assert heard[-1] == pytest.approx(goal)
    moved = [
        abs(after - before) for one, two in itertools.pairwise(heard) for before, after in zip(one, two, strict=True)
    ]
    assert max(moved) < 0.05
    assert relay.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert relay.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
