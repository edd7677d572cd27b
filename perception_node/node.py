"""The lifecycle node `perception`: receives images and publishes what is on the table. See also `pipeline.py`."""

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import SetVocabulary
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState
from sensor_msgs.msg import Image as ImageMsg

from lucca_core.errors import LuccaError, PerceptionError
from lucca_core.joint_states import CLOCK_BACK_S, JointMerge, Joints, positions_at
from lucca_core.protocol.refusal import Refusal
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.vocabulary import Vocabulary, VocabularyTaken
from lucca_robot.profile import RobotProfile, load_profile
from lucca_ros.conversions.snapshots import snapshot_to_msg
from lucca_ros.conversions.stamps import time_from_msg
from lucca_ros.conversions.vocabulary import SET_VOCABULARY
from lucca_ros.diagnostics import DIAGNOSTICS, ERROR, OK, WARN, diagnose_every, diagnostic_msg
from lucca_ros.lifecycle import logged_transition, main_of
from lucca_ros.parameters import declare_parameters, read_parameters
from lucca_ros.streams import Streams
from lucca_ros.subscriptions import ReliableIfOffered, keep_last
from perception_node.annotated_pictures import AnnotatedPictures
from perception_node.camera_frames import CameraFrames
from perception_node.config import PerceptionConfig
from perception_node.conversions import depth_from_msg, joints_from_msg, lens_from_msg, rgb_from_msg
from perception_node.detector import Detector
from perception_node.detectors.detector_spec import make_detector
from perception_node.displays import Displays
from perception_node.lens import Rectifier
from perception_node.newest_only import NewestOnly
from perception_node.pipeline import Frame, Pipeline, make_pipeline

# Only the newest image: an old one that waits in a queue would be taken for the present scene.
_NEWEST = 1
_JOINTS = 50
_JOINT_MEMORY = 200


@dataclass(frozen=True, slots=True, eq=False)
class _Pictures:
    """The two images of one instant, as received."""

    colour: ImageMsg | CompressedImage
    depth: ImageMsg | CompressedImage


class PerceptionNode(LifecycleNode):
    """Publishes what each camera frame shows. Without images, joint states or a visible table it publishes nothing."""

    def __init__(
        self, make_detector: Callable[[PerceptionConfig], Detector] = make_detector, **node_options: Any
    ) -> None:
        super().__init__('perception', **node_options)
        declare_parameters(self, PerceptionConfig(), self._on_change)
        self._streams = Streams(self)
        self._make_detector = make_detector
        # Protects what the image thread and the executor share. Never held during detection, which may take long with a
        # model.
        self._lock = threading.Lock()
        self._looking: NewestOnly[_Pictures] | None = None
        self._config = PerceptionConfig()
        self._detector: Detector | None = None
        self._profile: RobotProfile | None = None
        self._pipeline: Pipeline | None = None
        self._rectifier: Rectifier | None = None
        self._camera_frames: CameraFrames | None = None
        self._vocabulary: tuple[str, ...] = ()
        self._inputs: list[Callable[[], object]] = []
        self._forget()

    def _forget(self) -> None:
        # The newest colour and depth image, by 'colour' and 'depth', until both are there.
        self._unpaired: dict[str, ImageMsg | CompressedImage] = {}
        moving = self._profile.moving_joints if self._profile else ()
        self._joint_merge = JointMerge(
            self._config.joint_state_max_age_s,
            self._profile.driven_speeds if self._profile else {},
            frozenset(joint.name for joint in moving if joint.endless),
        )
        self._joints: deque[Joints] = deque(maxlen=_JOINT_MEMORY)
        self._last_image_s = time.monotonic()
        self._problem = ''
        self._frames = 0
        self._last: Snapshot | None = None

    def _on_change(self, config: PerceptionConfig) -> None:
        """Takes over changed settings; they are read from here whenever they are needed."""
        self._config = config
        self._joint_merge.oldest_s = config.joint_state_max_age_s

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Reads parameters and loads prototypes, models and robot; fails, and logs why, if a file or name is wrong."""
        self._config = read_parameters(self, PerceptionConfig)
        self._detector = self._make_detector(self._config)
        self._profile = load_profile(self._config.robot)
        self._vocabulary = self._detector.labels
        self._objects = self.create_lifecycle_publisher(TableState, 'perception/objects', 1)
        self._pictures = AnnotatedPictures(self)
        self._displays = Displays(self) if self._config.displays else None
        self._camera_frames = None
        if self._config.camera_pose_from_tf:
            self._camera_frames = CameraFrames(self, self._config.world_frame, self._config.camera_tf_wait_s)
        self._diagnostics = self.create_publisher(DiagnosticArray, DIAGNOSTICS, 10)
        self._service = self.create_service(SetVocabulary, 'perception/set_vocabulary', self._on_vocabulary)
        return super().on_configure(state)

    @logged_transition
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Starts to process images."""
        result = super().on_activate(state)
        self._forget()
        self._looking = NewestOnly(self._look, 'looking')
        packed = self._config.compressed_inputs
        images = CompressedImage if packed else ImageMsg
        for kind, topic, callback in (
            (CameraInfo, 'camera/color/camera_info', self._on_info),
            (images, f'camera/color/image_raw{"/compressed" if packed else ""}', partial(self._on_image, 'colour')),
            (images, f'camera/depth/image_raw{"/compressedDepth" if packed else ""}', partial(self._on_image, 'depth')),
        ):
            self._inputs.append(self._hear(kind, topic, callback))
        # Best effort even if the camera is reliable, because the next joint state makes up for a lost one.
        self._joint_states = self._streams.subscribe(
            JointState, 'joint_states', self._on_joints, keep_last(_JOINTS, reliable=False)
        )
        self._timer = diagnose_every(self, self._on_timer)
        return result

    def _hear(self, kind: type, topic: str, callback: Callable[[Any], None]) -> Callable[[], object]:
        """Subscribes to a topic of the camera. Returns a function that ends the subscription."""
        if self._config.reliable_inputs:
            return ReliableIfOffered(self._streams, kind, topic, callback, depth=_NEWEST).destroy
        newest = keep_last(_NEWEST, reliable=False)
        subscription = self._streams.subscribe(kind, topic, callback, newest)
        return lambda: self._streams.unsubscribe(subscription)

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stops processing images; what is known is kept."""
        self.destroy_timer(self._timer)
        for stop_hearing in self._inputs:
            stop_hearing()
        self._inputs = []
        self._streams.unsubscribe(self._joint_states)
        self._stop_looking()
        return super().on_deactivate(state)

    @logged_transition
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forgets everything that was seen."""
        self.destroy_service(self._service)
        self.destroy_lifecycle_publisher(self._objects)
        self._pictures.destroy()
        if self._displays is not None:
            self._displays.destroy()
        if self._camera_frames is not None:
            self._camera_frames.destroy()
        self.destroy_publisher(self._diagnostics)
        self._pipeline, self._rectifier = None, None
        # So that a model frees the memory of its device.
        self._detector = None
        return super().on_cleanup(state)

    def destroy_node(self) -> None:
        """First ends the threads that receive joint states and process images."""
        self._streams.close()
        self._stop_looking()
        super().destroy_node()

    def _stop_looking(self) -> None:
        if self._looking is not None:
            self._looking.close()
            self._looking = None

    def _on_info(self, msg: CameraInfo) -> None:
        try:
            lens = lens_from_msg(msg)
        except ValueError as error:
            self._problem = f'camera info refused: {error}'
            return
        if self._rectifier is None or self._rectifier.lens != lens:
            rectifier = Rectifier(lens)
            with self._lock:
                self._rectifier = rectifier

    def _on_joints(self, msg: JointState) -> None:
        try:
            positions = joints_from_msg(msg)
        except ValueError as error:
            self._problem = f'joint states refused: {error}'
            return
        stamp_s = time_from_msg(msg.header.stamp)
        if self._joints and stamp_s < self._joints[-1].stamp_s - CLOCK_BACK_S:
            self._joints.clear()
        self._joint_merge.add(stamp_s, time.monotonic(), positions)
        if (joints := self._joint_merge.merged()) is None:
            return
        if joints.contradictions:
            # Where the robot is, and what it hides, is not known: without new joint states, frames are refused.
            self._problem = f'joint states contradict each other: {"; ".join(joints.contradictions.values())}'
            return
        self._joints.append(joints)

    def _on_image(self, kind: str, msg: ImageMsg | CompressedImage) -> None:
        self._last_image_s = time.monotonic()
        self._unpaired[kind] = msg
        colour, depth = self._unpaired.get('colour'), self._unpaired.get('depth')
        if colour is None or depth is None:
            return
        stamp_s = time_from_msg(colour.header.stamp)
        if abs(stamp_s - time_from_msg(depth.header.stamp)) > self._config.image_pair_slack_s:
            return
        self._unpaired.clear()
        # It may end at this moment.
        if (looking := self._looking) is not None:
            looking.put(_Pictures(colour, depth))

    def _look(self, pictures: _Pictures) -> None:
        """Processes one pair of images and publishes the result; runs in the image thread."""
        colour, stamp_s = pictures.colour, time_from_msg(pictures.colour.header.stamp)
        frames, header = self._camera_frames, colour.header
        try:
            rectifier = self._present_rectifier()
            positions, away_s = self._joints_at(stamp_s)
            frame = Frame(
                stamp_s=stamp_s,
                rgb=rectifier.rectified(rgb_from_msg(colour)),
                depth_m=rectifier.rectified(depth_from_msg(pictures.depth)),
                joint_positions=positions,
                joints_away_s=away_s,
                camera_pose=None if frames is None else frames.pose_at(header.frame_id, header.stamp),
            )
            pipeline = self._present_pipeline(rectifier)
            snapshot = pipeline.process(frame)
        except (LuccaError, ValueError) as error:
            self._problem = str(error)
            self.get_logger().warning(f'frame not used: {error}', throttle_duration_sec=5.0)
            return
        self._problem, self._last = '', snapshot
        self._frames += 1
        msg = snapshot_to_msg(snapshot)
        msg.header.stamp = colour.header.stamp
        self._objects.publish(msg)
        if self._displays is not None:
            self._displays.publish(snapshot, colour.header.stamp)
        self._pictures.publish(frame, snapshot, pipeline, header.frame_id, self._config.annotated_rate_hz)

    def _present_rectifier(self) -> Rectifier:
        """The rectifier for the present camera.

        Raises:
            PerceptionError: no camera info has arrived yet.
        """
        with self._lock:
            if self._rectifier is None:
                raise PerceptionError('no camera info yet on camera/color/camera_info')
            return self._rectifier

    def _present_pipeline(self, rectifier: Rectifier) -> Pipeline:
        """The pipeline for the present camera and vocabulary."""
        with self._lock:
            intrinsics, vocabulary = rectifier.lens.intrinsics, self._vocabulary
        if self._pipeline is None or self._pipeline.intrinsics != intrinsics:
            self._pipeline = make_pipeline(
                self._config,
                intrinsics,
                profile=self._profile,
                detector=self._detector,
                # Ids of another run must not look like those of this one.
                id_prefix=f'{secrets.token_hex(2)}-',
            )
        if self._pipeline.vocabulary != vocabulary:
            self._pipeline.set_vocabulary(vocabulary)
        return self._pipeline

    def _joints_at(self, stamp_s: float) -> tuple[dict[str, float], float]:
        """The joint positions at the time of an image, and the distance in time to the nearest measurement, in s.

        Raises:
            PerceptionError: there are none, or none near enough in time: what the robot hides would be taken for empty
                table.
        """
        memory = tuple(self._joints)
        if not memory:
            raise PerceptionError('no joint states on joint_states: what the robot hides is not known')
        positions, away_s = positions_at(memory, stamp_s)
        if away_s > self._config.joint_state_max_age_s:
            raise PerceptionError(
                f'joint states are {away_s:.2f} s from the image, more than {self._config.joint_state_max_age_s:g} s'
            )
        return positions, away_s

    def _on_vocabulary(self, request: SetVocabulary.Request, _: SetVocabulary.Response) -> SetVocabulary.Response:
        return SET_VOCABULARY.answer.to_msg(self._take(SET_VOCABULARY.request.from_msg(request)))

    def _take(self, vocabulary: Vocabulary) -> VocabularyTaken | Refusal:
        assert self._detector is not None
        known = self._detector.labels
        labels = tuple(dict.fromkeys(vocabulary.labels))
        if refused := self._detector.refused(labels):
            return Refusal(f'unknown: {", ".join(refused)}; known: {", ".join(known)}')
        with self._lock:
            self._vocabulary = labels or known
        return VocabularyTaken(message=f'looking for {", ".join(labels or known)}')

    def _on_timer(self) -> None:
        silence_s = time.monotonic() - self._last_image_s
        level, message = OK, 'sees'
        if silence_s > self._config.no_image_after_s:
            level, message = ERROR, f'no camera image for {silence_s:.1f} s'
        elif self._problem:
            level, message = ERROR, self._problem
        elif self._last is None:
            level, message = WARN, 'waits for colour and depth of the same instant'
        dropped = self._looking.dropped if self._looking is not None else 0
        values = {'frames': self._frames, 'dropped': dropped, 'detector': self._config.detector}
        if self._last is not None:
            values |= {
                'objects': len(self._last.objects),
                'processing_ms': f'{self._last.processing_s * 1000:.1f}',
            }
        now = self.get_clock().now().to_msg()
        msg = diagnostic_msg('perception', message, values, stamp=now, level=level, hardware_id='camera')
        self._diagnostics.publish(msg)


main = main_of(PerceptionNode)
