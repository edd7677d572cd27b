"""A rendered table: noisy camera pictures, and the ground truth of each object in them."""

from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_lab.perception.body_pictures import JudgedTable
from lucca_lab.perception.light import light_rgb
from lucca_lab.perception.scenes import UNKNOWN, Conditions
from lucca_robot.profile import load_profile
from lucca_sim.mujoco_world import CAMERA
from lucca_sim.scene import Scene
from perception_node.camera import Intrinsics
from perception_node.config import PerceptionConfig
from perception_node.pipeline import Frame

COLOUR_SIGMA, DEPTH_SIGMA_M = 5.0, 0.002
LEAST_VISIBLE = 0.5
Box = tuple[int, int, int, int]
_LEAST_PX = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectTruth:
    """The ground truth of one object.

    Attributes:
        box_px: x, y, width and height of its visible part.
        visible: share of its outline that nothing hides.
        scored: whether it is known, at least half visible, and not cut by the picture's edge.
    """

    name: str
    label: str
    position_m: tuple[float, float, float]
    box_px: Box
    visible: float
    scored: bool


def with_noise(frame: Frame, rng: np.random.Generator) -> Frame:
    """A picture with sensor noise: normally distributed, and independent in every pixel."""
    rgb = frame.rgb + rng.standard_normal(frame.rgb.shape, np.float32) * np.float32(COLOUR_SIGMA)
    depth_m = frame.depth_m + rng.standard_normal(frame.depth_m.shape, np.float32) * np.float32(DEPTH_SIGMA_M)
    return replace(frame, rgb=np.clip(np.rint(rgb), 0, 255).astype(np.uint8), depth_m=depth_m)


class RenderedTable:
    """A kinematic table under given conditions. `intrinsics` and `config` are what a pipeline may know about it.

    The renderer multiplies the light, so that too much of it saturates the picture, as in a camera with fixed exposure
    and fixed white balance. The pipeline knows the pose of the moved camera, as after a calibration.
    """

    def __init__(self, scene: Scene, conditions: Conditions) -> None:
        self.table = JudgedTable(scene, load_profile())
        self._labels = {item.name: item.label for item in scene.objects}
        self._outlines: dict[str, tuple[NDArray[np.float64], int, bool]] = {}
        model = self.table.model
        _set_light(model, conditions)
        self._move_camera(conditions)
        info = self.table.camera_info
        cx, cy = info.centre_px
        self.intrinsics = Intrinsics(
            width=info.width, height=info.height, fx=info.focal_px, fy=info.focal_px, cx=cx, cy=cy
        )

    @property
    def config(self) -> PerceptionConfig:
        """Settings for a perception that knows the camera's pose."""
        data = self.table.data
        camera = data.camera(CAMERA)
        # MuJoCo's cameras look along -z with y up, whereas the optical frame looks along +z with y down.
        rotation = camera.xmat.reshape(3, 3) @ np.diag([1.0, -1.0, -1.0])
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.ascontiguousarray(rotation).ravel())
        w, x, y, z = (float(value) for value in quat)
        px, py, pz = (float(value) for value in camera.xpos)
        return PerceptionConfig(camera_pose_from_robot=False, camera_pose=(px, py, pz, x, y, z, w))

    def frame(self) -> Frame:
        """The current picture, without noise."""
        rgb, depth_m = self.table.render()
        joints = self.table.joint_positions()
        return Frame(stamp_s=self.table.time_s, rgb=rgb, depth_m=depth_m, joint_positions=joints)

    def truth(self) -> tuple[ObjectTruth, ...]:
        """The current ground truth of every object, from the simulator's own segmentation."""
        bodies = self.table.bodies_in_picture()
        result = []
        for name, label in self._labels.items():
            body = self.table.model.body(name).id
            full_px, cut = self._outline(name, body)
            rows, columns = np.nonzero(bodies == body)
            share = len(rows) / full_px if full_px else 0.0
            box: Box = (0, 0, 0, 0)
            if len(rows):
                x, y = int(columns.min()), int(rows.min())
                box = (x, y, int(columns.max()) - x + 1, int(rows.max()) - y + 1)
            px, py, pz = (float(value) for value in self.table.data.xpos[body])
            scored = label != UNKNOWN and share >= LEAST_VISIBLE and not cut and full_px >= _LEAST_PX
            result.append(
                ObjectTruth(name=name, label=label, position_m=(px, py, pz), box_px=box, visible=share, scored=scored)
            )
        return tuple(result)

    def close(self) -> None:
        """Frees the graphics context."""
        self.table.close()

    def _outline(self, name: str, body: int) -> tuple[int, bool]:
        """Pixels of an unhidden object, and whether the picture's edge cuts it. Cached while the object rests."""
        pose = np.concatenate((self.table.data.xpos[body], self.table.data.xquat[body]))
        known = self._outlines.get(name)
        if known is None or not np.array_equal(known[0], pose):
            alone = self.table.bodies_in_picture(body) == body
            cut = bool(alone[0].any() or alone[-1].any() or alone[:, 0].any() or alone[:, -1].any())
            known = self._outlines[name] = (pose, int(np.count_nonzero(alone)), cut)
        return known[1], known[2]

    def _move_camera(self, conditions: Conditions) -> None:
        model, data = self.table.model, self.table.data
        number = model.camera(CAMERA).id
        link = data.xmat[model.cam_bodyid[number]].reshape(3, 3)
        model.cam_pos[number] += link.T @ np.array(conditions.shift_m)
        turn = np.array(conditions.turn_rad)
        angle = float(np.linalg.norm(turn))
        if angle:
            before, extra = model.cam_quat[number].copy(), np.zeros(4)
            mujoco.mju_axisAngle2Quat(extra, turn / angle, angle)
            mujoco.mju_mulQuat(model.cam_quat[number], before, extra)
        mujoco.mj_forward(model, data)


def _set_light(model: mujoco.MjModel, conditions: Conditions) -> None:
    gain = conditions.light * light_rgb(conditions.kelvin) / light_rgb(6500.0)
    for lights in (model.light_ambient, model.light_diffuse, model.light_specular):
        lights[:] = lights * gain
    head = model.vis.headlight
    for part in (head.ambient, head.diffuse, head.specular):
        part[:] = part * gain
