"""The camera's pose from tf, with a buffer that answers as tf2_ros documents it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3

from lucca_core.errors import PerceptionError
from perception_node.camera_frames import CameraFrames

pytestmark = pytest.mark.ros
STAMP = Time(sec=12, nanosec=500)
FRAME = 'camera_color_optical_frame'


class TransformException(Exception):
    """Of tf2_ros."""


class LookupException(TransformException):
    """A frame that nobody has named."""


class ExtrapolationException(TransformException):
    """A frame that is known at other times."""


class FakeBuffer:
    """Answers with what it is given, and keeps what it was asked."""

    def __init__(self, node: Any) -> None:
        self.srv = 'tf2_frames'
        self.answer: TransformStamped | Exception = LookupException('unknown')
        self.asked: list[tuple[str, str, int]] = []

    def lookup_transform(self, target: str, source: str, time: Any, timeout: Any) -> TransformStamped:
        self.asked.append((target, source, time.nanoseconds))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class FakeNode:
    """A node that keeps what it was told to say and to destroy."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.destroyed: list[Any] = []

    def get_logger(self) -> Any:
        return SimpleNamespace(warning=self.said.append)

    def destroy_service(self, service: Any) -> None:
        self.destroyed.append(service)


def frames(node: FakeNode) -> tuple[CameraFrames, FakeBuffer]:
    made: list[FakeBuffer] = []

    def buffer(node: Any) -> FakeBuffer:
        made.append(FakeBuffer(node))
        return made[-1]

    listener = SimpleNamespace(unregister=lambda: node.destroyed.append('listener'))
    module = SimpleNamespace(
        Buffer=buffer,
        TransformListener=lambda buffer, node: listener,
        TransformException=TransformException,
        ExtrapolationException=ExtrapolationException,
    )
    return CameraFrames(node, 'world', 0.1, lambda name: module), made[0]  # type: ignore[arg-type]


def at(x: float, turn: tuple[float, float, float, float]) -> TransformStamped:
    found = TransformStamped()
    found.transform.translation = Vector3(x=x, y=0.2, z=1.5)
    found.transform.rotation = Quaternion(x=turn[0], y=turn[1], z=turn[2], w=turn[3])
    return found


def test_the_pose_is_asked_for_at_the_stamp_of_the_picture_from_camera_to_world() -> None:
    camera, buffer = frames(FakeNode())
    buffer.answer = at(0.3, (0.0, 0.0, 1.0, 0.0))
    pose = camera.pose_at(FRAME, STAMP)
    assert buffer.asked == [('world', FRAME, 12_000_000_500)]
    assert pose is not None
    np.testing.assert_allclose(pose.position_m, (0.3, 0.2, 1.5))
    np.testing.assert_allclose(pose.rotation, np.diag([-1.0, -1.0, 1.0]), atol=1e-12)


def test_until_tf_knows_the_frame_there_is_no_pose_and_one_line_says_so() -> None:
    node = FakeNode()
    camera, _ = frames(node)
    assert [camera.pose_at(FRAME, STAMP) for _ in range(3)] == [None] * 3
    assert node.said == [f"tf does not know {FRAME} in world: the camera's pose is taken from the settings"]


def test_a_frame_that_was_known_is_not_guessed() -> None:
    """Where tf falls silent the head may have moved: the picture is refused."""
    camera, buffer = frames(FakeNode())
    buffer.answer = at(0.3, (0.0, 0.0, 0.0, 1.0))
    camera.pose_at(FRAME, STAMP)
    for error in (LookupException('cleared'), ExtrapolationException('into the future')):
        buffer.answer = error
        with pytest.raises(PerceptionError, match='tf has no pose of camera_color_optical_frame at the stamp'):
            camera.pose_at(FRAME, STAMP)


def test_a_frame_that_is_known_at_other_times_is_not_guessed_either() -> None:
    camera, buffer = frames(FakeNode())
    buffer.answer = ExtrapolationException('into the past')
    with pytest.raises(PerceptionError, match='into the past'):
        camera.pose_at(FRAME, STAMP)


def test_a_rotation_that_is_none_is_refused() -> None:
    camera, buffer = frames(FakeNode())
    buffer.answer = at(0.3, (0.0, 0.0, 0.0, 0.0))
    with pytest.raises(PerceptionError, match='invalid pose'):
        camera.pose_at(FRAME, STAMP)


def test_without_tf2_ros_there_is_no_pose_and_one_line_says_what_to_install() -> None:
    node = FakeNode()

    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name=name)

    camera = CameraFrames(node, 'world', 0.1, missing)  # type: ignore[arg-type]
    assert camera.pose_at(FRAME, STAMP) is None
    assert camera.pose_at(FRAME, STAMP) is None
    (said,) = node.said
    assert 'sudo apt install ros-jazzy-tf2-ros-py' in said
    camera.destroy()
    assert node.destroyed == []


def test_it_leaves_nothing_behind() -> None:
    node = FakeNode()
    camera, _ = frames(node)
    camera.destroy()
    assert node.destroyed == ['listener', 'tf2_frames']
