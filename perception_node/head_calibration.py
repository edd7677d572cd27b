"""Calibration of a camera on a robot's head: its pose in the head's frame, from images at several head positions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from lucca_core.errors import PerceptionError
from lucca_robot.kinematics import LinkPoses
from lucca_robot.profile import RobotProfile
from perception_node.camera import Doubles
from perception_node.camera_calibration import (
    Calibration,
    PlacedBoard,
    check_corners,
    corners_in,
    pose_among,
    straightened,
)
from perception_node.camera_pose import CameraPose
from perception_node.detector import Image
from perception_node.lens import Lens

LEAST_HEADS = 3
"""So many head positions are needed, each turned from all others by `APART_DEG`."""
APART_DEG = 3.0
MOST_RESIDUAL_PX = 3.0
"""More than for a camera that stands still, because errors of the head's joints are added: 0.2 degrees are 2 px."""
# What is expected of a corner's pixel, and of the turn of the head that the joint states do not tell.
_PIXEL_PX = 0.2
_TURN_RAD = 0.002


class RobotHead:
    """The link that carries a robot's camera, and its pose for joint positions.

    Raises:
        PerceptionError: no joint moves the camera.
    """

    def __init__(self, profile: RobotProfile) -> None:
        moving = [joint for joint in profile.description.chain(profile.camera_link) if joint.moves]
        if not moving:
            raise PerceptionError(
                f'no joint of {profile.name} moves its camera_link {profile.camera_link}: leave --head out, or let '
                'camera_link be a link or a frame (frames) that the head carries'
            )
        self.link = moving[-1].child
        self.joints = tuple(dict.fromkeys(joint.mimic.joint if joint.mimic else joint.name for joint in moving))
        """The joints whose positions determine where the link is."""
        self._profile = profile
        self._links = LinkPoses(profile.description)

    def pose_at(self, joint_positions: Mapping[str, float]) -> tuple[Doubles, Doubles]:
        """Rotation (3, 3) and position (3,) in m of the link in the world, for positions in rad or m by name.

        Joints that are not given are at home.
        """
        moved = {name: joint_positions[name] for name in self.joints if name in joint_positions}
        self._links.update(self._profile.home | self._profile.description.with_followers(moved))
        return self._links.link_pose(self.link)

    def camera_at(self, joint_positions: Mapping[str, float], in_head: CameraPose) -> CameraPose:
        """The pose in the world of a camera whose pose in the frame of the link is `in_head`."""
        rotation, position = self.pose_at(joint_positions)
        return CameraPose(rotation @ in_head.rotation, rotation @ in_head.position_m + position)


@dataclass(frozen=True, slots=True, eq=False)
class HeadView:
    """An unrectified image (h, w, 3) or (h, w), and the positions of the head's joints in rad or m, by name."""

    picture: Image
    joint_positions: Mapping[str, float]


def camera_on_head(views: Sequence[HeadView], head: RobotHead, placed: PlacedBoard, lens: Lens) -> Calibration:
    """The pose of a camera in the frame of the head, from views of a board that did not move.

    The head's joints tell where the board is in the frame of the head, differently in each view. One pose has to fit
    all views; the joints may be slightly wrong in each.

    Args:
        views: images and head positions.
        head: the link that carries the camera.
        placed: the board in the images, and where it lies.
        lens: the camera's lens.

    Raises:
        PerceptionError: the board is not seen, or does not fit the images, or the head hardly moved.
    """
    corners, seen, turns = [np.empty((0, 3))], [], []
    for view in views:
        on_board, pixels = corners_in(view.picture, placed.board, lens)
        if len(on_board):
            rotation, position = head.pose_at(view.joint_positions)
            turns.append(rotation)
            corners.append(on_board)
            seen.append(((placed.in_world(on_board) - position) @ rotation, straightened(pixels, lens)))
    check_corners(np.vstack(corners), len(turns), len(views), placed.board)
    heads = head_positions(turns)
    if heads < LEAST_HEADS:
        raise PerceptionError(
            f'the board was seen from {heads} head positions that are {APART_DEG:g} degrees apart; at least '
            f'{LEAST_HEADS} are needed: turn and tilt the head between the pictures'
        )
    straight = replace(lens, model='plumb_bob', coefficients=())
    points, pixels = (np.vstack(parts) for parts in zip(*seen, strict=True))
    found = pose_among(points, pixels, straight, cv2.SOLVEPNP_SQPNP)
    residual = math.inf if found is None else found[1]
    if found is None or not residual <= MOST_RESIDUAL_PX:
        raise PerceptionError(
            f'the board fits the pictures only within {residual:.2f} px, more than {MOST_RESIDUAL_PX:g} px: are the '
            'place of the board, the size of its squares and the camera info right, do the joint states belong to the '
            'pictures, and did the board lie still?'
        )
    return Calibration(pose=_with_turns(seen, found[0], straight), pictures=len(turns), residual_px=residual)


def _with_turns(seen: Sequence[tuple[Doubles, Doubles]], start: CameraPose, lens: Lens) -> CameraPose:
    """The pose that fits best if the head was turned a little from where its joints say, differently in each view.

    Without these turns, an error of the joints would be taken for a shift of the camera: 1 mrad for some mm.

    Args:
        seen: for each view, points (n, 3) in m in the frame of the head, and their pixels (n, 2).
        start: a pose that is nearly right.
        lens: a lens that does not bend.

    Raises:
        PerceptionError: no such pose was found.
    """
    item = lens.intrinsics

    def pose_of(values: Doubles) -> CameraPose:
        turn = Rotation.from_rotvec(values[:3]).as_matrix()
        return CameraPose(start.rotation @ turn, start.position_m + values[3:6])

    def errors(values: Doubles) -> Doubles:
        pose, turns = pose_of(values), values[6:].reshape(-1, 3)
        parts = [turns.ravel() / _TURN_RAD]
        for (points, pixels), turn in zip(seen, turns, strict=True):
            local = (Rotation.from_rotvec(turn).apply(points) - pose.position_m) @ pose.rotation
            shown = local[:, :2] / local[:, 2:] * [item.fx, item.fy] + [item.cx, item.cy]
            parts.append((shown - pixels).ravel() / _PIXEL_PX)
        return np.concatenate(parts)

    found = least_squares(errors, np.zeros(6 + 3 * len(seen)), method='lm')
    if not found.success or not np.isfinite(found.x).all():
        raise PerceptionError(f'no pose of the camera fits all pictures: {found.message}')
    return pose_of(found.x)


def head_positions(rotations: Sequence[Doubles]) -> int:
    """How many rotations (3, 3) there are that are turned by at least `APART_DEG` from all counted before them."""
    apart: list[Doubles] = []
    for rotation in rotations:
        if all(np.degrees(Rotation.from_matrix(other.T @ rotation).magnitude()) >= APART_DEG for other in apart):
            apart.append(rotation)
    return len(apart)
