"""Motion plans for pick and place, giving included, and pointing: variants are tried until one passes all checks."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from action_node.motion.arm_planner import ArmPlanner, MotionInfeasible
from action_node.motion.collision import ContactAllowance, Leeway, Solid
from action_node.motion.grasp import Grasp, grasps, tool_rotation
from action_node.motion.inverse_kinematics import POINTER, IkTarget
from action_node.motion.motion_plan import MotionPlan, MotionSegment
from action_node.motion.release_points import ReleasePoint
from action_node.motion.table_geometry import highest_near, radius, widened_m

Array = NDArray[np.float64]

_UP = np.array([0.0, 0.0, 1.0])
_HALF_CLOSED = 0.4
# The last stage of a grasp; after it comes the carry.
_GRASPED = 4
_HAND_HALF_WIDTH_M = 0.1
_CARRIES_PER_GRASP = 60
_SMALL_TURNS_DEG = (0.0, 30.0, -30.0)
_LARGE_TURNS_DEG = (60.0, -60.0, 90.0, -90.0, 135.0, -135.0, 180.0)


@dataclass(frozen=True, slots=True)
class MotionStart:
    """The start of a motion: joint positions by name, all obstacles, and the height of the table."""

    joints: Mapping[str, float]
    base: Array
    solids: tuple[Solid, ...]
    table_top_m: float


class Attempts:
    """Counts the attempts, and keeps the reason of the attempt that got farthest.

    There are at most `most` attempts, and none after `until_s` (by time.perf_counter), so that the caller gets an
    answer.
    """

    def __init__(self, most: int, until_s: float = math.inf) -> None:
        self._left = most
        self._until_s = until_s
        self.worst: MotionInfeasible | None = None
        self.touched: set[str] = set()
        """Names of the obstacles that were in the way of grasps."""

    def spend(self) -> bool:
        """Uses up one attempt. Returns false once none are left or the time is up."""
        self._left -= 1
        return self._left >= 0 and time.perf_counter() < self._until_s

    def take_over(self, other: 'Attempts') -> None:
        """Adds the failures of another search."""
        self.touched |= other.touched
        if other.worst is not None:
            self.note(other.worst)

    def note(self, failure: MotionInfeasible) -> None:
        """Notes what was in the way, and keeps the failure if it got farther than the earlier ones."""
        if failure.touched and failure.stage <= _GRASPED:
            self.touched.add(failure.touched)
        if self.worst is None or failure.stage > self.worst.stage:
            self.worst = failure


def pick_and_place(
    arm: ArmPlanner,
    situation: MotionStart,
    solid: Solid,
    goals: Sequence[ReleasePoint],
    attempts: Attempts,
    neighbours: Sequence[str] = (),
) -> MotionPlan | None:
    """Grasps a solid from above, carries it to the first goal that can be reached, releases it and returns home.

    Fingers may come nearer to the `neighbours` than the clearance; see `neighbour_clearance_m`.
    """
    hand = arm.profile.hand
    closed, opened = np.array(hand.closed), np.array(hand.open)
    holding = replace(situation, base=arm.rows(situation.base, hand=opened + _HALF_CLOSED * (closed - opened))[0])
    for reach in _reaches(arm, situation, solid, attempts, neighbours):
        try:
            leeway = Leeway(arm.config.overlap_m)
            for carry in carries(arm, holding, solid, reach.joints, reach.grasp.target, goals, attempts, leeway):
                return _carrying(arm, reach, carry)
        finally:
            arm.checker.set_scene(situation.solids)
    return None


def _carrying(arm: ArmPlanner, reach: '_GraspReach', carry: 'Carry') -> MotionPlan:
    closed, opened = np.array(arm.profile.hand.closed), np.array(arm.profile.hand.open)
    to_grasp = (*reach.segments, arm.hand_segment('close', opened, closed))
    to_release = (*to_grasp, carry.segment, arm.hand_segment('open', closed, opened))
    return MotionPlan(
        arm.name,
        (*to_release, carry.back),
        carry.goal.centre_m,
        grasp=reach.grasp.pose,
        grasps_at=len(to_grasp) - 1,
        releases_at=len(to_release) - 1,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _GraspReach:
    segments: tuple[MotionSegment, ...]
    grasp: Grasp
    joints: Array


def _reaches(
    arm: ArmPlanner, situation: MotionStart, solid: Solid, attempts: Attempts, neighbours: Sequence[str]
) -> Iterator[_GraspReach]:
    """Checked motions that bring the open hand around a solid."""
    config, hand = arm.config, arm.profile.hand
    opened, closed = np.array(hand.open), np.array(hand.closed)
    now, hand_now = arm.here(situation.joints), arm.hand_here(situation.joints)
    base = arm.rows(situation.base, hand=opened)[0]
    opening = arm.opening(hand_now)
    beside = tuple(ContactAllowance(arm.hand_geoms, name, config.neighbour_clearance_m) for name in neighbours)
    # A gripper comes down around an object as wide as it was perceived, without the margin of the solid.
    slack_m = widened_m(solid) if math.isfinite(arm.hand.opening_m) else 0.0
    floor_m = situation.table_top_m + config.table_clearance_m
    found = list(grasps(solid, arm.hand, hand.tilts_rad, arm.inward, floor_m))
    # The same pose may be free with the elbow elsewhere.
    for start, grasp in ((start, grasp) for start in (now, *arm.seeds) for grasp in found):
        if not attempts.spend():
            return
        least_m = config.target_clearance_m - (0.0 if grasp.at_rim else slack_m)
        near = (ContactAllowance(arm.hand_geoms, solid.name, least_m),)
        try:
            joints = arm.solve(grasp.target, start)
            if joints is None:
                raise MotionInfeasible(1, f'the {arm.name} arm does not reach the object')
            if grasp.at_rim:
                arm.open_up(situation.solids, solid)
            arm.refuse(arm.first_touch(arm.rows(base, joints), (*near, *beside)), 2, 'grasp')
            closing = opened + np.linspace(0.0, 1.0, 7)[:, None] * (closed - opened)
            touching = (ContactAllowance(arm.hand_geoms, solid.name), *beside)
            rows = arm.rows(base, joints, closing)
            arm.refuse(arm.first_touch(rows, touching), 3, 'close')
            segment = _approach(arm, base, now, joints, grasp, near, beside=bool(beside))
        except MotionInfeasible as failure:
            attempts.note(failure)
            if grasp.at_rim:
                arm.checker.set_scene(situation.solids)
            continue
        yield _GraspReach((*opening, segment), grasp, joints)


def _approach(
    arm: ArmPlanner,
    base: Array,
    now: Array,
    joints: Array,
    grasp: Grasp,
    near: tuple[ContactAllowance, ...],
    *,
    beside: bool,
) -> MotionSegment:
    """Moves straight above the grasp, low if that is free, else high, then down; `beside`: close to a neighbour."""
    leeway = Leeway(0.0) if beside else None
    failure = MotionInfeasible(3, 'no approach')
    for height in (arm.config.lift_m, 2.5 * arm.config.lift_m):
        try:
            up = [IkTarget(grasp.target.position_m + height * _UP, grasp.target.rotation)]
            rise = [joints, *arm.along(joints, up, 3, 'a place above the object')]
            segment = arm.arm_segment('reach', [now, *arm.freely(now, rise[-1], 3), *rise[-2::-1]])
            # Checked from its end: seen backwards, a hand that comes down beside an object moves away from it.
            arm.check(segment, base, _GRASPED, near, leeway, until=rise[-1], backwards=True)
        except MotionInfeasible as error:
            failure = error
            continue
        return segment
    raise failure


@dataclass(frozen=True, slots=True, eq=False)
class Carry:
    """A checked motion of a held object to a goal, and of the empty hand from there to home."""

    segment: MotionSegment
    back: MotionSegment
    goal: ReleasePoint


def carries(
    arm: ArmPlanner,
    situation: MotionStart,
    solid: Solid,
    joints: Array,
    tool: IkTarget,
    goals: Iterable[ReleasePoint],
    attempts: Attempts,
    leeway: Leeway,
) -> Iterator[Carry]:
    """Motions that carry what the hand holds. They leave the solid attached to the hand in the checker.

    Args:
        arm: the arm.
        situation: the start, with the hand as it holds the solid.
        solid: the held object, positioned as it is when the arm is at `joints` and the tool at `tool`.
        joints: joint positions (k,) of the arm.
        tool: the same as a pose of the tool.
        goals: where the object may be released, best first.
        attempts: the attempts that are left.
        leeway: for pairs that are too close at the start, if the motion begins upwards.
    """
    holding = situation.base
    empty = arm.rows(situation.base, hand=np.array(arm.profile.hand.open))[0]
    offset = np.array(solid.centre_m) - tool.position_m
    heading = math.atan2(tool.rotation[1, 0], tool.rotation[0, 0])
    for goal, turn_deg in islice(_tries(goals), _CARRIES_PER_GRASP):
        if not attempts.spend():
            return
        turn = _about_up(math.radians(turn_deg))
        over = IkTarget(np.array(goal.centre_m) - turn @ offset, turn @ tool.rotation)
        if _awkward(arm, heading + math.radians(turn_deg)):
            continue
        try:
            arm.checker.carry(arm.name, arm.carried(solid, low=goal.low), arm.rows(holding, joints)[0])
            # Checking only the end is cheap, and most motions that fail do so there.
            end = arm.solve(over, joints)
            if end is None:
                raise MotionInfeasible(5, f'the {arm.name} arm does not reach {goal.name}')
            arm.refuse(arm.first_touch(arm.rows(holding, end)), 6, 'put down')
            above, *way = _way(arm, situation, solid, tool, over, goal)
            rise = arm.along(joints, [above], 5, goal.name)
            path = [*rise, *arm.along(rise[-1], way, 5, goal.name)]
            segment = arm.arm_segment('carry', [joints, *path])
            # No leeway along the table: an object beside it would be pushed.
            arm.check(segment, holding, 7, leeway=None if goal.low else leeway, until=rise[-1])
            back = _return(arm, path[-1], over, empty)
        except MotionInfeasible as failure:
            attempts.note(failure)
            continue
        yield Carry(segment, back, goal)


def _tries(goals: Iterable[ReleasePoint]) -> Iterator[tuple[ReleasePoint, float]]:
    """Goals, each with a turn of the hand in deg: small turns at every goal come before large ones at any goal."""
    chosen = tuple(goals)
    yield from ((goal, turn) for goal in chosen for turn in _SMALL_TURNS_DEG)
    # Lifting the object is preferred to sliding it with a large turn.
    yield from ((goal, turn) for goal in chosen if not goal.low for turn in _LARGE_TURNS_DEG)


def _way(
    arm: ArmPlanner, situation: MotionStart, solid: Solid, tool: IkTarget, over: IkTarget, goal: ReleasePoint
) -> list[IkTarget]:
    """Poses that lead up, over and down, higher than everything near the straight line; or along the table."""
    config = arm.config
    start, end = tool.position_m, over.position_m
    below_tool = start[2] - (solid.centre_m[2] - solid.size_m[2] / 2)
    if goal.low:
        height = situation.table_top_m + config.slide_m + below_tool
    else:
        others = [item for item in situation.solids if item.name != solid.name]
        from_xy, to_xy = (solid.centre_m[0], solid.centre_m[1]), (goal.centre_m[0], goal.centre_m[1])
        top = highest_near(others, from_xy, to_xy, radius(solid) + _HAND_HALF_WIDTH_M, situation.table_top_m + 0.05)
        height = top + config.travel_clearance_m + below_tool
    height = max(height, float(end[2]), float(start[2]))
    above_start = IkTarget(np.array([start[0], start[1], height]), tool.rotation)
    above_end = IkTarget(np.array([end[0], end[1], height]), over.rotation)
    return [above_start, above_end, over]


def _return(arm: ArmPlanner, joints: Array, tool: IkTarget, empty: Array) -> MotionSegment:
    """Straight up from where the object was released, and home."""
    arm.checker.carry(arm.name, None)
    opened = np.array(arm.profile.hand.open)
    closed = np.array(arm.profile.hand.closed)
    opening = closed + np.linspace(0.0, 1.0, 5)[:, None] * (opened - closed)
    try:
        arm.refuse(arm.first_touch(arm.rows(empty, joints, opening)), 7, 'open')
        return go_home(arm, joints, tool, empty, 8)
    finally:
        # Another motion may be tried, for which the object is carried again.
        arm.checker.restore_load(arm.name)


def go_home(
    arm: ArmPlanner,
    joints: Array,
    tool: IkTarget,
    base: Array,
    stage: int,
    leeway: Leeway | None = None,
    name: str = 'return',
) -> MotionSegment:
    """A checked segment straight up, as far as necessary, and home.

    Raises:
        MotionInfeasible: there is none.
    """
    failure = MotionInfeasible(stage, 'no way home')
    for height in (arm.config.lift_m, 2.5 * arm.config.lift_m, 0.0, 0.4 * arm.config.lift_m):
        try:
            rise = (
                arm.along(joints, [IkTarget(tool.position_m + height * _UP, tool.rotation)], stage, 'a place above')
                if height > 0
                else []
            )
            last = rise[-1] if rise else joints
            segment = arm.arm_segment(name, [joints, *rise, *arm.freely(last, arm.home, stage)])
            arm.check(segment, base, stage, leeway=leeway, until=last)
        except MotionInfeasible as error:
            failure = error
            continue
        return segment
    raise failure


def point(arm: ArmPlanner, situation: MotionStart, solid: Solid, attempts: Attempts) -> MotionPlan | None:
    """Stretches the arm so that the ray of the pointing finger passes through the middle of a solid, and returns."""
    hand, config = arm.profile.hand, arm.config
    now, hand_now = arm.here(situation.joints), arm.hand_here(situation.joints)
    pointing, opened = np.array(hand.point), np.array(hand.open)
    base = arm.rows(situation.base, hand=pointing)[0]
    for target in pointing_targets(solid, arm.inward, config.pointing_distance_m):
        if not attempts.spend():
            return None
        try:
            joints = arm.ik.solve(target, now, frame=POINTER, match='ray')
            if joints is None:
                joints = arm.ik.solve(target, arm.home, frame=POINTER, match='ray')
            if joints is None:
                raise MotionInfeasible(1, f'the {arm.name} arm cannot point at the object')
            arm.refuse(arm.first_touch(arm.rows(base, joints)), 2, 'point')
            there = arm.arm_segment('point', [now, *arm.freely(now, joints, 3)], config.dwell_s)
            arm.check(there, base, 3)
            back = arm.arm_segment('return', [joints, *arm.freely(joints, arm.home, 4)])
            arm.check(back, base, 4)
        except MotionInfeasible as failure:
            attempts.note(failure)
            continue
        segments = (
            arm.hand_segment('stretch finger', hand_now, pointing),
            there,
            back,
            arm.hand_segment('open', pointing, opened),
        )
        return MotionPlan(arm.name, segments)
    return None


def pointing_targets(solid: Solid, inward: float, distance_m: float) -> Iterator[IkTarget]:
    """Poses of the pointing finger's tip from which its ray (the x axis) passes through the middle of a solid.

    Args:
        solid: the solid to point at.
        inward: +1 or -1, the sign of a turn about the vertical that takes the arm's fingers towards the midline.
        distance_m: distance of the tip from the circle around the solid.
    """
    away_m = radius(solid) + distance_m
    for inward_deg in (20.0, -10.0, 45.0, -40.0, 70.0):
        for tilt_deg in (45.0, 60.0, 30.0, 75.0):
            rotation = tool_rotation(inward * math.radians(inward_deg), math.radians(tilt_deg))
            # Only the x axis matters; the finger may be turned about it in any way.
            yield IkTarget(np.array(solid.centre_m) - away_m * rotation[:, 0], rotation)


def _awkward(arm: ArmPlanner, heading_rad: float) -> bool:
    """Whether the fingers would point back at the robot; such goals are not worth the search."""
    if max(arm.profile.hand.tilts_rad) < 0.1:
        return False
    inward = math.remainder(heading_rad, 2 * math.pi) * arm.inward
    return not -1.4 < inward < 2.0


def _about_up(angle_rad: float) -> Array:
    cosine, sine = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
