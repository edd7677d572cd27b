"""The perception pipeline: from one camera frame to a snapshot of the table, without ROS."""

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lucca_core.errors import PerceptionError
from lucca_core.protocol.snapshots import HAND, Container, Snapshot
from lucca_robot.profile import RobotProfile, load_profile
from perception_node.camera import Camera, Floats, Intrinsics
from perception_node.camera_pose import CameraPose, HeadCamera, make_camera, pose_from_numbers
from perception_node.config import PerceptionConfig
from perception_node.detector import Detector, Image
from perception_node.detectors.detector_spec import make_detector
from perception_node.identity.containment import Places
from perception_node.identity.identity import Tracker
from perception_node.identity.visibility import View
from perception_node.lexicon import PrototypeLexicon, load_lexicon
from perception_node.robot_view import ModelView, RobotView
from perception_node.still_camera import StillCamera


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """What the camera saw at one instant, and the robot's joint positions.

    `rgb` (h, w, 3) uint8; `depth_m` (h, w) float32 along the optical axis, 0 or nan where unknown; joint positions in
    rad by name, measured at most `joints_away_s` before or after it; `camera_pose`: pose of the optical frame at that
    instant, if it is given from outside.
    """

    stamp_s: float
    rgb: Image
    depth_m: Floats
    joint_positions: Mapping[str, float]
    camera_pose: CameraPose | None = None
    joints_away_s: float = 0.0


class Pipeline:
    """Turns frames into snapshots and remembers objects from frame to frame. Not thread-safe."""

    def __init__(
        self,
        *,
        lexicon: PrototypeLexicon,
        config: PerceptionConfig,
        detector: Detector,
        robot: RobotView,
        camera: Camera,
        head: HeadCamera | None = None,
        id_prefix: str = 'o',
    ) -> None:
        """`head`: moves the camera with the robot's joints; None: the camera stays at the pose of `camera`."""
        self._config = config
        self._detector = detector
        self._robot = robot
        self._camera = camera
        self._head = head
        self._places = Places(lexicon, config)
        self._tracker = Tracker(lexicon, config, id_prefix=id_prefix)
        self._vocabulary = detector.labels
        self._still_camera = StillCamera()

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The labels that are looked for."""
        return self._vocabulary

    @property
    def intrinsics(self) -> Intrinsics:
        """The intrinsics of the camera."""
        item = self._camera
        return Intrinsics(width=item.width, height=item.height, fx=item.fx, fy=item.fy, cx=item.cx, cy=item.cy)

    @property
    def camera(self) -> Camera:
        """The camera, with its pose at the last frame."""
        return self._camera

    def set_vocabulary(self, labels: tuple[str, ...]) -> None:
        """Sets what to look for from now on; empty for the detector's own labels.

        Raises:
            PerceptionError: the detector cannot look for a label.
        """
        refused = self._detector.refused(labels)
        if refused:
            raise PerceptionError(
                f'cannot look for {", ".join(map(repr, refused))}; known are {", ".join(self._detector.labels)}'
            )
        self._vocabulary = tuple(dict.fromkeys(labels)) or self._detector.labels

    def process(self, frame: Frame) -> Snapshot:
        """The snapshot after one frame.

        Raises:
            PerceptionError: the images do not fit the camera or are those of a camera that stands still, a joint
                position is missing, or the table is not where it should be.
        """
        began = time.perf_counter()
        self._move_camera(frame)
        self._check_images(frame)
        mask, hands = self._robot.look(frame.joint_positions, self._camera)
        self._still_camera.check(frame.stamp_s, frame.rgb, frame.depth_m, mask, frame.joints_away_s)
        found = self._detector.detect(frame.rgb, frame.depth_m, self._camera, self._vocabulary, mask)
        self._places.update(found)
        objects = self._tracker.update(
            frame.stamp_s,
            [item for item in found if not item.is_container],
            self._places,
            hands,
            View(frame.depth_m, self._camera, mask),
        )
        self._places.follow(objects)
        contents = self._tracker.contents(self._places)
        containers = self._places.messages(contents, self._tracker.stack_heights_m(self._places))
        holding = next((item for item in objects if item.container == HAND), None)
        if holding is not None:
            place = holding.pose_world.position_m
            containers = (*containers, Container(name=HAND, position_world_m=place, contents=contents[HAND]))
        snapshot = Snapshot(
            stamp_s=frame.stamp_s,
            frame_id=self._config.world_frame,
            objects=objects,
            containers=containers,
            vocabulary=self._vocabulary,
        )
        return dataclasses.replace(snapshot, processing_s=time.perf_counter() - began)

    def _check_images(self, frame: Frame) -> None:
        shape = (self._camera.height, self._camera.width)
        if frame.rgb.shape != (*shape, 3) or frame.rgb.dtype != np.uint8:
            raise PerceptionError(
                f'a colour image must be {(*shape, 3)} uint8, got {frame.rgb.shape} {frame.rgb.dtype}'
            )
        if frame.depth_m.shape != shape or frame.depth_m.dtype != np.float32:
            raise PerceptionError(
                f'a depth image must be {shape} float32, got {frame.depth_m.shape} {frame.depth_m.dtype}'
            )

    def _move_camera(self, frame: Frame) -> None:
        pose = frame.camera_pose or (self._head.at(frame.joint_positions) if self._head else None)
        if pose is not None and not pose.is_near(CameraPose(self._camera.rotation, self._camera.position_m)):
            self._camera = dataclasses.replace(self._camera, rotation=pose.rotation, position_m=pose.position_m)


def make_pipeline(
    config: PerceptionConfig,
    intrinsics: Intrinsics,
    *,
    profile: RobotProfile | None = None,
    detector: Detector | None = None,
    id_prefix: str = 'o',
) -> Pipeline:
    """The configured pipeline, with the configured detector unless another one is given.

    Raises:
        ConfigError: a file or the detector's spec is missing or wrong.
        PerceptionError: the detector's model cannot be loaded.
    """
    lexicon = load_lexicon(config.objects_file)
    robot = profile or load_profile(config.robot)
    head = HeadCamera(robot, None if config.camera_pose_from_robot else pose_from_numbers(config.camera_pose))
    return Pipeline(
        lexicon=lexicon,
        config=config,
        detector=detector or make_detector(config),
        robot=ModelView(robot, table_z_m=config.table_z_m, margin_px=config.mask_margin_px),
        camera=make_camera(intrinsics, head.at({})),
        head=head,
        id_prefix=id_prefix,
    )
