"""The action node becomes active only beside the controllers of its profile; nodes with ros2_control's parameters."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_CONTROLLER, HAND_JOINT, FakeBody, FakePlanner
from node_rig import QUICK

rclpy = pytest.importorskip('rclpy')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from action_node.gate.gate import Anywhere  # noqa: E402
from action_node.node import ActionNode  # noqa: E402
from lucca_ros.spinning import SpinThread  # noqa: E402

pytestmark = pytest.mark.ros

GOOD = {ARM_CONTROLLER: [ARM_JOINT], HAND_CONTROLLER: [HAND_JOINT]}
URDF = '<robot name="r"><joint name="{joint}" type="revolute"><limit lower="{low}" upper="{high}"/></joint></robot>'


@pytest.fixture
def activate() -> Iterator[Callable[..., Any]]:
    """Activates an action node beside controllers with these joints; returns how that ended."""
    with ExitStack() as stack:

        def run(
            joints: dict[str, list[str]], urdf: str = '', rate_hz: int = 100, wait_s: float = 5.0, late_s: float = 0.05
        ) -> Any:
            context = rclpy.Context()
            rclpy.init(context=context)
            stack.callback(context.try_shutdown)
            executor = SingleThreadedExecutor(context=context)
            nodes = [rclpy.create_node('controller_manager', context=context)]
            nodes[0].declare_parameter('update_rate', rate_hz)
            for name, moved in joints.items():
                nodes.append(rclpy.create_node(name, context=context))
                nodes[-1].declare_parameter('joints', moved)
            if urdf:
                latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
                publisher = nodes[0].create_publisher(String, 'robot_description', latched)
                nodes[0].create_timer(late_s, lambda: publisher.publish(String(data=urdf)))
            for node in nodes:
                executor.add_node(node)
                stack.callback(node.destroy_node)
            spinning = SpinThread(executor)
            spinning.start()
            stack.callback(spinning.close)
            settings = {**QUICK, 'controllers_wait_s': wait_s}
            action = ActionNode(
                lambda config: FakeBody(),
                lambda config, motion: FakePlanner(),
                lambda *_: Anywhere(),
                context=context,
                parameter_overrides=[Parameter(name, value=value) for name, value in settings.items()],
            )
            stack.callback(action.destroy_node)
            stack.callback(action._ending.set)
            assert action.trigger_configure() == TransitionCallbackReturn.SUCCESS
            said: list[str] = []
            logger = action.get_logger
            action.get_logger = lambda: SimpleNamespace(error=said.append)  # type: ignore[method-assign]
            result = action.trigger_activate()
            action.get_logger = logger  # type: ignore[method-assign]
            return result, ' '.join(said)

        yield run


def test_beside_the_controllers_of_the_profile_it_becomes_active(activate: Callable[..., Any]) -> None:
    limits = FakeBody().limits
    low, high = limits.get(ARM_JOINT, (-3.0, 3.0))
    result, said = activate(GOOD, URDF.format(joint=ARM_JOINT, low=low, high=high))
    assert result == TransitionCallbackReturn.SUCCESS, said


def test_another_joint_refuses_the_activation_and_is_named(activate: Callable[..., Any]) -> None:
    result, said = activate(GOOD | {ARM_CONTROLLER: ['elbow']})
    assert result == TransitionCallbackReturn.FAILURE
    assert f'does not move joint {ARM_JOINT!r}' in said


def test_limits_are_compared_though_the_description_takes_its_time(activate: Callable[..., Any]) -> None:
    urdf = URDF.format(joint=ARM_JOINT, low=-0.01, high=0.01)
    result, said = activate(GOOD, urdf, late_s=2.0, wait_s=20.0)
    assert result == TransitionCallbackReturn.FAILURE
    assert f'joint {ARM_JOINT!r} may move from -0.01 to 0.01 on the robot' in said


def test_a_slow_controller_manager_refuses_the_activation(activate: Callable[..., Any]) -> None:
    result, said = activate(GOOD, rate_hz=10)
    assert result == TransitionCallbackReturn.FAILURE
    assert 'run at 10 Hz' in said


def test_a_controller_that_does_not_answer_refuses_the_activation(activate: Callable[..., Any]) -> None:
    result, said = activate({ARM_CONTROLLER: [ARM_JOINT]}, wait_s=1.0)
    assert result == TransitionCallbackReturn.FAILURE
    assert f'{HAND_CONTROLLER} does not say which joints it moves' in said
    assert 'set controllers_wait_s to 0' in said
