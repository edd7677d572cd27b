"""The motion planner: chooses the arm, and turns a request and a snapshot into collision-checked segments."""

import threading
import time
from collections.abc import Mapping, Sequence

from action_node.motion.arm_clearing import clear_arms
from action_node.motion.arm_planner import ArmPlanner
from action_node.motion.collision import CollisionChecker, Solid
from action_node.motion.config import MotionConfig
from action_node.motion.free_ways import FreeWays, StraightWays
from action_node.motion.motion_plan import MotionPlan, MotionRequest
from action_node.motion.release_points import ReleasePoint, release_points
from action_node.motion.skills import Attempts, MotionStart, pick_and_place, point
from action_node.motion.table_geometry import object_solid, solids_of, within
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_robot.profile import RobotProfile

_HAND_WIDTH_M = 0.1


class MotionPlanner:
    """Plans for one robot, one plan at a time. Models are compiled once, here; planning only moves objects in them."""

    def __init__(self, profile: RobotProfile, config: MotionConfig | None = None, ways: FreeWays | None = None) -> None:
        """`ways`: finds paths through free space, which are checked here; by default, straight lines in joint space."""
        self._ways = ways or StraightWays()
        self.profile = profile
        self.config = config or MotionConfig()
        self._checker = CollisionChecker(profile, self.config)
        self._arms = {name: ArmPlanner(profile, name, self.config, self._checker, self._ways) for name in profile.arms}
        self._lock = threading.Lock()

    def plan(self, request: MotionRequest, snapshot: Snapshot, joint_positions: Mapping[str, float]) -> MotionPlan:
        """A motion from the robot's present position that ends with the arm at home.

        Raises:
            MotionError: `unreachable`; the message says what is in the way or why nothing leads there.
        """
        with self._lock:
            # The time counts from here: another plan, whose caller has given up, may have been in progress.
            until_s = time.perf_counter() + self.config.planning_timeout_s
            item = snapshot.object_with_id(request.object_id)
            if item is None:
                known = ', '.join(other.object_id for other in snapshot.objects) or 'none'
                raise MotionError(
                    ReasonCode.UNREACHABLE, f'the snapshot has no object {request.object_id!r}; it has {known}'
                )
            situation = self._situation(snapshot, joint_positions)
            return self._first_plan(request, item, snapshot, situation, until_s)

    def plan_clear(
        self, snapshot: Snapshot, joint_positions: Mapping[str, float], held: Mapping[str, str]
    ) -> MotionPlan:
        """A motion that brings both arms home from any position and puts down held objects at free places of the table.

        Args:
            snapshot: the table.
            joint_positions: the robot's present position.
            held: by arm, the id of the held object; '' for something unknown.

        Raises:
            MotionError: `unreachable`; an arm cannot get home without a collision.
        """
        with self._lock:
            situation = self._situation(snapshot, joint_positions, frozenset(held.values()))
            until_s = time.perf_counter() + self.config.planning_timeout_s
            return clear_arms(self._arms, self._checker, self.config, situation, snapshot, held, until_s)

    def _situation(
        self, snapshot: Snapshot, joint_positions: Mapping[str, float], without: frozenset[str] = frozenset()
    ) -> MotionStart:
        solids = tuple(item for item in solids_of(snapshot, self.profile.table_top_m) if item.name not in without)
        try:
            self._checker.set_scene(solids)
        except ValueError as error:
            raise MotionError(ReasonCode.UNREACHABLE, str(error)) from error
        missing = [joint.name for joint in self.profile.moving_joints if joint.name not in joint_positions]
        if missing:
            raise MotionError(ReasonCode.HARDWARE_FAULT, f'joint states lack {", ".join(missing)}')
        base = self._checker.positions(joint_positions)
        self._ways.look(solids, joint_positions)
        return MotionStart(joint_positions, base, solids, self.profile.table_top_m)

    def _first_plan(
        self, request: MotionRequest, item: TableObject, snapshot: Snapshot, situation: MotionStart, until_s: float
    ) -> MotionPlan:
        solid = next((s for s in situation.solids if s.name == item.object_id), None)
        if solid is None:
            hollow = snapshot.as_container(item) is not None
            solid = object_solid(item, self.profile.table_top_m, hollow=hollow)
        failures = Attempts(0)
        goals = (
            []
            if request.kind == 'point'
            else release_points(request, solid, snapshot, situation.solids, self.config, situation.table_top_m)
        )
        plan = self._search(request, solid, goals, situation, failures, until_s)
        if plan is None and request.kind != 'point':
            # A second search, in which fingers may come close to the objects that were in the way of grasps, if they
            # are near.
            things = failures.touched & {other.object_id for other in snapshot.objects} - {item.object_id}
            if neighbours := within(situation.solids, solid, _HAND_WIDTH_M, things):
                plan = self._search(request, solid, goals, situation, failures, until_s, neighbours)
        if plan is not None:
            return plan
        found = failures.worst or 'no grasp fits it'
        if time.perf_counter() >= until_s:
            found = f'{found} (given up after planning_timeout_s = {self.config.planning_timeout_s:g} s)'
        raise MotionError(ReasonCode.UNREACHABLE, f'no motion for {item.name}: {found}')

    def _search(
        self,
        request: MotionRequest,
        solid: Solid,
        goals: Sequence[ReleasePoint],
        situation: MotionStart,
        failures: Attempts,
        until_s: float,
        neighbours: Sequence[str] = (),
    ) -> MotionPlan | None:
        for arm in self._nearest_first(solid, goals):
            attempts = Attempts(self.config.most_attempts, until_s)
            if request.kind == 'point':
                plan = point(arm, situation, solid, attempts)
            else:
                plan = pick_and_place(arm, situation, solid, goals, attempts, neighbours)
            if plan is not None:
                return plan
            failures.take_over(attempts)
        return None

    def _nearest_first(self, solid: Solid, goals: Sequence[ReleasePoint]) -> list[ArmPlanner]:
        """The arms, first that on the object's side; for an object near the middle, the goal's side decides."""
        y = solid.centre_m[1] + 0.3 * (goals[0].centre_m[1] if goals else 0.0)
        first = 'left' if y > 0 else 'right'
        names = sorted(self._arms, key=lambda name: name != first)
        return [self._arms[name] for name in names]
