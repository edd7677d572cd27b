"""What other programs are shown: the same objects at the same places, and one line for each package that is missing."""

from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('rclpy')

import rclpy
from builtin_interfaces.msg import Time
from rclpy.context import Context
from rclpy.lifecycle import LifecycleNode
from std_msgs.msg import Header

from lucca_core.protocol.snapshots import Pose, Snapshot, TableObject
from perception_node.displays import BELIEVED, Displays, detections_of, frame_of, markers_of, pose_of

pytestmark = pytest.mark.ros
STAMP = Time(sec=12, nanosec=500)
HEADER = Header(stamp=STAMP, frame_id='world')
PEAR = TableObject(
    object_id='a1-7',
    name='pear',
    label='pear',
    score=0.75,
    pose_world=Pose((0.4, -0.2, 0.83), (0.0, 0.0, 0.6, 0.8)),
    size_m=(0.09, 0.058, 0.06),
)
HIDDEN = TableObject(object_id='a1-8', name='cup', label='cup', visible=False)
SNAPSHOT = Snapshot(stamp_s=12.0, objects=(PEAR, HIDDEN))


def test_markers_are_boxes_with_names_after_one_that_clears() -> None:
    messages = pytest.importorskip('visualization_msgs.msg')
    first, *rest = markers_of(messages, SNAPSHOT, HEADER).markers
    assert first.action == messages.Marker.DELETEALL
    boxes = [marker for marker in rest if marker.ns == 'objects']
    assert [(box.pose.position.x, box.scale.x) for box in boxes] == [(0.4, 0.09), (0.0, 0.05)]
    assert boxes[1].color == BELIEVED
    assert [marker.text for marker in rest if marker.ns == 'names'] == ['pear', 'cup']
    assert all(marker.header == HEADER for marker in rest)
    assert len({(marker.ns, marker.id) for marker in rest}) == len(rest)


def test_detections_hold_what_is_seen_with_label_score_and_box() -> None:
    """vision_msgs is on no registry: its messages stand here as plain values with the fields of their definitions."""
    names = ('Detection3DArray', 'Detection3D', 'BoundingBox3D', 'ObjectHypothesisWithPose', 'ObjectHypothesis')
    made = detections_of(SimpleNamespace(**dict.fromkeys(names, SimpleNamespace)), SNAPSHOT, HEADER)
    (pear,) = made.detections
    assert (made.header, pear.header, pear.id) == (HEADER, HEADER, 'a1-7')
    assert (pear.results[0].hypothesis.class_id, pear.results[0].hypothesis.score) == ('pear', 0.75)
    assert (pear.bbox.center.orientation.z, pear.bbox.size.z) == (0.6, 0.06)
    # Many programs read the pose from the hypothesis, and not from the box.
    assert pear.results[0].pose.pose == pear.bbox.center == pose_of(PEAR)


def test_the_frame_of_an_object_is_where_it_is() -> None:
    made = frame_of(PEAR, HEADER)
    assert (made.header.frame_id, made.child_frame_id) == ('world', 'object/a1-7')
    assert (made.transform.translation.y, made.transform.rotation.w) == (-0.2, 0.8)


@pytest.fixture
def node() -> Iterator[LifecycleNode]:
    context = Context()
    rclpy.init(context=context)
    node = LifecycleNode('perception', context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


def test_each_missing_package_is_said_once_and_the_rest_is_published(
    node: LifecycleNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(node, 'get_logger', lambda: SimpleNamespace(info=said.append))
    sent: list[Any] = []

    class Broadcaster:
        def __init__(self, of: LifecycleNode) -> None:
            assert of is node

        def sendTransform(self, frames: list[Any]) -> None:  # noqa: N802 - tf2's name
            sent.extend(frames)

    def load(module: str) -> Any:
        if module == 'tf2_ros':
            return SimpleNamespace(TransformBroadcaster=Broadcaster)
        if module == 'vision_msgs.msg':
            raise ImportError('its library does not load')
        return import_module(module)

    displays = Displays(node, load)
    for _ in range(2):
        displays.publish(SNAPSHOT, STAMP)
    assert said == [
        'perception/detections (optional) are not published: vision_msgs cannot be imported: its library does not load'
    ]
    assert [frame.child_frame_id for frame in sent] == ['object/a1-7', 'object/a1-8'] * 2
    displays.destroy()
