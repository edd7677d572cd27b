"""Brings both arms home from wherever they are, putting down what they hold."""

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from action_node.motion.arm import ArmPlanner, NoWay
from action_node.motion.collision import CollisionChecker, Leeway, Solid
from action_node.motion.config import MotionConfig
from action_node.motion.held import in_hands
from action_node.motion.plan import MotionPlan, Segment
from action_node.motion.scene import free_spots, object_solid, radius, users_side_x_m
from action_node.motion.skills import Attempts, Goal, Situation, carries, go_home
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_core.values import Snapshot
from lucca_robot.profile import RobotProfile

_AT_HOME_RAD = 0.01
_OPEN_RAD = 0.02
_UNKNOWN_M = (0.07, 0.07, 0.06)
_SPOTS_TRIED = 12
# However the arms got where they are: there is no better start, so they part from whatever is too near.
_PARTING = Leeway(math.inf, robot=True)


def clear_arms(
    profile: RobotProfile,
    arms: Mapping[str, ArmPlanner],
    checker: CollisionChecker,
    config: MotionConfig,
    situation: Situation,
    snapshot: Snapshot,
    held: Mapping[str, str],
) -> MotionPlan:
    """See `MotionPlanner.plan_clear`. One arm after the other, in the order that works."""
    held = in_hands(arms, checker, situation, snapshot, held)
    situation = replace(situation, solids=tuple(s for s in situation.solids if s.name not in held.values()))
    names = sorted(arms, key=lambda name: (name not in held, name))
    failure: NoWay | None = None
    for order in (names, names[::-1]):
        here = situation
        segments: list[Segment] = []
        try:
            for name in order:
                arm = arms[name]
                checker.set_scene(here.solids)
                if name in held:
                    moves, put = _put_down(arm, checker, config, here, snapshot, held[name])
                    here = replace(here, solids=(*here.solids, put))
                else:
                    moves = _home_with_empty_hand(arm, here)
                segments += moves
                joints = dict(here.joints)
                for move in moves:
                    joints.update(zip(move.joints, move.positions[-1].tolist(), strict=True))
                here = replace(here, joints=joints, base=checker.positions(joints))
        except NoWay as error:
            failure = failure or error
            continue
        moved = [name for name in order if any(s.joints == arms[name].profile.joints for s in segments)]
        return MotionPlan(moved[0] if moved else '', tuple(segments))
    raise MotionError(ReasonCode.UNREACHABLE, f'the arms cannot be brought home: {failure}')


def _home_with_empty_hand(arm: ArmPlanner, situation: Situation) -> list[Segment]:
    now, hand_now = arm.here(situation.joints), arm.hand_here(situation.joints)
    opened = np.array(arm.profile.hand.open)
    opening = [arm.hand_segment('open', hand_now, opened)] if np.abs(hand_now - opened).max() > _OPEN_RAD else []
    if np.abs(now - arm.home).max() <= _AT_HOME_RAD:
        return opening
    tool = arm.ik.forward(now)
    try:
        return [go_home(arm, now, tool, situation.base, 1, _PARTING, 'home'), *opening]
    except NoWay as failure:
        if not opening:
            raise
        # Fingers that had begun to close about something let it go first.
        try:
            arm.check(opening[0], situation.base, 1, leeway=_PARTING)
            base = arm.rows(situation.base, hand=opened)[0]
            return [*opening, go_home(arm, now, tool, base, 1, _PARTING, 'home')]
        except NoWay:
            raise failure from None


def _put_down(
    arm: ArmPlanner,
    checker: CollisionChecker,
    config: MotionConfig,
    situation: Situation,
    snapshot: Snapshot,
    held: str,
) -> tuple[list[Segment], Solid]:
    """Segments, and what is put down where it then is."""
    now, hand_now = arm.here(situation.joints), arm.hand_here(situation.joints)
    tool = arm.ik.forward(now)
    item = snapshot.object_with_id(held) if held else None
    size = _UNKNOWN_M
    if item is not None:
        solid = object_solid(item, situation.table_top_m)
        size = (solid.size_m[0], solid.size_m[1], solid.size_m[2])
    # Wherever it was seen, it is in the hand now: its top at the tool.
    x, y, z = (float(v) for v in tool.position_m)
    outwards = tool.rotation[:, 2]
    x, y = x + float(outwards[0]) * size[0] / 2, y + float(outwards[1]) * size[1] / 2
    solid = Solid(held or 'what is held', (x, y, z - size[2] / 2), size, True)
    checker.carry(arm.name, arm.carried(solid), situation.base)
    radius_m = radius(solid)
    spots = free_spots(
        situation.solids,
        config,
        radius_m,
        (min(max(x, 0.25), 0.6), y),
        x_m=(0.2 + radius_m, (users_side_x_m(snapshot) or config.table_x_m[1]) - radius_m - 0.01),
        y_m=(-0.55, 0.55),
    )
    # Its fingers must not come lower than the object, however it was grasped.
    lowest = situation.table_top_m + 2 * config.table_clearance_m - arm.hand.lowest_m(tool.rotation)
    height = max(situation.table_top_m + config.slide_m, lowest - size[2]) + size[2] / 2
    goals = [Goal((*spot, height), 'a free place on the table') for spot in islice(spots, _SPOTS_TRIED)]
    attempts = Attempts(2 * config.most_attempts, time.perf_counter() + config.planning_timeout_s)
    for carry in carries(arm, situation, solid, now, tool, goals, attempts, _PARTING):
        opened = np.array(arm.profile.hand.open)
        checker.carry(arm.name, None)
        placed = replace(solid, centre_m=carry.goal.centre_m)
        return [carry.segment, arm.hand_segment('open', hand_now, opened), carry.back], placed
    raise attempts.worst or NoWay(0, f'there is no free place for what the {arm.name} hand holds')
