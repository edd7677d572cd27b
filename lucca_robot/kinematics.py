"""Forward kinematics of a robot in plain numpy, and the poses of its solids in the world."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lucca_robot.description import Joint, LinkShape, Origin, RobotDescription
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]

_POINTING_TOLERANCE_RAD = 0.2
_SAME = np.eye(3)


@dataclass(frozen=True, slots=True)
class PlacedShape:
    """A solid of a link with its pose in the world: rotation (3, 3) and centre (3,) in m."""

    link: str
    shape: LinkShape
    rotation: Array
    position_m: Array


def robot_shapes(profile: RobotProfile) -> tuple[tuple[str, LinkShape], ...]:
    """Every solid of the robot with the name of its link, in the frame of the link."""
    return tuple((link.name, shape) for link in profile.description.links for shape in link.shapes)


def _cross_products(axis: tuple[float, float, float]) -> tuple[Array, Array]:
    """The matrices (3, 3) that take the cross product with an axis, once and twice."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return cross, cross @ cross


def _turned(once: Array, twice: Array, angle_rad: float) -> Array:
    """The rotation matrix (3, 3) by Rodrigues' formula."""
    rotation: Array = _SAME + math.sin(angle_rad) * once + (1.0 - math.cos(angle_rad)) * twice
    return rotation


@dataclass(frozen=True, slots=True)
class _Step:
    """What stays the same at every position of a joint: its frame, its axis, its position at rest."""

    joint: Joint
    rotation: Array
    offset_m: Array
    axis: Array
    once: Array
    twice: Array
    rest: float


class LinkPoses:
    """Poses of all links of a description, in its root frame, for one set of joint positions."""

    def __init__(self, description: RobotDescription) -> None:
        self._description = description
        self._steps = [_step(joint) for joint in description.joints]
        self._has_followers = bool(description.followers)
        self._poses: dict[str, tuple[Array, Array]] = {}
        self.update({})

    def update(self, joint_positions: Mapping[str, float]) -> None:
        """Moves all links.

        A joint that is not given follows the joint that it mimics, if any; otherwise it is at the allowed position
        nearest to 0.
        """
        if self._has_followers:
            joint_positions = self._description.with_followers(joint_positions) | dict(joint_positions)
        poses = {self._description.root: (np.eye(3), np.zeros(3))}
        for step in self._steps:
            joint = step.joint
            parent_rotation, parent_position = poses[joint.parent]
            position = parent_position + parent_rotation @ step.offset_m
            turned = parent_rotation @ step.rotation
            if joint.kind == 'revolute':
                turned = turned @ _turned(step.once, step.twice, joint_positions.get(joint.name, step.rest))
            elif joint.kind == 'prismatic':
                position = position + turned @ (step.axis * joint_positions.get(joint.name, step.rest))
            poses[joint.child] = (turned, position)
        self._poses = poses

    def link_pose(self, name: str) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) in m of a link.

        Raises:
            ValueError: the robot has no such link.
        """
        if name not in self._poses:
            raise ValueError(f'{name!r} is not a link of {self._description.name}')
        return self._poses[name]

    def frame_pose(self, link: str, origin: Origin) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) in m of a frame that is fixed to a link."""
        rotation, position = self.link_pose(link)
        return rotation @ origin.rotation, position + rotation @ np.array(origin.xyz)


class RobotKinematics(LinkPoses):
    """Poses of a robot's links, tools, camera and solids in the world frame."""

    def __init__(self, profile: RobotProfile) -> None:
        self.profile = profile
        self._shapes = robot_shapes(profile)
        self._shape_frames = [(shape.origin.rotation, np.array(shape.origin.xyz)) for _, shape in self._shapes]
        super().__init__(profile.description)
        self.update(profile.home)

    def tool_pose(self, arm: str) -> tuple[Array, Array]:
        """Rotation and position of an arm's tool frame, with z out of the hand and x along the fingers."""
        chosen = self.profile.arms[arm]
        return self.frame_pose(chosen.tool_link, chosen.tool)

    def tool_position(self, arm: str) -> Array:
        """Position (3,) in m of an arm's tool frame."""
        return self.tool_pose(arm)[1]

    def pointing_ray(self, arm: str) -> tuple[Array, Array]:
        """The ray along which a hand points: origin (3,) in m at the fingertip, and unit direction (3,)."""
        hand = self.profile.arms[arm].hand
        rotation, position = self.frame_pose(hand.pointer_link, hand.pointer)
        return position, rotation[:, 0]

    def camera_pose(self) -> tuple[Array, Array]:
        """Rotation and position of the camera's optical frame (z forward, x right, y down)."""
        return self.link_pose(self.profile.camera_link)

    def placed_shapes(self) -> list[PlacedShape]:
        """Every solid of the robot at its present pose."""
        placed = []
        for (link, shape), (rotation, offset) in zip(self._shapes, self._shape_frames, strict=True):
            link_rotation, link_position = self.link_pose(link)
            placed.append(PlacedShape(link, shape, link_rotation @ rotation, link_position + link_rotation @ offset))
        return placed

    def hand_closing(self, arm: str, joint_positions: Mapping[str, float]) -> float:
        """How far a hand is closed, from 0 (open) to 1: the mean over the joints that differ between open and closed.

        Raises:
            KeyError: a joint of the hand is missing in `joint_positions`.
        """
        hand = self.profile.arms[arm].hand
        fractions = [
            (joint_positions[name] - opened) / (closed - opened)
            for name, opened, closed in zip(hand.joints, hand.open, hand.closed, strict=True)
            if opened != closed
        ]
        return float(np.mean(fractions))

    def hand_closed(self, arm: str, joint_positions: Mapping[str, float]) -> bool:
        """Whether a hand is closed far enough to hold an object of any size. A pointing hand does not count."""
        hand = self.profile.arms[arm].hand
        if hand.point != hand.closed:
            away = [abs(joint_positions[name] - value) for name, value in zip(hand.joints, hand.point, strict=True)]
            if max(away) < _POINTING_TOLERANCE_RAD:
                return False
        return self.hand_closing(arm, joint_positions) > hand.closed_above


def _step(joint: Joint) -> _Step:
    return _Step(
        joint,
        joint.origin.rotation,
        np.array(joint.origin.xyz),
        np.array(joint.axis),
        *_cross_products(joint.axis),
        rest=float(np.clip(0.0, joint.lower, joint.upper)),
    )
