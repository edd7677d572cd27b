"""The pixels that the robot covers and the positions of its hands, computed from joint positions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from lucca_core.errors import PerceptionError
from lucca_robot.kinematics import PlacedShape, RobotKinematics
from lucca_robot.profile import RobotProfile
from perception_node.camera import Camera, Doubles
from perception_node.detector import Mask

_CIRCLE = np.stack((np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)), axis=1) * 1.09


@dataclass(frozen=True, slots=True)
class HandState:
    """One hand in one frame: its side, the position of its tool (world, m), and whether it is closed."""

    side: str
    position_m: tuple[float, float, float]
    closed: bool


class RobotView(Protocol):
    """Computes where the robot is in the image."""

    def look(self, joint_positions: Mapping[str, float], camera: Camera) -> tuple[Mask, tuple[HandState, ...]]:
        """The pixels that the robot covers (h, w), and its hands.

        Raises:
            PerceptionError: a joint that is needed is missing.
        """
        ...


class ModelView:
    """Projects the robot's own solids; boxes, spheres, capsules and hulls are exact up to `margin_px`."""

    def __init__(self, profile: RobotProfile, *, table_z_m: float, margin_px: int) -> None:
        self._profile = profile
        self._kinematics = RobotKinematics(profile)
        self._table_z_m = table_z_m
        self._margin_px = margin_px
        self._needed = tuple(name for arm in profile.arms.values() for name in (*arm.joints, *arm.hand.joints))

    def look(self, joint_positions: Mapping[str, float], camera: Camera) -> tuple[Mask, tuple[HandState, ...]]:
        """See `RobotView.look`."""
        missing = [name for name in self._needed if name not in joint_positions]
        if missing:
            raise PerceptionError(f'joint states lack {", ".join(missing[:3])} ({len(missing)} missing in all)')
        self._kinematics.update(joint_positions)
        mask = np.zeros((camera.height, camera.width), np.uint8)
        outlines = [
            points for item in self._kinematics.placed_shapes() if (points := self._outline(item, camera)) is not None
        ]
        if outlines:
            pixels, depth = camera.project(np.concatenate(outlines))
            start = 0
            for points in outlines:
                part = slice(start, start + len(points))
                start += len(points)
                # A solid that reaches behind the camera cannot be drawn as a hull; such parts are outside the image.
                if (depth[part] < 0.05).any():
                    continue
                shown = pixels[part]
                if (shown.max(axis=0) < 0).any() or (shown.min(axis=0) > (camera.width, camera.height)).any():
                    continue
                hull = cv2.convexHull(shown.astype(np.float32))
                cv2.fillConvexPoly(mask, np.round(hull).astype(np.int32), 1)
        if self._margin_px:
            side = 2 * self._margin_px + 1
            mask = cv2.dilate(mask, np.ones((side, side), np.uint8))
        hands = tuple(
            HandState(
                side,
                tuple(float(value) for value in self._kinematics.tool_position(side)),  # type: ignore[arg-type]
                self._kinematics.hand_closed(side, joint_positions),
            )
            for side in self._profile.arms
        )
        return mask.view(bool), hands

    def _outline(self, item: PlacedShape, camera: Camera) -> Doubles | None:
        """World points whose hull in the image covers the solid; None if the solid is not higher than the table."""
        size = item.shape.dimensions_m
        if item.shape.kind == 'hull':
            points = np.array(item.shape.corners_m) @ item.rotation.T + item.position_m
        elif item.shape.kind == 'box':
            signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
            points = (signs * np.array(size) / 2) @ item.rotation.T + item.position_m
        else:
            half = size[1] / 2 if item.shape.kind == 'capsule' else 0.0
            ring = size[0] * (_CIRCLE @ camera.rotation[:, :2].T)
            along = item.rotation[:, 2] * half
            points = np.concatenate((ring + item.position_m + along, ring + item.position_m - along))
        return points if points[:, 2].max() > self._table_z_m + 0.01 else None
