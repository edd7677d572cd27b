"""Planning of a motion that brings both arms home from any position and puts down what they hold."""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from action_node.motion.arm_planner import ArmPlanner, MotionInfeasible
from action_node.motion.collision import CollisionChecker, Leeway, Solid
from action_node.motion.config import MotionConfig
from action_node.motion.held_objects import in_hands
from action_node.motion.motion_plan import MotionPlan, MotionSegment
from action_node.motion.release_points import ReleasePoint
from action_node.motion.skills import Attempts, MotionStart, carries, go_home
from action_node.motion.table_geometry import free_spots, object_solid, radius, users_side_x_m
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import Snapshot

_AT_HOME_RAD = 0.01
_UNKNOWN_M = (0.07, 0.07, 0.06)
_SPOTS_TRIED = 12
# This leeway applies wherever the arms are, because they cannot start from anywhere else.
_FROM_ANYWHERE = Leeway(math.inf, robot=True)


def clear_arms(
    arms: Mapping[str, ArmPlanner],
    checker: CollisionChecker,
    config: MotionConfig,
    situation: MotionStart,
    snapshot: Snapshot,
    held: Mapping[str, str],
    until_s: float,
) -> MotionPlan:
    """See `MotionPlanner.plan_clear`. Plans one arm after the other, in an order that works, until time `until_s`."""
    held = in_hands(arms, situation, snapshot, held)
    situation = replace(situation, solids=tuple(s for s in situation.solids if s.name not in held.values()))
    loads = {name: _load(arms[name], situation, snapshot, object_id) for name, object_id in held.items()}
    names = sorted(arms, key=lambda name: (name not in held, name))
    failure: MotionInfeasible | None = None
    for order in (names, names[::-1]):
        here, waiting = situation, dict(loads)
        segments: list[MotionSegment] = []
        try:
            for name in order:
                checker.set_scene(here.solids)
                for other, load in waiting.items():
                    checker.carry(other, arms[other].carried(load), here.base)
                if name in waiting:
                    moves, put = _put_down(arms[name], config, here, snapshot, waiting.pop(name), until_s)
                    here = replace(here, solids=(*here.solids, put))
                else:
                    moves = _home_with_empty_hand(arms[name], checker, here)
                segments += moves
                joints = dict(here.joints)
                for move in moves:
                    joints.update(zip(move.joints, move.positions[-1].tolist(), strict=True))
                here = replace(here, joints=joints, base=checker.positions(joints))
        except MotionInfeasible as error:
            failure = failure or error
            continue
        except ValueError as error:
            raise MotionError(ReasonCode.UNREACHABLE, str(error)) from error
        moved = [name for name in order if any(s.joints == arms[name].profile.joints for s in segments)]
        return MotionPlan(moved[0] if moved else '', tuple(segments))
    raise MotionError(ReasonCode.UNREACHABLE, f'the arms cannot be brought home: {failure}')


def _home_with_empty_hand(arm: ArmPlanner, checker: CollisionChecker, situation: MotionStart) -> list[MotionSegment]:
    now, hand_now = arm.here(situation.joints), arm.hand_here(situation.joints)
    opened = np.array(arm.profile.hand.open)
    opening = arm.opening(hand_now)
    if np.abs(now - arm.home).max() <= _AT_HOME_RAD:
        return opening

    def home_then_open() -> list[MotionSegment]:
        return [go_home(arm, now, arm.ik.forward(now), situation.base, 1, _FROM_ANYWHERE, 'home'), *opening]

    def open_then_home() -> list[MotionSegment]:
        for segment in opening:
            arm.check(segment, situation.base, 1, leeway=_FROM_ANYWHERE)
        base = arm.rows(situation.base, hand=opened)[0]
        return [*opening, go_home(arm, now, arm.ik.forward(now), base, 1, _FROM_ANYWHERE, 'home')]

    # If an object is between fingers that had begun to close, they open first.
    about = checker.beside(arm.hand_geoms, situation.base)
    first, second = (open_then_home, home_then_open) if opening and about else (home_then_open, open_then_home)
    try:
        return first()
    except MotionInfeasible as failure:
        try:
            return second()
        except MotionInfeasible:
            raise failure from None


def _load(arm: ArmPlanner, situation: MotionStart, snapshot: Snapshot, object_id: str) -> Solid:
    """The object that an arm holds, placed in the hand with its top at the tool, wherever it was last seen."""
    tool = arm.ik.forward(arm.here(situation.joints))
    item = snapshot.object_with_id(object_id) if object_id else None
    size = _UNKNOWN_M
    if item is not None:
        solid = object_solid(item, situation.table_top_m)
        size = (solid.size_m[0], solid.size_m[1], solid.size_m[2])
    x, y, z = (float(v) for v in tool.position_m)
    outwards = tool.rotation[:, 2]
    x, y = x + float(outwards[0]) * size[0] / 2, y + float(outwards[1]) * size[1] / 2
    return Solid(object_id or f'what the {arm.name} hand holds', (x, y, z - size[2] / 2), size, True)


def _put_down(
    arm: ArmPlanner,
    config: MotionConfig,
    situation: MotionStart,
    snapshot: Snapshot,
    load: Solid,
    until_s: float,
) -> tuple[list[MotionSegment], Solid]:
    """Segments that put a load down on a free place, and the load as a solid at that place."""
    now, hand_now = arm.here(situation.joints), arm.hand_here(situation.joints)
    tool = arm.ik.forward(now)
    x, y, _ = load.centre_m
    radius_m = radius(load)
    spots = free_spots(
        situation.solids,
        config,
        radius_m,
        (min(max(x, 0.25), 0.6), y),
        x_m=(0.2 + radius_m, (users_side_x_m(snapshot) or config.table_x_m[1]) - radius_m - 0.01),
        y_m=(-0.55, 0.55),
    )
    # The fingers must stay above the table, however deep they have grasped the object.
    lowest = situation.table_top_m + 2 * config.table_clearance_m - arm.hand.lowest_m(tool.rotation)
    height = max(situation.table_top_m + config.slide_m, lowest - load.size_m[2]) + load.size_m[2] / 2
    goals = [ReleasePoint((*spot, height), 'a free place on the table') for spot in islice(spots, _SPOTS_TRIED)]
    attempts = Attempts(2 * config.most_attempts, until_s)
    for carry in carries(arm, situation, load, now, tool, goals, attempts, _FROM_ANYWHERE):
        opened = np.array(arm.profile.hand.open)
        placed = replace(load, centre_m=carry.goal.centre_m)
        return [carry.segment, arm.hand_segment('open', hand_now, opened), carry.back], placed
    raise attempts.worst or MotionInfeasible(0, f'there is no free place for {load.name}')
