"""The camera's pose according to tf at the stamp of an image, if tf2_ros is installed."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode
from rclpy.time import Time as RosTime

from lucca_core.errors import PerceptionError
from perception_node.camera_pose import CameraPose, pose_from_numbers


class CameraFrames:
    """Asks tf for the camera's pose in a frame.

    There is no pose without tf2_ros, or until tf knows the camera's frame; both are logged once. From then on, an image
    without a pose is refused, because the camera may have moved.
    """

    def __init__(
        self, node: LifecycleNode, world_frame: str, wait_s: float, load: Callable[[str], Any] = import_module
    ) -> None:
        """`wait_s`: longest wait for the pose of one image; `load`: imports a module by its name."""
        self._node = node
        self._world_frame = world_frame
        self._wait = Duration(nanoseconds=int(wait_s * 1e9))
        self._known: set[str] = set()
        self._said: set[str] = set()
        try:
            self._tf: Any = load('tf2_ros')
        except ModuleNotFoundError:
            self._tf = None
            self._say_once('tf2_ros is not installed (sudo apt install ros-jazzy-tf2-ros-py)')
            return
        self._buffer = self._tf.Buffer(node=node)
        self._listener = self._tf.TransformListener(self._buffer, node)

    def pose_at(self, camera_frame: str, stamp: Time) -> CameraPose | None:
        """The pose of a camera's optical frame at a stamp; None if tf does not know the frame.

        Raises:
            PerceptionError: tf knows the frame, but has no pose of it at that stamp, or the pose cannot be used.
        """
        if self._tf is None:
            return None
        try:
            found = self._buffer.lookup_transform(self._world_frame, camera_frame, RosTime.from_msg(stamp), self._wait)
        except self._tf.TransformException as error:
            if camera_frame in self._known or isinstance(error, self._tf.ExtrapolationException):
                raise PerceptionError(
                    f'tf has no pose of {camera_frame} at the stamp of the picture: {error}'
                ) from error
            self._say_once(f'tf does not know {camera_frame} in {self._world_frame}')
            return None
        move, turn = found.transform.translation, found.transform.rotation
        try:
            pose = pose_from_numbers((move.x, move.y, move.z, turn.x, turn.y, turn.z, turn.w))
        except ValueError as error:
            raise PerceptionError(f'tf has an invalid pose of {camera_frame}: {error}') from error
        self._known.add(camera_frame)
        return pose

    def destroy(self) -> None:
        """Stops listening to tf."""
        if self._tf is not None:
            self._listener.unregister()
            self._node.destroy_service(self._buffer.srv)

    def _say_once(self, what: str) -> None:
        if what not in self._said:
            self._said.add(what)
            self._node.get_logger().warning(f"{what}: the camera's pose is taken from the settings")
