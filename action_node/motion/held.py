"""What closed hands may have in them, where nobody noted it: a process that was killed knows only what it sees."""

import math
from collections.abc import Mapping

from action_node.motion.arm import ArmPlanner
from action_node.motion.collision import CollisionChecker
from action_node.motion.scene import gap_to_point
from action_node.motion.skills import Situation
from lucca_core.values import HAND, Snapshot

# Perception tells a held thing where the hand was a frame or two ago.
_SEEN_IN_HAND_M = 0.15
# The tool marks where a thing is before the hand closes about it.
_GRASPED_M = 0.02


def in_hands(
    arms: Mapping[str, ArmPlanner],
    checker: CollisionChecker,
    situation: Situation,
    snapshot: Snapshot,
    held: Mapping[str, str],
) -> dict[str, str]:
    """`held` with '' replaced by the object that the hand seems to have; '' stays where there is none.

    That is the thing seen in a hand that is nearest to it, else the one that its closed fingers are about where it is believed
    to stand: a grasp of a moment ago, which perception has not told as one.

    Args:
        arms: planners by name.
        checker: with the situation's solids set.
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
            around = grasped(arms[name], checker, situation)
            things = [thing for thing in around if snapshot.object_with_id(thing) and thing not in found.values()]
            found[name] = things[0] if things else ''
    return found


def grasped(arm: ArmPlanner, checker: CollisionChecker, situation: Situation) -> list[str]:
    """Names of the solids that a hand's fingers are about where they stand, the nearest first.

    What is only beside the hand is not where its tool is.
    """
    x, y, z = (float(value) for value in arm.ik.forward(arm.here(situation.joints)).position_m)
    solids = {solid.name: solid for solid in situation.solids}
    beside = checker.beside(arm.hand_geoms, situation.base)
    return [name for name in beside if name in solids and gap_to_point(solids[name], (x, y, z)) < _GRASPED_M]
