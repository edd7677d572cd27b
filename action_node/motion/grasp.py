"""Grasp poses from above: the hand is over the object, tilted, with its fingers down behind it and its thumb before it.

The tool frame marks where the far upper edge of an object should be before the hand closes. The hand comes straight
down, so its fingers and its thumb keep their horizontal distance to the object on the way.
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
from lucca_robot.description import LinkShape
from lucca_robot.kinematics import LinkPoses
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]

# Higher than this over its top, the fingertips do not reach an object.
_DEEP_M = 0.045
# Fingers that point down by no more than this, as the sine of it, are level, as a gripper's: any height does.
_LEVEL = 0.1
# Longer than wide by this factor: it matters how the fingers lie across it.
_LONG = 1.25
# Up to this width, an object stands anywhere between fingers and thumb; a wider one may have to stand at the thumb,
# which is so far behind the tool.
_EASY_M = 0.06
_THUMB_M = 0.05
# What is wider than this both ways is taken at an edge, with the thumb beside it: the tool so much nearer than its far
# edge, and so far to the arm's inner side.
_OPENING_M = 0.085
_AT_EDGE_M = ((0.024, 0.032), (0.012, 0.032), (0.036, 0.022))
# Where something beside is in the way, the hand stays higher by so much, and leaves so much room beside its thumb.
_RAISED_M = 0.012
_OUTWARDS_M = 0.015
_ASKEW_DEG = (20.0, -20.0, 40.0, -40.0)
_INWARD_DEG = (30.0, 0.0, 60.0, -30.0, 90.0, -60.0)
# A gripper takes what is hollow and wider than it opens by its rim: one finger so deep inside, the tool so far within
# the outline, half way between where both fingers touch a wall that leans.
_RIM_DEPTH_M = 0.015
_WITHIN_RIM_M = 0.006
# On what is flatter than this, the thumb of a hand that is tilted more than it likes best comes down on top, not before
# it: fingers and thumb then squeeze it out.
_FLAT_M = 0.04


@dataclass(frozen=True, slots=True)
class Grasp:
    """A pose of the tool from which closing the hand grasps. `heading_rad` is where its x axis points in the plane.

    `at_rim`: one finger comes down inside.
    """

    target: IkTarget
    heading_rad: float
    tilt_rad: float
    at_rim: bool = False


class HandShape:
    """The points of a hand that come lowest, in the tool frame, over the whole way from open to closed.

    `opening_m`: the room between the open fingers of a gripper along the tool's x axis; infinite for other hands.
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
        """World z of the lowest point while the hand closes, relative to the tool frame (m, negative below)."""
        return float((self._points @ rotation[2] - self._radii).min())


def tool_rotation(heading_rad: float, tilt_rad: float) -> Array:
    """Rotation of a tool whose x axis points along a heading and `tilt_rad` below the horizontal, z downwards."""
    ahead = np.array([math.cos(heading_rad), math.sin(heading_rad), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    x = ahead * math.cos(tilt_rad) - up * math.sin(tilt_rad)
    z = -up * math.cos(tilt_rad) - ahead * math.sin(tilt_rad)
    return np.column_stack([x, np.cross(z, x), z])


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
    """How far above a rim, in m, a tool is whose fingers reach `_RIM_DEPTH_M` below it; see `least_above_m`."""
    return max(least_above_m(hand, rotation, top_m, floor_m), -hand.lowest_m(rotation) - _RIM_DEPTH_M)


def _rim_grasps(
    solid: Solid, hand: HandShape, tilts_rad: tuple[float, ...], inward: float, floor_m: float
) -> Iterator[Grasp]:
    """Grasps of a wall, all around, the hand across it."""
    from_centre_m = half_extent(solid, 0.0) - _WITHIN_RIM_M
    for heading, side in product(headings(solid, tilts_rad, inward), (1.0, -1.0)):
        rotation = tool_rotation(heading, tilts_rad[0])
        above_m = rim_above_m(hand, rotation, solid.top_m, floor_m)
        x = solid.centre_m[0] + side * from_centre_m * math.cos(heading)
        y = solid.centre_m[1] + side * from_centre_m * math.sin(heading)
        target = IkTarget(np.array([x, y, solid.top_m + above_m]), rotation)
        yield Grasp(target, heading, tilts_rad[0], at_rim=True)


def can_hold(rotation: Array, above_m: float, slack_m: float = 0.0) -> bool:
    """Whether the fingers still hold an object with the tool this far above its top, or `slack_m` more."""
    return _is_level(rotation) or above_m <= _DEEP_M + slack_m


def least_above_m(hand: HandShape, rotation: Array, top_m: float, floor_m: float) -> float:
    """How far above the top of a flat object a tool is, in m, so that its hand stays above the table while it closes.

    Args:
        hand: the hand's extent.
        rotation: of the tool.
        top_m: world z of the object's top.
        floor_m: world z below which no part of the hand may come.
    """
    return max(0.0, floor_m - hand.lowest_m(rotation) - top_m)


def most_raised_m(rotation: Array) -> float:
    """How far above `least_above_m` the tool of a grasp may be, in m, if it is turned like this."""
    return 0.0 if _is_level(rotation) else _RAISED_M


def _is_level(rotation: Array) -> bool:
    return -float(rotation[2, 0]) <= _LEVEL


def headings(solid: Solid, tilts_rad: tuple[float, ...], inward: float) -> list[float]:
    """Directions of the tool's x axis in the plane, in rad."""
    general = [inward * math.radians(angle) for angle in _INWARD_DEG]
    if max(tilts_rad) > _LEVEL:
        long, short = max(solid.size_m[:2]), min(solid.size_m[:2])
        if solid.round or long < _LONG * short:
            return general
        # Fingers are laid across something long: along it, it does not fit, and a tapered end may slip through them.
        across = solid.yaw_rad + (math.pi / 2 if solid.size_m[0] > solid.size_m[1] else 0.0)
        exact = min((across, across + math.pi), key=lambda angle: abs(_wrapped(angle - general[0])))
        askew = [exact + math.radians(angle) for angle in _ASKEW_DEG]
        return [exact, *askew, exact + math.pi, *general]
    # A gripper that comes straight down closes along the object's sides, the shorter first.
    along = [solid.yaw_rad, solid.yaw_rad + math.pi / 2]
    if solid.size_m[0] > solid.size_m[1]:
        along.reverse()
    aligned = [angle + turn for angle in along for turn in (0.0, math.pi)]
    return aligned + ([] if not solid.round else general)


def _offsets(solid: Solid, heading: float, tilt: float, *, raised: bool) -> list[tuple[float, float]]:
    """Where the tool may be, ahead of the centre along the heading and aside to the arm's inner side, in m."""
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
    """Extent along a heading, of the ellipse within its outline: what is long is taken askew near its middle."""
    if solid.round:
        return 2 * half_extent(solid, heading)
    turn = heading - solid.yaw_rad
    return math.hypot(solid.size_m[0] * math.cos(turn), solid.size_m[1] * math.sin(turn))


def _far_edge(solid: Solid, heading: float) -> float:
    """How far beyond the centre the hand expects the far upper edge: along something long not quite at its end."""
    least = min(half_extent(solid, solid.yaw_rad), half_extent(solid, solid.yaw_rad + math.pi / 2))
    return 0.5 * (least + half_extent(solid, heading))


def _opening_m(profile: RobotProfile, arm: str) -> float:
    """Room between the solids of open fingers that reach beyond the tool, along its x axis; infinite on one side."""
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
    """Points and a radius whose spheres' hull is the solid."""
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
