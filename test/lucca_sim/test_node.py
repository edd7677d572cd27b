"""The simulator on real DDS: what a robot would publish, trajectories obeyed, files finished, no truth on any topic."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from rclpy.executors import MultiThreadedExecutor  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import CameraInfo, Image, JointState  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from lucca_robot.profile import RobotProfile  # noqa: E402
from lucca_ros.conversions.stamps import time_from_msg  # noqa: E402
from lucca_ros.spinning import SpinThread  # noqa: E402
from lucca_sim.conversions import trajectory_from_msg  # noqa: E402
from lucca_sim.node import SimulatorNode  # noqa: E402

pytestmark = pytest.mark.ros

WAIT_S = 30.0


class Graph:
    """One rclpy context with an executor thread; what arrives on a topic can be waited for."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.executor = MultiThreadedExecutor(num_threads=3, context=self.context)
        self.client = rclpy.create_node('listener', context=self.context)
        self.executor.add_node(self.client)
        self.simulators: list[SimulatorNode] = []
        self._spinning = SpinThread(self.executor)
        self._spinning.start()

    def simulator(self, **parameters: Any) -> SimulatorNode:
        settings = {'engine': 'kinematic', 'scene': 'pointing', 'speed': 10.0, 'robot': 'nicol'} | parameters
        node = SimulatorNode(
            context=self.context,
            parameter_overrides=[Parameter(name, value=value) for name, value in settings.items()],
        )
        self.simulators.append(node)
        self.executor.add_node(node)
        return node

    def listen(self, kind: type, topic: str, count: int) -> 'Heard':
        heard = Heard(count)
        self.client.create_subscription(kind, topic, heard, 10)
        return heard

    def close(self) -> None:
        self._spinning.close()
        for node in self.simulators:
            node.destroy_node()
        self.client.destroy_node()
        rclpy.try_shutdown(context=self.context)


class Heard:
    """Collects messages; `wait` returns them when there are enough, or when `until` holds for the last."""

    def __init__(self, count: int) -> None:
        self.messages: list[Any] = []
        self._count = count
        self._news = threading.Condition()

    def __call__(self, message: Any) -> None:
        with self._news:
            self.messages.append(message)
            self._news.notify_all()

    def wait(self, until: Any = None) -> list[Any]:
        def enough() -> bool:
            return len(self.messages) >= self._count and (until is None or until(self.messages[-1]))

        with self._news:
            assert self._news.wait_for(enough, WAIT_S), f'{len(self.messages)} messages in {WAIT_S} s'
            return list(self.messages)


@pytest.fixture
def graph() -> Iterator[Graph]:
    made = Graph()
    yield made
    made.close()


def start(node: SimulatorNode) -> None:
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS


def test_it_publishes_clock_joints_and_pictures_of_one_stamp(graph: Graph, profile: RobotProfile) -> None:
    clock = graph.listen(Clock, '/clock', 5)
    joints = graph.listen(JointState, 'joint_states', 3)
    colour = graph.listen(Image, 'camera/color/image_raw', 4)
    depth = graph.listen(Image, 'camera/depth/image_raw', 4)
    info = graph.listen(CameraInfo, 'camera/color/camera_info', 4)
    start(graph.simulator())
    times = [time_from_msg(message.clock) for message in clock.wait()]
    assert times == sorted(times)
    state = joints.wait()[-1]
    assert dict(zip(state.name, state.position, strict=True)) == pytest.approx(profile.home)
    pictures = {message.header.stamp.sec * 10**9 + message.header.stamp.nanosec: message for message in colour.wait()}
    depths = {message.header.stamp.sec * 10**9 + message.header.stamp.nanosec: message for message in depth.wait()}
    infos = {message.header.stamp.sec * 10**9 + message.header.stamp.nanosec: message for message in info.wait()}
    stamp = next(iter(pictures.keys() & depths.keys() & infos.keys()))
    picture, distance, camera = pictures[stamp], depths[stamp], infos[stamp]
    assert (picture.encoding, distance.encoding) == ('rgb8', '32FC1')
    assert {picture.header.frame_id, distance.header.frame_id, camera.header.frame_id} == {profile.camera_link}
    assert (picture.width, picture.height) == (camera.width, camera.height) == (distance.width, distance.height)
    metres = np.frombuffer(distance.data, dtype=np.float32)
    assert 0.8 < np.median(metres) < 1.4
    assert np.frombuffer(picture.data, dtype=np.uint8).std() > 10


def test_it_obeys_trajectories_and_survives_wrong_ones(graph: Graph, profile: RobotProfile) -> None:
    node = graph.simulator()
    joints = graph.listen(JointState, 'joint_states', 1)
    start(node)
    arm = profile.arms['left']
    topic = graph.client.create_publisher(JointTrajectory, f'{arm.controller}/joint_trajectory', 10)
    goal = [0.9 * value for value in arm.home]
    joints.wait()
    wrong, right = JointTrajectory(joint_names=['elbow']), trajectory(arm.joints, goal)
    wrong.points = trajectory(['elbow'], [0.0]).points
    for _ in range(100):
        topic.publish(wrong)
        topic.publish(right)
        if joints.wait() and np.allclose(_of(joints.messages[-1], arm.joints), goal):
            break
        joints.messages.clear()
    joints.wait(until=lambda message: np.allclose(_of(message, arm.joints), goal))


def test_without_a_camera_there_is_no_camera_topic(graph: Graph) -> None:
    node = graph.simulator(camera_enabled=False)
    start(node)
    assert not [publisher.topic_name for publisher in node.publishers if 'camera' in publisher.topic_name]


def test_it_publishes_nothing_that_only_a_simulator_knows(graph: Graph) -> None:
    node = graph.simulator()
    start(node)
    topics = {publisher.topic_name for publisher in node.publishers}
    own = {
        name for name in topics if name not in ('/rosout', '/parameter_events') and not name.startswith('/simulator/')
    }
    assert own == {
        '/clock',
        '/joint_states',
        '/camera/color/image_raw',
        '/camera/depth/image_raw',
        '/camera/color/camera_info',
        '/diagnostics',
    }


def test_a_trajectory_from_before_a_deactivation_is_not_executed_afterwards(graph: Graph) -> None:
    node = graph.simulator()
    start(node)
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    stale = node._commands
    stale.put(('left_arm_controller', None))  # it arrived while the simulation ended
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    assert node._commands is not stale
    assert not stale.empty(), 'nobody took it'
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS


@pytest.mark.parametrize(('stills', 'pictures'), [(True, {'start.png', 'end.png'}), (False, set())])
def test_deactivating_finishes_the_recording(graph: Graph, tmp_path: Path, stills: bool, pictures: set[str]) -> None:
    clock = graph.listen(Clock, '/clock', 10)
    node = graph.simulator(record_dir=str(tmp_path / 'run'), video_rate_hz=2.0, stills=stills)
    start(node)
    clock.wait()
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    with np.load(tmp_path / 'run' / 'trace.npz', allow_pickle=False) as trace:
        assert len(trace['time_s']) > 2
    assert {path.name for path in (tmp_path / 'run').iterdir()} == {'trace.npz', 'demo.mp4'} | pictures
    assert node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS


def test_a_viewer_without_a_display_is_done_without(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('DISPLAY', raising=False)
    monkeypatch.delenv('WAYLAND_DISPLAY', raising=False)
    clock = graph.listen(Clock, '/clock', 3)
    start(graph.simulator(viewer=True))
    clock.wait()


@pytest.mark.parametrize(
    'wrong', [{'scene': 'moon'}, {'engine': 'magic'}, {'objects': 'anvil'}, {'robot': 'nobody'}, {'speed': -1.0}]
)
def test_wrong_settings_fail_the_configuration(graph: Graph, wrong: dict[str, Any]) -> None:
    assert graph.simulator(**wrong).trigger_configure() == TransitionCallbackReturn.FAILURE


def test_a_trajectory_without_velocities_at_every_point_has_none() -> None:
    message = trajectory(['a', 'b'], [0.0, 1.0])
    assert trajectory_from_msg(message).velocities is None
    message.points[0].velocities = [0.0, 0.5]
    converted = trajectory_from_msg(message)
    assert converted.velocities is not None
    assert converted.times_s == pytest.approx([0.2])


@pytest.mark.parametrize('positions', [[], [0.0], [0.0, 1.0, 2.0]])
def test_a_trajectory_of_another_length_than_its_names_is_refused(positions: list[float]) -> None:
    with pytest.raises(ValueError, match='for 2 joints'):
        trajectory_from_msg(trajectory(['a', 'b'], positions))


def test_a_trajectory_without_points_is_refused() -> None:
    with pytest.raises(ValueError, match='at least one point'):
        trajectory_from_msg(JointTrajectory(joint_names=['a']))


def trajectory(joints: Any, positions: list[float]) -> JointTrajectory:
    from builtin_interfaces.msg import Duration
    from trajectory_msgs.msg import JointTrajectoryPoint

    point = JointTrajectoryPoint(positions=positions, time_from_start=Duration(sec=0, nanosec=200_000_000))
    return JointTrajectory(joint_names=list(joints), points=[point])


def _of(message: JointState, names: tuple[str, ...]) -> list[float]:
    positions = dict(zip(message.name, message.position, strict=True))
    return [positions[name] for name in names]
