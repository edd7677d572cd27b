"""The frame of a grasp on tf: sent while it is shown, with fresh stamps; without tf2_ros, one line says so."""

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('rclpy')

import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from node_rig import PEAR, Rig
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from std_msgs.msg import Empty

from action_node import grasp_display
from action_node.grasp_display import GraspDisplay, grasp_to_msg
from action_node.shown_grasp import GraspFrame
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import Pose
from lucca_ros.spinning import SpinThread

pytestmark = pytest.mark.ros
FRAME = GraspFrame('grasp/a1-7', 'world', Pose((0.4, -0.2, 0.9), (0.0, 0.6, 0.0, 0.8)))


class Broadcaster:
    """Stands for that of tf2_ros, whose publisher is `pub_tf`. `fails`: it raises."""

    def __init__(self, node: LifecycleNode) -> None:
        self.pub_tf = node.create_publisher(Empty, 'tf', 1)
        self.sent: list[TransformStamped] = []
        self.fails = False

    def sendTransform(self, frames: list[TransformStamped]) -> None:  # noqa: N802 - tf2's name
        if self.fails:
            raise RuntimeError('no more room')
        self.sent += frames


def with_tf(module: str) -> Any:
    assert module == 'tf2_ros'
    return SimpleNamespace(TransformBroadcaster=Broadcaster)


def until(condition: Callable[[], bool]) -> None:
    deadline_s, pause = time.monotonic() + 20.0, threading.Event()
    while not condition():
        assert time.monotonic() < deadline_s, 'the condition did not come about in time'
        pause.wait(0.01)


@pytest.fixture
def node() -> Iterator[LifecycleNode]:
    context = Context()
    rclpy.init(context=context)
    node = LifecycleNode('action', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    spinning = SpinThread(executor)
    spinning.start()
    yield node
    spinning.close()
    node.destroy_node()
    context.try_shutdown()


def test_the_message_has_the_pose_and_the_frames() -> None:
    made = grasp_to_msg(FRAME, Time(sec=12, nanosec=500))
    assert (made.header.frame_id, made.child_frame_id, made.header.stamp.nanosec) == ('world', 'grasp/a1-7', 500)
    assert (made.transform.translation.y, made.transform.translation.z) == (-0.2, 0.9)
    assert (made.transform.rotation.y, made.transform.rotation.w) == (0.6, 0.8)


def test_a_frame_is_sent_again_and_again_while_it_is_shown(node: LifecycleNode) -> None:
    display = GraspDisplay(node, with_tf)
    sent = display._broadcaster.sent
    display.show(FRAME)
    until(lambda: len(sent) >= 3)
    display.show(None)
    pause = threading.Event()
    pause.wait(2 * grasp_display.PERIOD_S)
    count = len(sent)
    pause.wait(4 * grasp_display.PERIOD_S)
    assert len(sent) == count
    stamps = [(frame.header.stamp.sec, frame.header.stamp.nanosec) for frame in sent]
    assert stamps == sorted(set(stamps))
    assert {frame.child_frame_id for frame in sent} == {'grasp/a1-7'}
    display.destroy()
    until(lambda: node.count_publishers('tf') == 0)
    display.broadcast()


def test_a_broadcast_that_fails_does_not_end_the_node(node: LifecycleNode) -> None:
    display = GraspDisplay(node, with_tf)
    broadcaster = display._broadcaster
    broadcaster.fails = True
    display.show(FRAME)
    display.broadcast()
    broadcaster.fails = False
    until(lambda: bool(broadcaster.sent))


@pytest.mark.parametrize('error', [ModuleNotFoundError, ImportError])
def test_without_tf2_ros_one_line_says_so_and_nothing_else_happens(
    node: LifecycleNode, monkeypatch: pytest.MonkeyPatch, error: type[ImportError]
) -> None:
    said: list[str] = []
    monkeypatch.setattr(node, 'get_logger', lambda: SimpleNamespace(info=said.append))
    reason = 'no libtf2'

    def unusable(_: str) -> Any:
        raise error(reason)

    display = GraspDisplay(node, unusable)
    for frame in (FRAME, None, FRAME):
        display.show(frame)
        display.broadcast()
    display.destroy()
    assert said == [f'frames of grasps (optional) are not published: tf2_ros cannot be imported: {reason}']


def test_the_node_broadcasts_the_grasp_of_its_plan_while_it_moves(
    new_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('action_node.node.GraspDisplay', lambda node: GraspDisplay(node, with_tf))
    rig = new_rig()
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    sent = rig.node._grasp_display._broadcaster.sent
    assert {(frame.header.frame_id, frame.child_frame_id) for frame in sent} == {('world', f'grasp/{PEAR}')}
    count = len(sent)
    threading.Event().wait(3 * grasp_display.PERIOD_S)
    assert len(sent) <= count + 1
    assert rig.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert rig.node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
    until(lambda: rig.helper.count_publishers('tf') == 0)
