"""The node over real DDS: images in, objects out; and what it says when there are none."""

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import SetVocabulary
from perception_fakes import FakeDetector
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState

from lucca_ros.conversions.images import image_to_msg
from lucca_ros.conversions.stamps import time_to_msg
from lucca_ros.spinning import SpinThread
from lucca_sim.conversions import camera_info_to_msg, joint_state_to_msg
from perception_node.config import PerceptionConfig
from perception_node.conversions import rgb_from_msg
from perception_node.detectors.detector_spec import make_detector
from perception_node.node import PerceptionNode

pytestmark = pytest.mark.ros
DEADLINE_S = 20.0


class Bench:
    """A perception node, and a peer that is its camera, its robot and its listener."""

    def __init__(self, make_detector=make_detector, **parameters) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.node = PerceptionNode(make_detector, context=self.context, parameter_overrides=overrides)
        self.peer = Node('peer', context=self.context)
        self.colour = self.peer.create_publisher(Image, 'camera/color/image_raw', 2)
        self.depth = self.peer.create_publisher(Image, 'camera/depth/image_raw', 2)
        self.info = self.peer.create_publisher(CameraInfo, 'camera/color/camera_info', 2)
        self.joints = self.peer.create_publisher(JointState, 'joint_states', 10)
        self.states: list[TableState] = []
        self.pictures: list[Image] = []
        self.packed_pictures: list[CompressedImage] = []
        self.statuses: list[DiagnosticStatus] = []
        self.peer.create_subscription(TableState, 'perception/objects', self.states.append, 10)
        self.peer.create_subscription(DiagnosticArray, 'diagnostics', lambda m: self.statuses.extend(m.status), 10)
        self.vocabulary = self.peer.create_client(SetVocabulary, 'perception/set_vocabulary')
        self.executor = MultiThreadedExecutor(num_threads=3, context=self.context)
        self.executor.add_node(self.node)
        self.executor.add_node(self.peer)
        self.spinning = SpinThread(self.executor)
        self.spinning.start()

    def start(self) -> None:
        assert self.node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert self.node.trigger_activate() == TransitionCallbackReturn.SUCCESS

    def listen_to_pictures(self) -> None:
        self.peer.create_subscription(Image, 'perception/annotated', self.pictures.append, 1)

    def listen_to_packed_pictures(self) -> None:
        self.peer.create_subscription(
            CompressedImage, 'perception/annotated/compressed', self.packed_pictures.append, 1
        )

    def publish(self, table, *, joints: bool = True, images: bool = True, lag_s: float = 0.0) -> None:
        frame = table.frame()
        self.info.publish(camera_info_to_msg(table.table.camera_info, frame.stamp_s, 'camera'))
        if joints:
            velocities = table.table.joint_velocities()
            self.joints.publish(joint_state_to_msg(frame.stamp_s - lag_s, frame.joint_positions, velocities))
        if images:
            self.depth.publish(image_to_msg(frame.depth_m, frame.stamp_s, 'camera'))
            self.colour.publish(image_to_msg(frame.rgb, frame.stamp_s, 'camera'))

    def publish_until(self, done: Callable[[], bool], table, **kwargs) -> None:
        end = time.monotonic() + DEADLINE_S
        while not done():
            assert time.monotonic() < end, 'deadline passed'
            self.publish(table, **kwargs)
            self.until(done, 0.1)

    def until(self, done: Callable[[], bool], timeout_s: float = DEADLINE_S) -> bool:
        end = time.monotonic() + timeout_s
        pause = threading.Event()
        while not done() and time.monotonic() < end:
            pause.wait(0.01)
        return done()

    def ask(self, *labels: str) -> SetVocabulary.Response:
        assert self.vocabulary.wait_for_service(DEADLINE_S)
        future = self.vocabulary.call_async(SetVocabulary.Request(labels=list(labels)))
        assert self.until(future.done)
        return future.result()

    def close(self) -> None:
        self.spinning.close()
        self.node.destroy_node()
        self.peer.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def make_bench() -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def make(**parameters) -> Bench:
        made.append(Bench(**parameters))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


def test_what_the_camera_shows_is_published_with_the_stamp_of_the_image(make_bench, make_table):
    bench, table = make_bench(), make_table('pointing', 1)
    bench.start()
    bench.listen_to_pictures()
    bench.publish_until(lambda: bool(bench.states and bench.pictures), table)
    state = bench.states[-1]
    assert {item.name for item in state.objects} == set(table.truth())
    assert state.header.frame_id == 'world'
    stamps = [time_to_msg(0.1 * count) for count in range(1, 500)]
    assert any(abs(state.header.stamp.nanosec - item.nanosec) < 1000 for item in stamps)
    assert 0.0 < state.processing_s < 5.0
    assert (bench.pictures[-1].width, bench.pictures[-1].height) == (640, 480)


def test_who_subscribes_to_the_packed_picture_gets_the_same_as_jpeg(make_bench, make_table):
    bench, table = make_bench(annotated_rate_hz=0.001), make_table('pointing', 1)
    bench.listen_to_pictures()
    bench.listen_to_packed_pictures()
    bench.start()
    bench.publish_until(lambda: bool(bench.pictures and bench.packed_pictures), table)
    whole, packed = bench.pictures[0], bench.packed_pictures[0]
    assert packed.header == whole.header
    assert len(packed.data) < len(whole.data) / 10
    assert np.abs(rgb_from_msg(packed).astype(int) - rgb_from_msg(whole)).mean() < 5.0


def test_pictures_for_people_are_drawn_at_their_own_rate(make_bench, make_table):
    bench, table = make_bench(annotated_rate_hz=0.001), make_table('pointing', 1)
    bench.start()
    bench.listen_to_pictures()
    bench.publish_until(lambda: bool(bench.pictures), table)
    known = len(bench.states)
    bench.publish_until(lambda: len(bench.states) >= known + 3, table)
    assert len(bench.pictures) == 1


def test_without_images_nothing_is_published_and_diagnostics_say_so(make_bench, make_table):
    bench, table = make_bench(no_image_after_s=0.2), make_table('pointing', 1)
    bench.start()
    bench.publish(table, images=False)
    assert bench.until(lambda: any('no camera image for' in item.message for item in bench.statuses))
    assert bench.statuses[-1].level == DiagnosticStatus.ERROR
    assert bench.states == []


@pytest.mark.parametrize(
    ('sent', 'reason'), [({'joints': False}, 'no joint states'), ({'lag_s': 3.0}, 'joint states are 3')]
)
def test_without_fresh_joint_states_nothing_is_published_and_diagnostics_say_so(make_bench, make_table, sent, reason):
    bench, table = make_bench(), make_table('pointing', 1)
    bench.start()
    bench.publish_until(lambda: any(reason in item.message for item in bench.statuses), table, **sent)
    assert bench.states == []


def test_a_camera_at_another_height_is_told_and_nothing_published(make_bench, make_table):
    bench, table = make_bench(), make_table('pointing', 1, camera_offset_m=(0.0, 0.0, 0.1))
    bench.start()
    bench.publish_until(lambda: any('check camera_pose' in item.message for item in bench.statuses), table)
    assert bench.states == []


def test_the_vocabulary_can_be_set_and_unknown_words_are_refused(make_bench, make_table):
    bench, table = make_bench(), make_table('pointing', 1)
    bench.start()
    refused = bench.ask('pear', 'unicorn')
    assert not refused.success
    assert 'unknown: unicorn' in refused.message
    assert bench.ask('pear').success
    bench.publish_until(lambda: bool(bench.states), table)
    assert [item.label for item in bench.states[-1].objects] == ['pear']
    assert bench.states[-1].vocabulary == ['pear']


class SlowDetector(FakeDetector):
    """Looks as long as a test wants."""

    def __init__(self) -> None:
        super().__init__(labels=('pear', 'apple'))
        self.looking, self.go_on = threading.Event(), threading.Event()

    def detect(self, *args):
        self.looking.set()
        assert self.go_on.wait(DEADLINE_S)
        return super().detect(*args)


def test_a_slow_detector_drops_frames_and_blocks_nobody(make_bench, make_table):
    slow = SlowDetector()
    bench, table = make_bench(make_detector=lambda config: slow, no_image_after_s=30.0), make_table('pointing', 1)
    bench.start()
    bench.publish_until(slow.looking.is_set, table)
    # While it looks at the first: more frames, a service, diagnostics.

    def dropped() -> bool:
        return any(value.key == 'dropped' and value.value != '0' for s in bench.statuses for value in s.values)

    bench.publish_until(dropped, table)
    assert bench.ask('apple').success
    assert len(slow.asked) == 0
    slow.go_on.set()
    bench.publish_until(lambda: len(bench.states) >= 2, table)
    # The newest of those that waited came next, under the vocabulary that was set meanwhile.
    assert bench.states[0].vocabulary == ['pear', 'apple']
    assert bench.states[-1].vocabulary == ['apple']
    assert bench.states[1].header.stamp != bench.states[0].header.stamp


def test_every_message_says_the_vocabulary_that_it_was_made_with(make_bench, make_table):
    bench, table = make_bench(), make_table('pointing', 1)
    bench.start()
    bench.publish_until(lambda: bool(bench.states), table)
    assert set(bench.states[-1].vocabulary) >= {'pear', 'can', 'cube'}
    for words in (['pear'], ['can', 'pear'], []):
        assert bench.ask(*words).success
        wanted = words or list(make_detector(PerceptionConfig()).labels)
        bench.publish_until(lambda wanted=wanted: list(bench.states[-1].vocabulary) == wanted, table)


@pytest.mark.parametrize('spec', ['owlvit:/nowhere/model', 'vild:/nowhere/model', 'no such detector'])
def test_a_detector_that_cannot_be_made_fails_configuring_and_the_log_names_it(make_bench, spec, capfd):
    bench = make_bench(detector=spec)
    assert bench.node.trigger_configure() == TransitionCallbackReturn.FAILURE
    logged = capfd.readouterr().err
    assert spec.partition(':')[2] in logged
    assert 'is not a model folder' in logged or 'must be' in logged


def test_it_can_be_stopped_cleaned_up_and_started_again(make_bench, make_table):
    bench, table = make_bench(), make_table('pointing', 1)
    bench.start()
    assert bench.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert bench.node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
    bench.start()
    bench.publish_until(lambda: bool(bench.states), table)


def test_a_wrong_file_of_prototypes_fails_configuring(make_bench, tmp_path):
    file = tmp_path / 'objects.yaml'
    file.write_text('colours: 3\n', encoding='utf-8')
    bench = make_bench(objects_file=str(file))
    assert bench.node.trigger_configure() == TransitionCallbackReturn.FAILURE


def test_a_camera_and_joints_that_are_published_as_best_effort_are_heard_where_reliable_ones_are_asked_for(
    make_bench, make_table
):
    bench, table = make_bench(reliable_inputs=True), make_table('pointing', 1)
    sensor = QoSProfile(depth=2, reliability=ReliabilityPolicy.BEST_EFFORT)
    for name in ('colour', 'depth', 'info', 'joints'):
        before = getattr(bench, name)
        setattr(bench, name, bench.peer.create_publisher(before.msg_type, before.topic_name, sensor))
        bench.peer.destroy_publisher(before)
    bench.start()
    bench.publish_until(lambda: bool(bench.states), table)


def test_joints_of_two_publishers_out_of_step_are_one_robot(make_bench, make_table):
    bench, table = make_bench(), make_table('pointing', 1)
    bench.start()

    def publish(msg):
        for names, lag_ns in ((msg.name[::2], 0), (msg.name[1::2], 5_000_000)):
            part = JointState(name=list(names), position=[msg.position[msg.name.index(name)] for name in names])
            part.header.stamp = (Time.from_msg(msg.header.stamp) - Duration(nanoseconds=lag_ns)).to_msg()
            joints.publish(part)

    joints, bench.joints = bench.joints, SimpleNamespace(publish=publish)
    bench.publish_until(lambda: bool(bench.states), table)
    assert set(bench.node._joints[-1].positions) == set(table.frame().joint_positions)
