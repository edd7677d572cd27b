"""Broadcasts the frame of the grasp that is planned on tf, if tf2_ros is installed."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode
from std_msgs.msg import Header

from action_node.shown_grasp import GraspFrame

PERIOD_S = 0.1
"""Wall time between two broadcasts, so that tf knows the frame at any stamp while it is shown."""


class GraspDisplay:
    """Broadcasts the frame that it is given, with the present stamp, until it is given another one or None.

    Whoever gives a frame only leaves it here; a timer sends it. If tf2_ros cannot be imported, this is logged once and
    there is no timer.
    """

    def __init__(self, node: LifecycleNode, load: Callable[[str], Any] = import_module) -> None:
        """`load`: imports a module by its name."""
        self._node = node
        self._frame: GraspFrame | None = None
        try:
            tf = load('tf2_ros')
        except ImportError as error:
            node.get_logger().info(
                f'frames of grasps (optional) are not published: tf2_ros cannot be imported: {error}'
            )
            self._broadcaster = None
            return
        self._broadcaster = tf.TransformBroadcaster(node)
        self._timer = node.create_timer(
            PERIOD_S, self.broadcast, MutuallyExclusiveCallbackGroup(), Clock(clock_type=ClockType.STEADY_TIME)
        )

    def show(self, frame: GraspFrame | None) -> None:
        """Broadcasts a frame from now on; None: nothing."""
        self._frame = frame

    def broadcast(self) -> None:
        """Sends the frame once more. Never raises, because a display must not end the node."""
        frame = self._frame
        if frame is None or self._broadcaster is None:
            return
        try:
            self._broadcaster.sendTransform([grasp_to_msg(frame, self._node.get_clock().now().to_msg())])
        except Exception as error:  # noqa: BLE001 - see above
            # While a node ends, its publishers may be gone before its timers.
            if self._node.context.ok():
                self._node.get_logger().warning(f'{frame.name} is not broadcast: {error}', throttle_duration_sec=5.0)

    def destroy(self) -> None:
        """Destroys timer and publisher."""
        if self._broadcaster is not None:
            self._node.destroy_timer(self._timer)
            self._node.destroy_publisher(self._broadcaster.pub_tf)
            self._broadcaster = None


def grasp_to_msg(frame: GraspFrame, stamp: Time) -> TransformStamped:
    """A frame as a message with a stamp."""
    x, y, z = frame.pose.position_m
    qx, qy, qz, qw = frame.pose.orientation_xyzw
    made = TransformStamped(header=Header(stamp=stamp, frame_id=frame.parent), child_frame_id=frame.name)
    made.transform.translation = Vector3(x=x, y=y, z=z)
    made.transform.rotation = Quaternion(x=qx, y=qy, z=qz, w=qw)
    return made
