"""The objects that closed hands may hold, judged by the snapshot when no record is left, as after a crash."""

import math
from collections.abc import Mapping

import numpy as np

from action_node.motion.arm_planner import ArmPlanner
from action_node.motion.grasp import by_rim, can_hold, least_above_m, most_raised_m, rim_above_m
from action_node.motion.skills import MotionStart
from action_node.motion.table_geometry import gap_to_point, radius
from lucca_core.protocol.snapshots import HAND, Snapshot

# Perception tells a held thing where the hand was a frame or two ago.
_SEEN_IN_HAND_M = 0.15
# The tool marks where a thing is before the hand closes about it, or is above that (grasp.py).
_GRASPED_M = 0.02
# Error of a grasp's height, as moved and as seen. A hand that is higher has closed on nothing, or has lifted it.
_HEIGHT_M = 0.008
# So much of its height over a flat thing counts as a gap.
_PALM_FIRST = 0.2


def in_hands(
    arms: Mapping[str, ArmPlanner],
    situation: MotionStart,
    snapshot: Snapshot,
    held: Mapping[str, str],
) -> dict[str, str]:
    """`held` with '' replaced by the object that the hand seems to have; '' stays where there is none.

    That is the thing seen in a hand that is nearest to it, else the one that its closed hand is about where it is
    believed to stand: a grasp of a moment ago, which perception has not told as one.

    Args:
        arms: planners by name.
        situation: where the robot is.
        snapshot: what is seen.
        held: object id by arm of what is held; '' for something unknown.
    """
    found = dict(held)
    unknown = [name for name, object_id in held.items() if not object_id]
    tools = {name: arms[name].ik.forward(arms[name].here(situation.joints)).position_m.tolist() for name in unknown}
    seen = [
        (math.dist(tools[name], item.pose_world.position_m), name, item.object_id)
        for name in unknown
        for item in snapshot.objects
        if item.container == HAND
    ]
    for apart_m, name, object_id in sorted(seen):
        if not found[name] and object_id not in found.values() and apart_m < _SEEN_IN_HAND_M:
            found[name] = object_id
    for name in unknown:
        if not found[name]:
            around = grasped(arms[name], situation)
            things = [thing for thing in around if snapshot.object_with_id(thing) and thing not in found.values()]
            found[name] = things[0] if things else ''
    return found


def grasped(arm: ArmPlanner, situation: MotionStart) -> list[str]:
    """Names of the solids that a hand is about where they stand, the nearest first: its tool is where their grasp has
    it.

    Its fingers may not have come to them yet. What is only beside the hand, or below it, is not where its tool is.
    """
    tool = arm.ik.forward(arm.here(situation.joints))
    floor_m = situation.table_top_m + arm.config.table_clearance_m
    found = []
    for solid in situation.solids:
        height = rim_above_m if by_rim(solid, arm.hand) else least_above_m
        above_m = height(arm.hand, tool.rotation, solid.top_m, floor_m)
        x, y, z = (tool.position_m - np.array([0.0, 0.0, above_m])).tolist()
        gap_m = gap_to_point(solid, (x, y, z))
        highest_m = solid.top_m + most_raised_m(tool.rotation) + _HEIGHT_M
        if gap_m < _GRASPED_M and z < highest_m and can_hold(tool.rotation, above_m, _HEIGHT_M):
            # Fingers close first about what is nearer to the palm. Outlines are larger than things, so the point may be
            # in two.
            far_m = gap_m + _PALM_FIRST * above_m
            found.append((far_m, math.dist((x, y), solid.centre_m[:2]) / radius(solid), solid.name))
    return [name for _, _, name in sorted(found)]
