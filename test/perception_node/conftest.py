"""Rendered tables as cameras see them. Ground truth is read in tests only."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np
import pytest

from lucca_core.protocol.snapshots import Snapshot
from lucca_robot.profile import load_profile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.scene import load_scene
from perception_node.camera import Camera, Intrinsics
from perception_node.config import PerceptionConfig
from perception_node.pipeline import Frame, Pipeline, make_pipeline
from perception_node.robot_view import HandState

# Helpers of the tests beside this file are imported by name.
sys.path.insert(0, str(Path(__file__).parent))

PROFILE = load_profile('nicol')


@dataclass
class CameraTable:
    """A table that a pipeline looks at; objects can be put anywhere."""

    table: KinematicTable
    time_s: float = 0.0
    hidden: np.ndarray | None = field(default=None)

    @property
    def intrinsics(self) -> Intrinsics:
        info = self.table.camera_info
        cx, cy = info.centre_px
        return Intrinsics(width=info.width, height=info.height, fx=info.focal_px, fy=info.focal_px, cx=cx, cy=cy)

    def pipeline(self, config: PerceptionConfig | None = None) -> Pipeline:
        return make_pipeline(config or PerceptionConfig(), self.intrinsics, profile=PROFILE)

    def frame(self) -> Frame:
        self.time_s += 0.1
        rgb, depth_m = self.table.render()
        # The hands of some tests are in no picture, and no camera takes the same one twice.
        rgb = rgb.copy()
        rgb[0, 0, 0] = (int(rgb[0, 0, 0]) + round(self.time_s * 10)) % 256
        return Frame(stamp_s=self.time_s, rgb=rgb, depth_m=depth_m, joint_positions=self.table.joint_positions())

    def look(self, pipeline: Pipeline, frames: int = 1) -> Snapshot:
        frame = self.frame()
        for index in range(frames):
            snapshot = pipeline.process(
                Frame(
                    stamp_s=frame.stamp_s + 0.01 * index,
                    rgb=frame.rgb,
                    depth_m=frame.depth_m,
                    joint_positions=frame.joint_positions,
                )
            )
        self.time_s += 0.01 * frames
        return snapshot

    def put(self, name: str, *position: float, yaw: float = 0.0) -> None:
        address = self.table.model.jnt_qposadr[self.table.model.joint(name).id]
        self.table.data.qpos[address : address + 3] = position
        self.table.data.qpos[address + 3 : address + 7] = (np.cos(yaw / 2), 0, 0, np.sin(yaw / 2))
        mujoco.mj_forward(self.table.model, self.table.data)

    def truth(self) -> dict[str, np.ndarray]:
        return {item.name: self.table.data.body(item.name).xpos.copy() for item in self.table.scene.objects}

    def container(self, name: str) -> np.ndarray:
        found = self.table.scene.container_named(name)
        assert found is not None
        return np.array(found.position_world_m)


MakeTable = Callable[..., CameraTable]


@pytest.fixture
def make_table() -> Iterator[MakeTable]:
    """Makes rendered tables: scene name, seed, names of other objects, offset of the camera."""
    made: list[KinematicTable] = []

    def make(
        scene: str = 'sorting_tower',
        seed: int = 1,
        objects: tuple[str, ...] = (),
        camera_offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> CameraTable:
        chosen = load_scene(scene, seed)
        if objects:
            chosen = chosen.with_objects(objects)
        made.append(KinematicTable(chosen, PROFILE, camera_offset_m))
        return CameraTable(made[-1])

    yield make
    for table in made:
        table.close()


class DiscHands:
    """Hands as discs, where a test wants them."""

    def __init__(self, radius_m: float = 0.06) -> None:
        self.hands: tuple[HandState, ...] = ()
        self._radius_m = radius_m

    def look(self, joint_positions, camera: Camera):
        rows, columns = np.mgrid[: camera.height, : camera.width]
        mask = np.zeros((camera.height, camera.width), bool)
        for hand in self.hands:
            pixels, depth = camera.project(np.array([hand.position_m]))
            if depth[0] > 0:
                radius = self._radius_m * camera.fx / depth[0]
                mask |= (columns - pixels[0, 0]) ** 2 + (rows - pixels[0, 1]) ** 2 < radius**2
        return mask, self.hands


@pytest.fixture
def disc_hands() -> DiscHands:
    return DiscHands()
