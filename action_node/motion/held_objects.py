"""The objects that closed hands may hold, judged from the snapshot if there is no record, as after a crash."""

import math
from collections.abc import Mapping

import numpy as np

from action_node.motion.arm_planner import ArmPlanner
from action_node.motion.grasp import by_rim, can_hold, least_above_m, most_raised_m, rim_above_m
from action_node.motion.skills import MotionStart
from action_node.motion.table_geometry import gap_to_point, radius
from lucca_core.protocol.snapshots import HAND, Snapshot

# Perception reports a held object where the hand was a frame or two ago.
_SEEN_IN_HAND_M = 0.15
# The tool marks where an object is before the hand closes around it, or is above that place (grasp.py).
_GRASPED_M = 0.02
# Error of a grasp's height, both in motion and in perception. A hand higher than this has closed on nothing, or has
# lifted the object.
_HEIGHT_M = 0.008
# Share of the height above a flat object that counts as distance.
_PALM_FIRST = 0.2


def in_hands(
    arms: Mapping[str, ArmPlanner],
    situation: MotionStart,
    snapshot: Snapshot,
    held: Mapping[str, str],
) -> dict[str, str]:
    """`held` with each '' replaced by the object that the hand seems to hold; '' remains if there is none.

    That is the nearest object seen in a hand. If there is none, it is the object around which the hand has closed at
    the object's known place: a grasp that has just been made and that perception has not reported yet.

    Args:
        arms: planners by name.
        situation: position of the robot, and obstacles.
        snapshot: the perceived objects.
        held: by arm, the id of the held object; '' for something unknown.
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
    """Names of the solids that a hand is about to grasp or has grasped, where they stand, the nearest first.

    The tool must be where a grasp of the solid puts it; the fingers may not touch the solid yet. A solid that is only
    beside or below the hand does not qualify.
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
            # The fingers close first around the object nearer to the palm. Outlines are larger than the objects, so the
            # point may be inside two of them.
            far_m = gap_m + _PALM_FIRST * above_m
            found.append((far_m, math.dist((x, y), solid.centre_m[:2]) / radius(solid), solid.name))
    return [name for _, _, name in sorted(found)]
