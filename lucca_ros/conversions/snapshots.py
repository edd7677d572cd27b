"""Conversion of snapshots of the table, as perception publishes them."""

import math
import threading
from collections import OrderedDict
from typing import Any

from geometry_msgs.msg import Point, Quaternion, Vector3
from geometry_msgs.msg import Pose as PoseMsg
from lucca_interfaces.msg import Container as ContainerMsg
from lucca_interfaces.msg import TableObject as TableObjectMsg
from lucca_interfaces.msg import TableState

from lucca_core.protocol.snapshots import Container, Pose, Snapshot, TableObject
from lucca_ros.conversions.conversion import Conversion, Field, mirrored, nested
from lucca_ros.conversions.stamps import seconds, time_from_msg, time_to_msg


def _numbers(msg_type: Any, axes: str, value_name: str) -> Field:
    """A field that holds a message of numbers; in the value, it is a tuple. Each number has to be finite."""

    def to_msg(numbers: tuple[float, ...]) -> Any:
        return msg_type(**dict(zip(axes, numbers, strict=True)))

    def from_msg(msg: Any) -> tuple[float, ...]:
        numbers = tuple(getattr(msg, axis) for axis in axes)
        if not all(map(math.isfinite, numbers)):
            raise ValueError(f'{value_name} has a number that is not finite: {numbers}')
        return numbers

    return Field(to_msg, from_msg, value_name)


def _needed(name: str) -> Field:
    """A text that must not be empty."""

    def from_msg(text: str) -> str:
        if not text:
            raise ValueError(f'{name} is empty')
        return text

    return Field(from_msg=from_msg)


# The frame of all poses is in the header of the snapshot.
POSE = mirrored(
    Pose,
    PoseMsg,
    {
        'position': _numbers(Point, 'xyz', 'position_m'),
        'orientation': _numbers(Quaternion, 'xyzw', 'orientation_xyzw'),
    },
)
OBJECT = mirrored(
    TableObject,
    TableObjectMsg,
    {
        'object_id': _needed('object_id'),
        'name': _needed('name'),
        'pose': nested(POSE, 'pose_world'),
        'size': _numbers(Vector3, 'xyz', 'size_m'),
        'last_seen': seconds('last_seen_s'),
    },
    called='object',
)
CONTAINER = mirrored(
    Container,
    ContainerMsg,
    {
        'name': _needed('name'),
        'position': _numbers(Point, 'xyz', 'position_world_m'),
        'size': _numbers(Vector3, 'xyz', 'size_m'),
    },
    called='container',
)

_MOST_KEPT = 16
_received: OrderedDict[int, tuple[Snapshot, TableState]] = OrderedDict()
"""The newest snapshots received, by id, with their messages, so that passing one on does not encode it again.

While a snapshot is kept, no other object can get its id.
"""
_receiving = threading.Lock()


def snapshot_to_msg(value: Snapshot) -> TableState:
    """The message of a snapshot: the one in which it arrived, if that was recently. It must not be changed."""
    if (known := _received.get(id(value))) is not None:
        return known[1]
    msg = TableState(
        objects=[OBJECT.to_msg(item) for item in value.objects],
        containers=[CONTAINER.to_msg(item) for item in value.containers],
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
        objects=tuple(map(OBJECT.from_msg, msg.objects)),
        containers=tuple(map(CONTAINER.from_msg, msg.containers)),
        vocabulary=tuple(msg.vocabulary),
        processing_s=msg.processing_s,
    )
    with _receiving:
        _received[id(value)] = value, msg
        if len(_received) > _MOST_KEPT:
            _received.popitem(last=False)
    return value


SNAPSHOT = Conversion(Snapshot, TableState, snapshot_to_msg, snapshot_from_msg)
