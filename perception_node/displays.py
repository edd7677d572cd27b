"""Messages for displays in other programs: markers, detections and frames, if their packages are installed."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseWithCovariance, Quaternion, TransformStamped, Vector3
from rclpy.lifecycle import LifecycleNode
from std_msgs.msg import ColorRGBA, Header

from lucca_core.protocol.snapshots import Snapshot, TableObject

MARKERS, DETECTIONS = 'perception/markers', 'perception/detections'
SEEN, BELIEVED = ColorRGBA(r=0.2, g=0.6, b=1.0, a=0.6), ColorRGBA(r=0.6, g=0.6, b=0.6, a=0.3)
_LETTERS_M = 0.03


class Displays:
    """Publishes visualization_msgs/MarkerArray, vision_msgs/Detection3DArray, and frames by tf2_ros.

    If a package cannot be imported, this is logged once and its messages are left out.
    """

    def __init__(self, node: LifecycleNode, load: Callable[[str], Any] = import_module) -> None:
        """`load`: imports a module by its name."""
        self._node = node
        self._markers = self._loaded(load, 'visualization_msgs.msg', MARKERS)
        self._detections = self._loaded(load, 'vision_msgs.msg', DETECTIONS)
        frames = self._loaded(load, 'tf2_ros', 'frames of objects')
        self._to_markers = self._publisher(self._markers, 'MarkerArray', MARKERS)
        self._to_detections = self._publisher(self._detections, 'Detection3DArray', DETECTIONS)
        self._broadcaster = frames.TransformBroadcaster(node) if frames else None

    def publish(self, snapshot: Snapshot, stamp: Time) -> None:
        """Publishes a snapshot if somebody listens; frames are always published."""
        header = Header(stamp=stamp, frame_id=snapshot.frame_id)
        if self._to_markers is not None and self._to_markers.get_subscription_count():
            self._to_markers.publish(markers_of(self._markers, snapshot, header))
        if self._to_detections is not None and self._to_detections.get_subscription_count():
            self._to_detections.publish(detections_of(self._detections, snapshot, header))
        if self._broadcaster is not None and snapshot.objects:
            self._broadcaster.sendTransform([frame_of(item, header) for item in snapshot.objects])

    def destroy(self) -> None:
        """Destroys the publishers."""
        for publisher in (self._to_markers, self._to_detections):
            if publisher is not None:
                self._node.destroy_lifecycle_publisher(publisher)

    def _loaded(self, load: Callable[[str], Any], module: str, what: str) -> Any:
        try:
            return load(module)
        except ImportError as error:
            package = module.partition('.')[0]
            self._node.get_logger().info(f'{what} (optional) are not published: {package} cannot be imported: {error}')
            return None

    def _publisher(self, messages: Any, kind: str, topic: str) -> Any:
        return None if messages is None else self._node.create_lifecycle_publisher(getattr(messages, kind), topic, 1)


def markers_of(messages: Any, snapshot: Snapshot, header: Header) -> Any:
    """A box and a name for each object, after a marker that deletes old ones. `messages`: visualization_msgs.msg."""
    marker = messages.Marker
    found = [marker(header=header, action=marker.DELETEALL)]
    for number, item in enumerate(snapshot.objects):
        x, y, z = item.pose_world.position_m
        colour = SEEN if item.visible else BELIEVED
        found.append(
            marker(
                header=header,
                ns='objects',
                id=number,
                type=marker.CUBE,
                action=marker.ADD,
                pose=pose_of(item),
                scale=_vector(item.size_m),
                color=colour,
            )
        )
        found.append(
            marker(
                header=header,
                ns='names',
                id=number,
                type=marker.TEXT_VIEW_FACING,
                action=marker.ADD,
                pose=Pose(position=Point(x=x, y=y, z=z + item.size_m[2])),
                scale=Vector3(z=_LETTERS_M),
                color=ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0),
                text=item.name,
            )
        )
    return messages.MarkerArray(markers=found)


def detections_of(messages: Any, snapshot: Snapshot, header: Header) -> Any:
    """A detection for each visible object, with our id, and its label as class. `messages`: vision_msgs.msg."""
    return messages.Detection3DArray(
        header=header,
        detections=[
            messages.Detection3D(
                header=header,
                id=item.object_id,
                bbox=messages.BoundingBox3D(center=pose_of(item), size=_vector(item.size_m)),
                results=[
                    messages.ObjectHypothesisWithPose(
                        hypothesis=messages.ObjectHypothesis(class_id=item.label, score=float(item.score)),
                        pose=PoseWithCovariance(pose=pose_of(item)),
                    )
                ],
            )
            for item in snapshot.objects
            if item.visible
        ],
    )


def frame_of(item: TableObject, header: Header) -> TransformStamped:
    """The frame `object/ID` at an object's centre, relative to the frame of the header."""
    pose = pose_of(item)
    made = TransformStamped(header=header, child_frame_id=f'object/{item.object_id}')
    made.transform.translation = _vector(item.pose_world.position_m)
    made.transform.rotation = pose.orientation
    return made


def pose_of(item: TableObject) -> Pose:
    """An object's pose as a message."""
    x, y, z = item.pose_world.position_m
    qx, qy, qz, qw = item.pose_world.orientation_xyzw
    return Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw))


def _vector(values: tuple[float, float, float]) -> Vector3:
    x, y, z = values
    return Vector3(x=x, y=y, z=z)
