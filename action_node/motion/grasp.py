"""Grasp poses from above: the tilted hand is over the object, with its fingers behind it and its thumb in front of it.

The tool frame marks where the far upper edge of an object should be before the hand closes. The hand comes straight
down, so that its fingers and its thumb keep their horizontal distance to the object on the way.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from action_node.motion.collision import Solid
from action_node.motion.inverse_kinematics import IkTarget
from action_node.motion.table_geometry import half_extent
from lucca_core.protocol.snapshots import Pose
from lucca_robot.description import LinkShape
from lucca_robot.kinematics import LinkPoses
from lucca_robot.mujoco_model import quaternion_wxyz
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]

# With the tool higher than this above an object's top, the fingertips do not reach the object.
_DEEP_M = 0.045
# The sine of the largest downward angle at which fingers count as level, like those of a gripper. Level fingers can
# grasp at any height.
_LEVEL = 0.1
# If an object is longer than wide by this factor, the direction of the fingers matters.
_LONG = 1.25
# An object up to this width may be anywhere between fingers and thumb. A wider one may have to touch the thumb, which
# is _THUMB_M behind the tool.
_EASY_M = 0.06
_THUMB_M = 0.05
# An object wider than this in both directions is grasped at an edge, with the thumb beside it. Pairs: how much nearer
# than the far edge the tool is, and how far it is moved to the arm's inner side.
_OPENING_M = 0.085
_AT_EDGE_M = ((0.024, 0.032), (0.012, 0.032), (0.036, 0.022))
# If an obstacle is beside the object, the hand stays higher by the first value, and may leave the second as room beside
# its thumb.
_RAISED_M = 0.012
_OUTWARDS_M = 0.015
_ASKEW_DEG = (20.0, -20.0, 40.0, -40.0)
_INWARD_DEG = (30.0, 0.0, 60.0, -30.0, 90.0, -60.0)
# A gripper grasps a hollow object that is wider than its opening by the rim. One finger goes this deep inside; the tool
# is this far within the outline, half way between the points where the fingers touch a wall that leans.
_RIM_DEPTH_M = 0.015
_WITHIN_RIM_M = 0.006
# On objects lower than this, the thumb of a hand that is tilted more than its preferred angle comes down on top, not in
# front: fingers and thumb would then squeeze the object out.
_FLAT_M = 0.04


@dataclass(frozen=True, slots=True)
class Grasp:
    """A pose of the tool in which the closing hand grasps. `heading_rad` is the direction of its x axis in the plane.

    `at_rim`: one finger comes down inside the object.
    """

    target: IkTarget
    heading_rad: float
    tilt_rad: float
    at_rim: bool = False

    @property
    def pose(self) -> Pose:
        """The pose of the tool frame in the world."""
        x, y, z = self.target.position_m.tolist()
        qw, qx, qy, qz = quaternion_wxyz(self.target.rotation).tolist()
        return Pose((x, y, z), (qx, qy, qz, qw))


class HandShape:
    """The extent of a hand as points in the tool frame, over the whole motion from open to closed.

    `opening_m`: room between the open fingers of a gripper along the tool's x axis; infinite for other hands.
    """

    def __init__(self, profile: RobotProfile, arm: str) -> None:
        chosen = profile.arms[arm]
        poses = LinkPoses(profile.description)
        points, radii = [], []
        opened, closed = np.array(chosen.hand.open), np.array(chosen.hand.closed)
        for part in np.linspace(0.0, 1.0, 9):
            positions = opened + part * (closed - opened)
            poses.update(profile.home | dict(zip(chosen.hand.joints, positions.tolist(), strict=True)))
            tool_rotation, tool_position = poses.frame_pose(chosen.tool_link, chosen.tool)
            for link in profile.hand_links(arm):
                for shape in profile.description.link(link).shapes:
                    rotation, centre = poses.frame_pose(link, shape.origin)
                    corners, size = _corners(shape)
                    world = centre + corners @ rotation.T
                    points.append((world - tool_position) @ tool_rotation)
                    radii += [size] * len(corners)
        self._points = np.vstack(points)
        self._radii = np.array(radii)
        self.opening_m = _opening_m(profile, arm) if max(chosen.hand.tilts_rad) <= _LEVEL else math.inf

    def lowest_m(self, rotation: Array) -> float:
        """World z of the lowest point of the closing hand, relative to the tool frame (m, negative if below)."""
        return float((self._points @ rotation[2] - self._radii).min())


def tool_rotation(heading_rad: float, tilt_rad: float) -> Array:
    """Rotation of a tool whose x axis has this heading and points `tilt_rad` below the horizontal, with z downwards."""
    ahead = np.array([math.cos(heading_rad), math.sin(heading_rad), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    x = ahead * math.cos(tilt_rad) - up * math.sin(tilt_rad)
    z = -up * math.cos(tilt_rad) - ahead * math.sin(tilt_rad)
    y = np.array([math.sin(heading_rad), -math.cos(heading_rad), 0.0])
    return np.column_stack([x, y, z])


def grasps(
    solid: Solid, hand: HandShape, tilts_rad: tuple[float, ...], inward: float, floor_m: float
) -> Iterator[Grasp]:
    """Grasps of an object, the most natural first.

    Args:
        solid: the object.
        hand: the hand's extent.
        tilts_rad: how far the fingers may point below the horizontal.
        inward: +1 or -1, the sign of a turn about the vertical that takes the arm's fingers towards the midline.
        floor_m: world z below which no part of the hand may come.
    """
    if by_rim(solid, hand):
        yield from _rim_grasps(solid, hand, tilts_rad, inward, floor_m)
        return
    raised = (0.0, _RAISED_M) if max(tilts_rad) > _LEVEL else (0.0,)
    ways = product(raised, headings(solid, tilts_rad, inward), tilts_rad)
    flat = solid.size_m[2] < _FLAT_M
    for up, heading, tilt in sorted(ways, key=lambda way: flat and way[2] > tilts_rad[0]):
        if 2 * half_extent(solid, heading) >= hand.opening_m:
            continue
        rotation = tool_rotation(heading, tilt)
        above_m = least_above_m(hand, rotation, solid.top_m, floor_m) + up
        if can_hold(rotation, above_m):
            for ahead, aside in _offsets(solid, heading, tilt, raised=up > 0):
                x = solid.centre_m[0] + ahead * math.cos(heading) - inward * aside * math.sin(heading)
                y = solid.centre_m[1] + ahead * math.sin(heading) + inward * aside * math.cos(heading)
                yield Grasp(IkTarget(np.array([x, y, solid.top_m + above_m]), rotation), heading, tilt)


def by_rim(solid: Solid, hand: HandShape) -> bool:
    """Whether a gripper takes a solid by its rim: it is hollow, and wider than the gripper opens."""
    return solid.hollow and solid.round and 2 * half_extent(solid, 0.0) >= hand.opening_m


def rim_above_m(hand: HandShape, rotation: Array, top_m: float, floor_m: float) -> float:
    """Height of the tool above a rim, in m, with the fingertips `_RIM_DEPTH_M` below it; see `least_above_m`."""
    return max(least_above_m(hand, rotation, top_m, floor_m), -hand.lowest_m(rotation) - _RIM_DEPTH_M)


def _rim_grasps(
    solid: Solid, hand: HandShape, tilts_rad: tuple[float, ...], inward: float, floor_m: float
) -> Iterator[Grasp]:
    """Grasps of a wall all around the solid, with the hand across the wall."""
    from_centre_m = half_extent(solid, 0.0) - _WITHIN_RIM_M
    for heading, side in product(headings(solid, tilts_rad, inward), (1.0, -1.0)):
        rotation = tool_rotation(heading, tilts_rad[0])
        above_m = rim_above_m(hand, rotation, solid.top_m, floor_m)
        x = solid.centre_m[0] + side * from_centre_m * math.cos(heading)
        y = solid.centre_m[1] + side * from_centre_m * math.sin(heading)
        target = IkTarget(np.array([x, y, solid.top_m + above_m]), rotation)
        yield Grasp(target, heading, tilts_rad[0], at_rim=True)


def can_hold(rotation: Array, above_m: float, slack_m: float = 0.0) -> bool:
    """Whether the fingers still hold an object if the tool is this far above its top; `slack_m` widens the limit."""
    return _is_level(rotation) or above_m <= _DEEP_M + slack_m


def least_above_m(hand: HandShape, rotation: Array, top_m: float, floor_m: float) -> float:
    """Smallest height of the tool above an object's top, in m, at which the closing hand stays above the table.

    Args:
        hand: the hand's extent.
        rotation: rotation of the tool.
        top_m: world z of the object's top.
        floor_m: world z below which no part of the hand may come.
    """
    return max(0.0, floor_m - hand.lowest_m(rotation) - top_m)


def most_raised_m(rotation: Array) -> float:
    """How far above `least_above_m` the tool of a grasp with this rotation may be, in m."""
    return 0.0 if _is_level(rotation) else _RAISED_M


def _is_level(rotation: Array) -> bool:
    return -float(rotation[2, 0]) <= _LEVEL


def headings(solid: Solid, tilts_rad: tuple[float, ...], inward: float) -> list[float]:
    """Directions of the tool's x axis in the plane, in rad, the most natural first."""
    general = [inward * math.radians(angle) for angle in _INWARD_DEG]
    if max(tilts_rad) > _LEVEL:
        long, short = max(solid.size_m[:2]), min(solid.size_m[:2])
        if solid.round or long < _LONG * short:
            return general
        # The fingers are laid across a long object: it does not fit along them, and a tapered end may slip through
        # them.
        across = solid.yaw_rad + (math.pi / 2 if solid.size_m[0] > solid.size_m[1] else 0.0)
        exact = min((across, across + math.pi), key=lambda angle: abs(_wrapped(angle - general[0])))
        askew = [exact + math.radians(angle) for angle in _ASKEW_DEG]
        return [exact, *askew, exact + math.pi, *general]
    # A gripper that comes straight down closes along the object's sides, the shorter side first.
    along = [solid.yaw_rad, solid.yaw_rad + math.pi / 2]
    if solid.size_m[0] > solid.size_m[1]:
        along.reverse()
    aligned = [angle + turn for angle in along for turn in (0.0, math.pi)]
    return aligned + ([] if not solid.round else general)


def _offsets(solid: Solid, heading: float, tilt: float, *, raised: bool) -> list[tuple[float, float]]:
    """Offsets of the tool from the object's centre, in m: along the heading, and to the arm's inner side."""
    far = _far_edge(solid, heading)
    over = (far * min(1.0, math.sin(tilt) / 0.34), 0.0)
    width = _width_m(solid, heading)
    if raised and width <= _OPENING_M:
        return [over, (over[0], -_OUTWARDS_M)]
    if math.sin(tilt) <= _LEVEL or width <= _EASY_M:
        return [over]
    if width <= _OPENING_M:
        return [over, (_THUMB_M - half_extent(solid, heading), 0.0)]
    if min(solid.size_m[:2]) <= _OPENING_M:
        return []
    return [(far - nearer, aside) for nearer, aside in _AT_EDGE_M]


def _width_m(solid: Solid, heading: float) -> float:
    """Extent along a heading; of the ellipse inside a box, because a long object is grasped askew near its middle."""
    if solid.round:
        return 2 * half_extent(solid, heading)
    turn = heading - solid.yaw_rad
    return math.hypot(solid.size_m[0] * math.cos(turn), solid.size_m[1] * math.sin(turn))


def _far_edge(solid: Solid, heading: float) -> float:
    """Where the hand expects the far upper edge, from the centre, in m; along a long object, not quite at its end."""
    least = min(half_extent(solid, solid.yaw_rad), half_extent(solid, solid.yaw_rad + math.pi / 2))
    return 0.5 * (least + half_extent(solid, heading))


def _opening_m(profile: RobotProfile, arm: str) -> float:
    """Room between the open fingers that reach below the tool, along its x axis; infinite if one side has none."""
    chosen, poses = profile.arms[arm], LinkPoses(profile.description)
    poses.update(profile.home | dict(zip(chosen.hand.joints, chosen.hand.open, strict=True)))
    tool_rotation_world, tool_position = poses.frame_pose(chosen.tool_link, chosen.tool)
    before, behind = math.inf, -math.inf
    for link in profile.finger_links(arm):
        for shape in profile.description.link(link).shapes:
            rotation, centre = poses.frame_pose(link, shape.origin)
            corners, size = _corners(shape)
            in_tool = (centre + corners @ rotation.T - tool_position) @ tool_rotation_world
            if in_tool[:, 2].max() + size <= 0:
                continue
            if in_tool[:, 0].mean() > 0:
                before = min(before, float(in_tool[:, 0].min()) - size)
            else:
                behind = max(behind, float(in_tool[:, 0].max()) + size)
    return before - behind


def _wrapped(angle: float) -> float:
    return math.remainder(angle, 2 * math.pi)


def _corners(shape: LinkShape) -> tuple[Array, float]:
    """Points and a radius; the spheres with this radius around the points have the solid as their hull."""
    kind, dimensions = shape.kind, shape.dimensions_m
    if kind == 'hull':
        return np.array(shape.corners_m), 0.0
    if kind == 'sphere':
        return np.zeros((1, 3)), dimensions[0]
    if kind == 'capsule':
        half = dimensions[1] / 2
        return np.array([[0.0, 0.0, half], [0.0, 0.0, -half]]), dimensions[0]
    x, y, z = (extent / 2 for extent in dimensions)
    return np.array([[i * x, j * y, k * z] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]), 0.0
