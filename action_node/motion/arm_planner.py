"""Planning for one arm: inverse kinematics, hand postures, and collision-checked segments."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from action_node.motion.collision import ClearanceViolation, CollisionChecker, ContactAllowance, Leeway, Solid
from action_node.motion.config import MotionConfig
from action_node.motion.free_ways import FreeWays, NoWay, StraightWays
from action_node.motion.grasp import HandShape
from action_node.motion.inverse_kinematics import ArmIk, IkTarget
from action_node.motion.motion_plan import MotionSegment
from action_node.motion.table_geometry import walls_of
from action_node.motion.trajectory import positions_at, smooth_trajectory
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]

_PATH_STEP_M = 0.04
_SHORTER_M = 0.012
_OPEN = 0.02
"""Largest distance of an open hand's joint from its open position, as a fraction of `JointTravel.unit`."""
# Slightly more than the share of the table clearance that is required for a carried object.
_SLIDING = 0.85


class MotionInfeasible(Exception):
    """A candidate motion does not work.

    `stage` says how far it got, so that the most informative reason can be reported. `touched` names the obstacle, if
    any.
    """

    def __init__(self, stage: int, reason: str, touched: str = '') -> None:
        self.stage = stage
        self.touched = touched
        super().__init__(reason)


class ArmPlanner:
    """Builds and checks the pieces of a motion of one arm."""

    def __init__(
        self,
        profile: RobotProfile,
        arm: str,
        config: MotionConfig,
        checker: CollisionChecker,
        ways: FreeWays | None = None,
    ) -> None:
        """`ways`: finds paths through free space; by default, straight lines in joint space."""
        self._ways = ways or StraightWays()
        self.name = arm
        self.profile = profile.arms[arm]
        self.config = config
        self.checker = checker
        self.hand = HandShape(profile, arm)
        self.home = np.array(self.profile.home)
        self.seeds = tuple(np.array(seed) for seed in self.profile.seeds)
        self.inward = -1.0 if arm == 'left' else 1.0
        self.hand_geoms = checker.hand_geoms[arm]
        self.ik = ArmIk(
            profile,
            arm,
            position_tolerance_m=config.position_tolerance_m,
            angle_tolerance_rad=config.angle_tolerance_rad,
        )
        self._columns = checker.columns(self.profile.joints)
        self._hand_columns = checker.columns(self.profile.hand.joints)
        self._hand_units = np.array([profile.hand_travels[name].unit for name in self.profile.hand.joints])
        joints = [profile.description.joint(name) for name in self.profile.joints]
        fingers = [profile.description.joint(name) for name in self.profile.hand.joints]
        self._speeds = config.speed_margin * np.array([min(j.velocity, config.arm_speed_radps) for j in joints])
        self._hand_speeds = config.speed_margin * np.array(
            [min(j.velocity, config.hand_speed_radps * (1.0 if j.kind == 'revolute' else 0.1)) for j in fingers]
        )

    def here(self, joint_positions: Mapping[str, float]) -> Array:
        """The positions (k,) of the arm's joints, in rad."""
        return np.array([joint_positions[name] for name in self.profile.joints])

    def hand_here(self, joint_positions: Mapping[str, float]) -> Array:
        """The positions (h,) of the hand's joints, in rad or m."""
        return np.array([joint_positions[name] for name in self.profile.hand.joints])

    def solve(self, target: IkTarget, *starts: Array) -> Array | None:
        """Joint positions (k,) for a tool pose, or None.

        The search begins at `starts`, the home position and the seeds, in this order; the first that leads to the pose
        is used.
        """
        for start in (*starts, self.home, *self.seeds):
            found = self.ik.solve(target, start)
            if found is not None:
                return found
        return None

    def along(self, start: Array, targets: Sequence[IkTarget], stage: int, what: str) -> list[Array]:
        """Joint positions along tool poses, in small straight steps from the tool pose at `start`.

        Raises:
            MotionInfeasible: the arm cannot follow them.
        """
        path: list[Array] = []
        position, here = self.ik.forward(start), start
        for target in targets:
            distance = float(np.linalg.norm(target.position_m - position.position_m))
            turn = _angle(position.rotation.T @ target.rotation)
            count = max(1, int(np.ceil(max(distance / _PATH_STEP_M, turn / 0.3))))
            for index in range(1, count + 1):
                part = index / count
                found = self.ik.solve(_between(position, target, part), here)
                if found is None:
                    raise MotionInfeasible(stage, f'the {self.name} arm does not reach {what}')
                if np.abs(found - here).max() > 0.9:
                    raise MotionInfeasible(stage, f'the {self.name} arm would have to turn over on the way to {what}')
                path.append(found)
                here = found
            position = target
        return path

    def freely(self, start: Array, end: Array, stage: int) -> list[Array]:
        """Joint positions (k,) from `start` to `end` through free space, without `start`.

        Raises:
            MotionInfeasible: no path was found.
        """
        try:
            return self._ways.way(self.name, start, end)
        except NoWay as error:
            raise MotionInfeasible(stage, f'{error} ({self.name} arm)') from error

    def arm_segment(self, name: str, waypoints: Sequence[Array], dwell_s: float = 0.0) -> MotionSegment:
        """A trajectory of the arm through joint positions (k,), from rest to rest, followed by a rest of `dwell_s`."""
        config = self.config
        return smooth_trajectory(
            name,
            self.profile.controller,
            self.profile.joints,
            np.array(waypoints),
            joint_speeds=self._speeds,
            smoothing_s=config.smoothing_s,
            sample_s=config.sample_s,
            dwell_s=dwell_s,
            tool_path=self._tool_path,
            tool_speed_mps=config.tool_speed_mps * config.speed_margin,
        )

    def hand_segment(self, name: str, start: Array, end: Array) -> MotionSegment:
        """A trajectory of the hand between two joint positions (h,), from rest to rest, then a rest of `grip_s`."""
        return smooth_trajectory(
            name,
            self.profile.hand.controller,
            self.profile.hand.joints,
            np.array([start, end]),
            joint_speeds=self._hand_speeds,
            smoothing_s=self.config.smoothing_s,
            sample_s=self.config.sample_s,
            dwell_s=self.config.grip_s,
        )

    def opening(self, hand_now: Array) -> list[MotionSegment]:
        """The segment that opens the hand from its joint positions (h,), or nothing if it is open."""
        opened = np.array(self.profile.hand.open)
        if (np.abs(hand_now - opened) / self._hand_units).max() <= _OPEN:
            return []
        return [self.hand_segment('open', hand_now, opened)]

    def rows(self, base: Array, arm: Array | None = None, hand: Array | None = None) -> Array:
        """Position vectors of all joints: `base` (nq,) with those of the arm and the hand, (n, k) or (k,), inserted."""
        count = max(len(np.atleast_2d(part)) if part is not None else 1 for part in (arm, hand))
        rows = np.repeat(base[None, :], count, axis=0)
        if arm is not None:
            rows[:, self._columns] = arm
        if hand is not None:
            rows[:, self._hand_columns] = hand
        return rows

    def check(
        self,
        segment: MotionSegment,
        base: Array,
        stage: int,
        may_touch: Collection[ContactAllowance] = (),
        leeway: Leeway | None = None,
        *,
        until: Array | None = None,
        backwards: bool = False,
    ) -> None:
        """Checks samples of a segment of the arm or the hand, with all other joints as in `base`; see `first_touch`.

        Args:
            segment: the segment.
            base: position vector (nq,) of all joints.
            stage: stage of a failure.
            may_touch: permitted contacts.
            leeway: for pairs that are too close at the start of the segment.
            until: the leeway ends where the joints are at these positions (k,); None: it applies to the end.
            backwards: the leeway is for pairs that are too close at the end; the segment is then checked from its end.

        Raises:
            MotionInfeasible: a pair comes too close; the message names it and the distance.
        """
        columns = self._columns if segment.controller == self.profile.controller else self._hand_columns
        step_s = self.config.check_step_m / self.config.tool_speed_mps
        count = max(2, int(np.ceil(segment.duration_s / step_s)) + 1)
        positions = positions_at(segment, np.linspace(0.0, segment.duration_s, count))
        positions = positions[np.concatenate([[True], np.abs(np.diff(positions, axis=0)).max(axis=1) > 1e-9])]
        if backwards:
            positions = positions[::-1]
        rows = np.repeat(base[None, :], len(positions), axis=0)
        rows[:, columns] = positions
        leeway_rows = None if until is None else int(np.abs(positions - until).max(axis=1).argmin()) + 1
        self.refuse(self.first_touch(rows, may_touch, leeway, leeway_rows), stage, segment.name)

    def first_touch(
        self,
        rows: Array,
        may_touch: Collection[ContactAllowance] = (),
        leeway: Leeway | None = None,
        leeway_rows: int | None = None,
    ) -> ClearanceViolation | None:
        """Like `CollisionChecker.first_touch`, for everything that this arm moves."""
        return self.checker.first_touch(
            rows, arm=self.name, may_touch=may_touch, leeway=leeway, leeway_rows=leeway_rows
        )

    def refuse(self, touch: ClearanceViolation | None, stage: int, name: str) -> None:
        """Raises if there is a touch.

        Args:
            touch: the result of a check.
            stage: how far the motion had got.
            name: what the arm was doing.

        Raises:
            MotionInfeasible: `touch` is not None.
        """
        if touch is not None:
            raise MotionInfeasible(stage, f'{touch} ({self.name} arm, {name})', touch.second)

    def open_up(self, solids: Sequence[Solid], hollow: Solid) -> None:
        """Treats the inside of a hollow solid as free, until the next `set_scene` of the checker.

        Raises:
            MotionInfeasible: there are too many obstacles to add those of its wall.
        """
        others = [solid for solid in solids if solid.name != hollow.name]
        try:
            self.checker.set_scene([*others, *walls_of(hollow)])
        except ValueError as error:
            raise MotionInfeasible(2, str(error)) from error

    def carried(self, solid: Solid, *, low: bool = False) -> Solid:
        """The solid to check while an object is carried.

        It is slightly shorter at the bottom, because the object begins and ends its way standing on something. If it
        slides along the table (`low`), it is shortened by at most the clearance to other objects, so that it slides
        over nothing, and by more than the required clearance to the table.
        """
        sliding = min(_SLIDING * self.config.table_clearance_m, self.config.clearance_m)
        shorter = min(sliding if low else _SHORTER_M, solid.size_m[2] / 3)
        x, y, z = solid.centre_m
        width, depth, height = solid.size_m
        return Solid(solid.name, (x, y, z + shorter / 2), (width, depth, height - shorter), solid.round, solid.yaw_rad)

    def _tool_path(self, positions: Array) -> Array:
        return np.array([self.ik.forward(row).position_m for row in positions])


def _between(first: IkTarget, second: IkTarget, part: float) -> IkTarget:
    position = first.position_m + part * (second.position_m - first.position_m)
    relative = first.rotation.T @ second.rotation
    angle = _angle(relative)
    if angle < 1e-6:
        return IkTarget(position, second.rotation)
    axis = np.array([relative[2, 1] - relative[1, 2], relative[0, 2] - relative[2, 0], relative[1, 0] - relative[0, 1]])
    length = float(np.linalg.norm(axis))
    if length < 1e-6:
        # For half a turn, the axis is the eigenvector that stays the same.
        axis, length = np.linalg.svd(relative - np.eye(3))[2][-1], 1.0
    x, y, z = axis / length * part * angle
    return IkTarget(position, first.rotation @ _rotation((x, y, z)))


def _angle(rotation: Array) -> float:
    return float(np.arccos(np.clip((np.trace(rotation) - 1.0) / 2.0, -1.0, 1.0)))


def _rotation(vector: tuple[float, float, float]) -> Array:
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = np.array(vector) / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    result: Array = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
    return result
