"""Conversion of snapshots of the table, as perception publishes them."""

import math
import threading
from collections import OrderedDict

from geometry_msgs.msg import Point, Quaternion, Vector3
from geometry_msgs.msg import Pose as PoseMsg
from lucca_interfaces.msg import Container as ContainerMsg
from lucca_interfaces.msg import TableObject as TableObjectMsg
from lucca_interfaces.msg import TableState

from lucca_core.protocol.snapshots import Container, Pose, Snapshot, TableObject
from lucca_ros.conversions.conversion import Conversion
from lucca_ros.conversions.stamps import time_from_msg, time_to_msg


def pose_to_msg(pose: Pose) -> PoseMsg:
    """Converts a pose; its frame is in the enclosing header."""
    x, y, z = pose.position_m
    qx, qy, qz, qw = pose.orientation_xyzw
    return PoseMsg(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw))


def pose_from_msg(msg: PoseMsg) -> Pose:
    """The pose of a message.

    Raises:
        ValueError: a number is not finite.
    """
    p, q = msg.position, msg.orientation
    numbers = (p.x, p.y, p.z, q.x, q.y, q.z, q.w)
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f'pose has a number that is not finite: {numbers}')
    return Pose((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def object_to_msg(value: TableObject) -> TableObjectMsg:
    """Converts one perceived object."""
    x, y, z = value.size_m
    return TableObjectMsg(
        object_id=value.object_id,
        name=value.name,
        label=value.label,
        attributes=list(value.attributes),
        score=float(value.score),
        box_px=list(value.box_px),
        pose=pose_to_msg(value.pose_world),
        size=Vector3(x=x, y=y, z=z),
        container=value.container,
        visible=value.visible,
        inferred=value.inferred,
        last_seen=time_to_msg(value.last_seen_s),
    )


def object_from_msg(msg: TableObjectMsg) -> TableObject:
    """The object of a message.

    Raises:
        ValueError: the id or name is empty, or a number is not finite.
    """
    if not msg.object_id or not msg.name:
        raise ValueError(f'an object needs an id and a name, got {msg.object_id!r} and {msg.name!r}')
    return TableObject(
        object_id=msg.object_id,
        name=msg.name,
        label=msg.label,
        attributes=tuple(msg.attributes),
        score=msg.score,
        box_px=(int(msg.box_px[0]), int(msg.box_px[1]), int(msg.box_px[2]), int(msg.box_px[3])),
        pose_world=pose_from_msg(msg.pose),
        size_m=(msg.size.x, msg.size.y, msg.size.z),
        container=msg.container,
        visible=msg.visible,
        inferred=msg.inferred,
        last_seen_s=time_from_msg(msg.last_seen),
    )


def container_to_msg(value: Container) -> ContainerMsg:
    """Converts one perceived container."""
    x, y, z = value.position_world_m
    sx, sy, sz = value.size_m
    return ContainerMsg(
        name=value.name,
        position=Point(x=x, y=y, z=z),
        size=Vector3(x=sx, y=sy, z=sz),
        visible=value.visible,
        contents=list(value.contents),
    )


def container_from_msg(msg: ContainerMsg) -> Container:
    """The container of a message.

    Raises:
        ValueError: the name is empty or the position is not finite.
    """
    position = (msg.position.x, msg.position.y, msg.position.z)
    if not msg.name or not all(map(math.isfinite, position)):
        raise ValueError(f'a container needs a name and a finite position, got {msg.name!r} at {position}')
    return Container(
        name=msg.name,
        position_world_m=position,
        size_m=(msg.size.x, msg.size.y, msg.size.z),
        visible=msg.visible,
        contents=tuple(msg.contents),
    )


class _Messages:
    """The messages of the newest snapshots received, so that passing a snapshot on does not encode it again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[int, tuple[Snapshot, TableState]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, value: Snapshot, msg: TableState) -> None:
        """Keeps a message with its snapshot. While the snapshot is kept, no other object can get its id."""
        with self._lock:
            self._known[id(value)] = value, msg
            if len(self._known) > self._most:
                self._known.popitem(last=False)

    def of(self, value: Snapshot) -> TableState | None:
        """The message in which this very snapshot arrived; None if it did not arrive recently."""
        with self._lock:
            known = self._known.get(id(value))
        return known[1] if known is not None else None


_MESSAGES = _Messages(most=16)


def snapshot_to_msg(value: Snapshot) -> TableState:
    """The message of a snapshot: the one in which it arrived, if that was recently. It must not be changed."""
    if (msg := _MESSAGES.of(value)) is not None:
        return msg
    msg = TableState(
        objects=[object_to_msg(item) for item in value.objects],
        containers=[container_to_msg(item) for item in value.containers],
        vocabulary=list(value.vocabulary),
        processing_s=float(value.processing_s),
    )
    msg.header.stamp = time_to_msg(value.stamp_s)
    msg.header.frame_id = value.frame_id
    return msg


def snapshot_from_msg(msg: TableState) -> Snapshot:
    """The snapshot of a message.

    Raises:
        ValueError: a number is not finite, an id or name is empty, or two objects have the same name.
    """
    value = Snapshot(
        stamp_s=time_from_msg(msg.header.stamp),
        frame_id=msg.header.frame_id,
        objects=tuple(object_from_msg(item) for item in msg.objects),
        containers=tuple(container_from_msg(item) for item in msg.containers),
        vocabulary=tuple(msg.vocabulary),
        processing_s=msg.processing_s,
    )
    _MESSAGES.add(value, msg)
    return value


POSE = Conversion(Pose, PoseMsg, pose_to_msg, pose_from_msg)
OBJECT = Conversion(TableObject, TableObjectMsg, object_to_msg, object_from_msg)
CONTAINER = Conversion(Container, ContainerMsg, container_to_msg, container_from_msg)
SNAPSHOT = Conversion(Snapshot, TableState, snapshot_to_msg, snapshot_from_msg)
