"""The second judge: the outcome of a task, from the camera's video alone.

It looks for blobs of the objects' colours in the last pictures and determines in which container or region each lies.
It reads no trace, and shares no code with the stack's perception or with the judge of traces. It knows only what a
person who watches the video would know: the task, the colours, and where the camera and the containers are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from lucca_core.errors import LuccaError
from lucca_lab.judge.truth import ExpectedOutcome
from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import RobotProfile
from lucca_sim.mujoco_world import CameraIntrinsics
from lucca_sim.scene import Scene
from lucca_sim.scene_elements import SceneContainer, SceneObject

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_LAST = 3
"""Number of pictures at the end that are averaged."""

_HUE_DEG = 12.0
"""Largest difference in hue between a pixel and the object to which it is assigned."""

_LEAST_SATURATION, _LEAST_VALUE = 0.45, 0.25
_LEAST_PIXELS = 80
"""A smaller blob is the rim of something with another colour. When this was set, whole objects had 690 to 1,720."""

_MIDDLE_M = 0.02
"""A visible point of an object is assumed to be half of this above half of the object's height."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An object in the last picture: its place by name, `table`, or None if it is not seen; and its visible pixels."""

    place: str | None
    pixels: int


def judge_video(
    file: Path, scene: Scene, profile: RobotProfile, truth: ExpectedOutcome
) -> tuple[bool, dict[str, Seen]]:
    """Whether every object that a task moves lies where it belongs, and what was seen of each object.

    Objects of similar colour are told apart only by the small difference of their hues. White and black objects are not
    looked for. Towers and pointing cannot be judged: cubes hide each other, and pointing leaves no trace.

    Raises:
        LuccaError: the video cannot be read.
        ValueError: the task moves nothing to a place, or builds a tower.
    """
    if not truth.places or 'tower' in truth.places:
        raise ValueError('only tasks that bring things into boxes, bowls or regions can be judged by a video')
    picture = _last_picture(file)
    seen = _objects_in(picture, scene, _View(profile, scene))
    wanted = {item: place for place, items in truth.places.items() for item in items}
    astray = [name for name, found in seen.items() if name not in wanted and found.place not in ('table', None)]
    return not astray and all(name in seen and seen[name].place == place for name, place in wanted.items()), seen


def _last_picture(file: Path) -> Floats:
    """The mean of the last pictures (h, w, 3), RGB from 0 to 1."""
    video = cv2.VideoCapture(str(file))
    last: list[npt.NDArray[np.uint8]] = []
    try:
        while True:
            there, frame = video.read()
            if not there:
                break
            last = [*last[1 - _LAST :], np.asarray(frame, dtype=np.uint8)]
    finally:
        video.release()
    if not last:
        raise LuccaError(f'{file} is no video that can be read')
    return np.asarray(np.mean(last, axis=0)[:, :, ::-1] / 255.0)


class _View:
    """Maps pixels to the world: the camera of the robot in its home posture, above the table."""

    def __init__(self, profile: RobotProfile, scene: Scene) -> None:
        kinematics = RobotKinematics(profile)
        kinematics.update(profile.home)
        self._rotation, self._position = kinematics.camera_pose()
        self._camera = CameraIntrinsics()
        self._scene = scene

    def on_plane(self, pixels: Floats, height_m: float) -> Floats:
        """World x and y (n, 2) of pixels (n, 2; column, row) on a horizontal plane above the table."""
        rays = np.column_stack([(pixels - self._camera.centre_px) / self._camera.focal_px, np.ones(len(pixels))])
        world = rays @ self._rotation.T
        scale = (self._scene.table.height_m + height_m - self._position[2]) / world[:, 2]
        return np.asarray(self._position[:2] + scale[:, None] * world[:, :2])


def _objects_in(picture: Floats, scene: Scene, view: _View) -> dict[str, Seen]:
    hue, saturation, value = _hsv(picture)
    items = [item for item in scene.objects if _is_coloured(item.rgb)]
    offs = np.stack([_hue_gap(hue, _hue_of(item.rgb)) for item in items])
    nearest = np.argmin(offs, axis=0)
    coloured = (saturation > _LEAST_SATURATION) & (value > _LEAST_VALUE) & (offs.min(axis=0) < _HUE_DEG)
    for container in scene.containers:
        if _is_coloured(container.rgb):
            coloured &= offs.min(axis=0) < _hue_gap(hue, _hue_of(container.rgb))
    return {item.name: _seen(coloured & (nearest == index), item, scene, view) for index, item in enumerate(items)}


def _seen(mask: Mask, item: SceneObject, scene: Scene, view: _View) -> Seen:
    """The place of the middle of the largest blob of an object's colour, and its size."""
    count, _, sizes, middles = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    if count < 2:
        return Seen(None, 0)
    best = 1 + int(np.argmax(sizes[1:, cv2.CC_STAT_AREA]))
    pixels = int(sizes[best, cv2.CC_STAT_AREA])
    if pixels < _LEAST_PIXELS:
        return Seen(None, pixels)
    x, y = view.on_plane(middles[best][None], item.size_m[2] / 2 + _MIDDLE_M / 2)[0]
    return Seen(_place_at(float(x), float(y), scene), pixels)


def _place_at(x: float, y: float, scene: Scene) -> str:
    for container in scene.containers:
        if _is_within(x, y, container):
            return container.name
    return next((region.name for region in scene.regions if region.area.contains(x, y)), 'table')


def _is_within(x: float, y: float, container: SceneContainer) -> bool:
    if container.shape == 'bowl':
        cx, cy, _ = container.position_world_m
        return bool(np.hypot(x - cx, y - cy) < container.size_m[0] / 2)
    return container.outline.contains(x, y)


def _hsv(picture: Floats) -> tuple[Floats, Floats, Floats]:
    """Hue in degrees, saturation and value from 0 to 1, each (h, w)."""
    hsv = cv2.cvtColor(picture.astype(np.float32), cv2.COLOR_RGB2HSV)
    return hsv[:, :, 0].astype(float), hsv[:, :, 1].astype(float), hsv[:, :, 2].astype(float)


def _hue_of(rgb: Sequence[float]) -> float:
    return float(_hsv(np.array(rgb, dtype=float).reshape(1, 1, 3))[0][0, 0])


def _is_coloured(rgb: Sequence[float]) -> bool:
    return max(rgb) - min(rgb) > _LEAST_SATURATION * max(rgb)


def _hue_gap(hue: Floats, other_deg: float) -> Floats:
    return np.abs((hue - other_deg + 180.0) % 360.0 - 180.0)
