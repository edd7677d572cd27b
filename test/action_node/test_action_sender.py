"""What goes to drivers with action interfaces, and what they answer: as plain values, and as messages if there are any.

The second part needs control_msgs, which no registry package carries: it runs where the package is installed.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')

import rclpy
from action_msgs.msg import GoalStatus
from narrow_gripper import narrow_gripper
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node

from action_node.action_sender import ActionSender, erased_tolerances, report_of
from action_node.body import ProfileBody
from action_node.driver_reports import DriverReports, GoalEnd, GoalReport
from action_node.stop.joint_path import JointPath
from lucca_core.errors import ConfigError, MotionError
from lucca_robot.arm_profile import ControllerInterface
from lucca_robot.profile import load_profile
from lucca_ros.rclpy_internals import ShutdownSafeActionServer
from lucca_ros.streams import Streams

pytestmark = pytest.mark.ros
FOLLOW, GRIP = ControllerInterface.FOLLOW_JOINT_TRAJECTORY, ControllerInterface.GRIPPER_COMMAND
needs_control_msgs = pytest.mark.skipif(
    find_spec('control_msgs') is None, reason='control_msgs is not installed: goals over DDS are not covered'
)


def test_an_answer_is_read_alike_from_both_actions() -> None:
    follow = SimpleNamespace(error_code=-4, error_string='elbow')
    assert report_of(GoalStatus.STATUS_ABORTED, follow) == GoalReport(GoalEnd.ABORTED, -4, 'elbow')
    grip = SimpleNamespace(position=0.02, effort=5.0, stalled=True, reached_goal=False)
    assert report_of(GoalStatus.STATUS_ABORTED, grip) == GoalReport(GoalEnd.ABORTED, stalled=True)
    assert report_of(GoalStatus.STATUS_SUCCEEDED, SimpleNamespace()).end is GoalEnd.SUCCEEDED
    assert report_of(GoalStatus.STATUS_UNKNOWN, SimpleNamespace()).end is GoalEnd.ABORTED


def test_tolerances_of_a_hand_are_erased_joint_by_joint() -> None:
    made = erased_tolerances(SimpleNamespace, ('a', 'b'))
    assert [(item.name, item.position, item.velocity, item.acceleration) for item in made] == [
        ('a', -1.0, -1.0, -1.0),
        ('b', -1.0, -1.0, -1.0),
    ]


def test_a_profile_chooses_the_interface_and_a_gripper_has_one_joint(tmp_path: Path) -> None:
    narrow_gripper(tmp_path)
    file = tmp_path / 'narrow.yaml'
    text = file.read_text()
    chosen = text.replace(
        'controller: left_hand_controller', 'controller: left_hand_controller\n      interface: gripper_command'
    )
    file.write_text(chosen)
    assert load_profile(file).interfaces['left_hand_controller'] is GRIP
    assert load_profile(file).interfaces['left_arm_controller'] is ControllerInterface.JOINT_TRAJECTORY
    file.write_text(chosen.replace('gripper_command', 'telepathy'))
    with pytest.raises(ConfigError, match='interface must be one of joint_trajectory'):
        load_profile(file)
    file.write_text(chosen.replace('joints: [left_slide_a]', 'joints: [left_slide_a, left_slide_b]'))
    file.write_text(
        text.replace(
            'controller: left_arm_controller', 'controller: left_arm_controller\n    interface: gripper_command'
        )
    )
    with pytest.raises(ConfigError, match='interface must be one of'):
        load_profile(file)


def test_a_profile_names_the_largest_force_of_a_gripper(tmp_path: Path) -> None:
    narrow_gripper(tmp_path)
    file = tmp_path / 'narrow.yaml'
    text = file.read_text()
    assert set(ProfileBody(load_profile(file)).max_efforts.values()) == {0.0}
    named = 'controller: left_hand_controller\n      interface: gripper_command\n      max_effort: {}'
    file.write_text(text.replace('controller: left_hand_controller', named.format(20)))
    assert ProfileBody(load_profile(file)).max_efforts['left_hand_controller'] == 20.0
    file.write_text(text.replace('controller: left_hand_controller', named.format(-1)))
    with pytest.raises(ConfigError, match='max_effort must be 0 or a force'):
        load_profile(file)
    by_topic = named.format(20).replace('gripper_command', 'joint_trajectory')
    file.write_text(text.replace('controller: left_hand_controller', by_topic))
    with pytest.raises(ConfigError, match='max_effort needs the interface gripper_command, but it is joint_trajectory'):
        load_profile(file)


@pytest.fixture
def context() -> Iterator[Context]:
    context = Context()
    rclpy.init(context=context)
    yield context
    context.try_shutdown()


@pytest.fixture
def node(context: Context) -> Iterator[LifecycleNode]:
    node = LifecycleNode('action', context=context)
    yield node
    node.destroy_node()


@pytest.fixture
def streams(node: LifecycleNode) -> Iterator[Streams]:
    streams = Streams(node)
    yield streams
    streams.close()


@pytest.mark.skipif(find_spec('control_msgs') is not None, reason='control_msgs is installed')
def test_without_control_msgs_such_a_profile_is_refused_with_what_to_install(streams: Streams) -> None:
    with pytest.raises(ConfigError, match='sudo apt install ros-jazzy-control-msgs'):
        ActionSender(streams, 'arm', FOLLOW, DriverReports(), free=False)


def path_to(position: float) -> JointPath:
    return JointPath(np.array([0.0, 0.1]), np.array([[0.0], [position]]), np.zeros((2, 1)))


@needs_control_msgs
def test_a_driver_that_is_not_there_is_a_fault_at_once(streams: Streams) -> None:
    sender = ActionSender(streams, 'arm', FOLLOW, DriverReports(), free=False)
    with pytest.raises(MotionError, match='offers no action'):
        sender.send(('a',), path_to(0.1), 0.0)
    sender.destroy()


class Driver:
    """Action servers in a thread of their own; `decide` and `end` are what a test has them do."""

    def __init__(self, context: Context, kind: type, name: str) -> None:
        from rclpy.action import GoalResponse

        self.goals: list[object] = []
        self.accepts = True
        self.end: Callable[[object], object] = lambda handle: handle.succeed()  # type: ignore[attr-defined]
        self.node = Node('driver', context=context)
        self._kind = kind
        self._server = ShutdownSafeActionServer(
            self.node,
            kind,
            name,
            self._execute,
            goal_callback=lambda goal: GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT,
        )
        self.executor = MultiThreadedExecutor(2, context=context)
        self.executor.add_node(self.node)

    def _execute(self, handle: object) -> object:
        self.goals.append(handle.request)  # type: ignore[attr-defined]
        self.end(handle)
        return self._kind.Result()  # type: ignore[attr-defined]

    def until(self, met: Callable[[], bool]) -> None:
        for _ in range(800):
            if met():
                return
            self.executor.spin_once(timeout_sec=0.01)
        raise AssertionError('it did not come to that')


@needs_control_msgs
def test_goals_reach_a_driver_and_only_what_no_later_goal_explains_is_a_fault(
    context: Context, streams: Streams
) -> None:
    from control_msgs.action import FollowJointTrajectory

    driver, reports = Driver(context, FollowJointTrajectory, 'hand/follow_joint_trajectory'), DriverReports()
    sender = ActionSender(streams, 'hand', FOLLOW, reports, free=True)
    driver.until(sender._client.server_is_ready)
    sender.send(('a',), path_to(0.1), 12.5)
    driver.until(lambda: len(driver.goals) == 1)
    goal = driver.goals[0]
    assert goal.trajectory.joint_names == ['a']  # type: ignore[attr-defined]
    assert goal.trajectory.header.stamp.sec == 12  # type: ignore[attr-defined]
    assert [item.position for item in goal.path_tolerance] == [-1.0]  # type: ignore[attr-defined]
    driver.accepts = False
    sender.send(('a',), path_to(0.2), 0.0)
    driver.until(lambda: bool(reports.fault))
    assert 'rejected the motion' in reports.fault
    reports.forget()
    driver.accepts, driver.end = True, lambda handle: handle.abort()  # type: ignore[attr-defined]
    sender.send(('a',), path_to(0.3), 0.0)
    driver.until(lambda: bool(reports.fault))
    assert 'aborted the motion' in reports.fault
    sender.destroy()


@needs_control_msgs
def test_a_gripper_is_told_where_the_path_ends_and_once_in_a_motion(context: Context, streams: Streams) -> None:
    from control_msgs.action import GripperCommand

    driver, reports = Driver(context, GripperCommand, 'hand/gripper_cmd'), DriverReports()
    sender = ActionSender(streams, 'hand', GRIP, reports, free=True, max_effort=20.0)
    driver.until(sender._client.server_is_ready)
    for _ in range(3):
        sender.send(('a',), path_to(0.02), 0.0)
    sender.send(('a',), path_to(0.04), 0.0)
    sender.send(('a',), path_to(0.04), 1.0)
    driver.until(lambda: len(driver.goals) == 3 and not reports.expected('hand'))
    assert [goal.command.position for goal in driver.goals] == [0.02, 0.04, 0.04]  # type: ignore[attr-defined]
    assert {goal.command.max_effort for goal in driver.goals} == {20.0}  # type: ignore[attr-defined]
    assert reports.fault == ''
    sender.destroy()
