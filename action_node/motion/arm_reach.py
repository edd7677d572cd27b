"""A quick check of whether any arm can reach what an action needs: inverse kinematics, without collisions and paths.

It runs before planning. What it finds out of reach, the planner could not reach either. If it is not certain, it
agrees, and planning decides.
"""

import math
import threading
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from action_node.motion.collision import Solid
from action_node.motion.config import MotionConfig
from action_node.motion.grasp import Grasp, HandShape, grasps
from action_node.motion.inverse_kinematics import POINTER, TOOL, ArmIk, IkTarget, Match
from action_node.motion.motion_plan import MotionKind, MotionRequest
from action_node.motion.release_points import release_points
from action_node.motion.skills import pointing_targets
from action_node.motion.table_geometry import half_extent, object_solid, solids_of
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import HAND, Snapshot, TableObject
from lucca_memory.procedural import ActionSpec, Motion
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]

# Much wider than the tolerances of the planner, whose search takes the same steps: if the tool never comes this near,
# the planner fails too, even if the arm is not quite at home.
_NEAR_M = 0.02
_NEAR_RAD = 0.2
# Random postures, drawn once. Those nearest to a place serve as starts of the search for it: a search from home alone
# may end at a joint limit although the place can be reached another way.
_DRAWN = 2000
_DRAWN_STARTS = 4
_QUICK_GRASPS = (1, 10)
"""How many grasps of each arm are tried quickly, at first and if no arm can reach those."""
# Positions of a resting object vary by less than this in perception.
_SAME_M = 0.005
_SAME_PLACE_M = 0.01
"""Places nearer together than this, in m, are told with the same numbers."""
_KINDS: dict[Motion, MotionKind] = {Motion.GIVE: 'give', Motion.PICK_AND_PLACE: 'pick_and_place'}


class ArmReach:
    """Answers for one robot. Thread-safe; calls are processed one at a time.

    An arm can carry out an action if inverse kinematics leads from its home position or one of its seeds to a grasp (or
    a pointing pose) that the planner would try, and if its tool can come near to a place where the object may be
    released.
    """

    def __init__(self, profile: RobotProfile, config: MotionConfig | None = None) -> None:
        self._table_top_m = profile.table_top_m
        self._config = config or MotionConfig()
        self._arms = [_Arm(profile, name, self._config) for name in profile.arms]
        self._lock = threading.Lock()
        self._agreed: dict[tuple[str, str], Array] = {}

    def out_of_reach(self, spec: ActionSpec, target: TableObject, snapshot: Snapshot) -> str:
        """Why no arm can carry out `spec` on `target`, as part of a sentence; '' if an arm may be able to."""
        if target.container == HAND or not target.visible:
            # Unknown are: for an object in a hand, where it will be put down; for a hidden object, where it stands.
            return ''
        with self._lock:
            key, layout = (spec.name, target.object_id), _layout(spec, target, snapshot)
            agreed = self._agreed.get(key)
            # One action is judged on several snapshots that hardly differ. Agreeing again is always safe.
            if agreed is not None and np.abs(layout - agreed).max() <= _SAME_M:
                return ''
            reason = self._searched(spec, target, snapshot)
            self._agreed = {} if reason else {key: layout}
        return reason

    def _searched(self, spec: ActionSpec, target: TableObject, snapshot: Snapshot) -> str:
        solid = object_solid(target, self._table_top_m, hollow=snapshot.as_container(target) is not None)
        # The arm on the object's side comes first, because its search is the shortest.
        arms = sorted(self._arms, key=lambda arm: arm.inward * solid.centre_m[1])
        if spec.motion is Motion.POINT:
            return '' if any(arm.can_point(solid) for arm in arms) else self._beyond(target.name, solid)
        places = self._places(spec, target, solid, snapshot)
        if any(arm.quickly_carries(solid, places, most) for most in _QUICK_GRASPS for arm in arms):
            return ''
        able = False
        for arm in arms:
            if arm.can_grasp(solid):
                able = True
                if arm.can_release(solid, places):
                    return ''
        if not able:
            return self._too_wide(target.name, solid) or self._beyond(target.name, solid)
        container = snapshot.container_named(spec.effect.container)
        x, y, _ = places[0] if spec.motion is Motion.GIVE or container is None else container.position_world_m
        return (
            f'{spec.effect.container} at ({x:.2f}, {y:.2f}) m is beyond the reach of every arm '
            f'that reaches {target.name}; one arm must reach both'
        )

    def _places(
        self, spec: ActionSpec, target: TableObject, solid: Solid, snapshot: Snapshot
    ) -> list[tuple[float, float, float]]:
        """Where the object's centre may be released; empty if that cannot be determined."""
        request = MotionRequest(_KINDS[spec.motion], target.object_id, spec.effect.container)
        try:
            points = release_points(
                request, solid, snapshot, solids_of(snapshot, self._table_top_m), self._config, self._table_top_m
            )
        except MotionError:
            return []
        return [point.centre_m for point in points]

    def _too_wide(self, name: str, solid: Solid) -> str:
        """A part of a sentence that says that no hand opens wide enough; '' if that is not the reason."""
        if any(arm.has_grasp(solid) for arm in self._arms):
            return ''
        opening_m = max(arm.opening_m for arm in self._arms)
        width_m = 2 * min(half_extent(solid, solid.yaw_rad), half_extent(solid, solid.yaw_rad + math.pi / 2))
        if width_m < opening_m:
            return ''
        return f'{name} is {1000 * width_m:.0f} mm wide, and the widest hand opens {1000 * opening_m:.0f} mm'

    def _beyond(self, name: str, solid: Solid) -> str:
        place = np.array(solid.centre_m)
        nearest = min((arm.nearest(place) for arm in self._arms), key=lambda near: float(np.linalg.norm(near - place)))
        (x, y, _), (near_x, near_y, _) = place, nearest
        if float(np.linalg.norm(nearest[:2] - place[:2])) < _SAME_PLACE_M:
            # The coordinates would be the same: it is the direction that the hand cannot have there.
            return (
                f'{name} at ({x:.2f}, {y:.2f}) m cannot be taken by any arm: a hand comes there, but not in a '
                'direction in which it could grasp or point; it must be nearer to the middle of the table'
            )
        return (
            f'{name} at ({x:.2f}, {y:.2f}) m is beyond the reach of every arm; it must be nearer to the middle of the '
            f'table (a hand comes as near to it as ({near_x:.2f}, {near_y:.2f}) m)'
        )


def _layout(spec: ActionSpec, target: TableObject, snapshot: Snapshot) -> Array:
    """Positions and sizes of the object and of the goal's container: (12,), in m."""
    goal = snapshot.container_named(spec.effect.container) if spec.effect.container else None
    place, size_m = ((0.0,) * 3, (0.0,) * 3) if goal is None else (goal.position_world_m, goal.size_m)
    return np.array([*target.pose_world.position_m, *target.size_m, *place, *size_m])


class _Arm:
    """Inverse kinematics of one arm with wide tolerances."""

    def __init__(self, profile: RobotProfile, name: str, config: MotionConfig) -> None:
        arm = profile.arms[name]
        self._config = config
        self._hand = HandShape(profile, name)
        self._tilts_rad = arm.hand.tilts_rad
        self.inward = -1.0 if name == 'left' else 1.0
        self._floor_m = profile.table_top_m + config.table_clearance_m
        self._starts = [np.array(start) for start in (arm.home, *arm.seeds)]
        self._ik = ArmIk(
            profile,
            name,
            position_tolerance_m=max(_NEAR_M, config.position_tolerance_m),
            angle_tolerance_rad=max(_NEAR_RAD, config.angle_tolerance_rad),
        )
        self._drawn = np.random.default_rng(0).uniform(self._ik.lower, self._ik.upper, (_DRAWN, len(arm.joints)))
        self._drawn_places_m = np.array([self._ik.forward(row).position_m for row in self._drawn])

    @property
    def opening_m(self) -> float:
        """How wide the hand opens, in m; infinite if it is not a gripper."""
        return self._hand.opening_m

    def has_grasp(self, solid: Solid) -> bool:
        """Whether the solid has any grasp, within reach or not."""
        return next(self._grasps(solid), None) is not None

    def can_grasp(self, solid: Solid) -> bool:
        """Whether the tool can reach any grasp of the solid."""
        return any(self._leads_to(grasp.target) for grasp in self._grasps(solid))

    def quickly_carries(self, solid: Solid, places: Sequence[tuple[float, float, float]], most: int) -> bool:
        """As `can_grasp` and `can_release`, in less time, with at most `most` grasps; false proves nothing."""
        for grasp in islice(self._grasps(solid), most):
            if any(self._ik.solve_quickly(grasp.target, start) is not None for start in self._starts):
                near_m = float(np.linalg.norm(grasp.target.position_m - solid.centre_m)) + _NEAR_M
                return not places or any(self._quickly_comes_near(np.array(place), near_m) for place in places)
        return False

    def can_point(self, solid: Solid) -> bool:
        """Whether the finger can point at the solid."""
        targets = pointing_targets(solid, self.inward, self._config.pointing_distance_m)
        return any(self._leads_to(target, POINTER, 'ray') for target in targets)

    def can_release(self, solid: Solid, places: Sequence[tuple[float, float, float]]) -> bool:
        """Whether the tool, in any orientation, comes as near to a place as it is to the centre of the grasped solid.

        True if `places` is empty, because then nothing can be determined.
        """
        centre = np.array(solid.centre_m)
        apart_m = max(float(np.linalg.norm(grasp.target.position_m - centre)) for grasp in self._grasps(solid))
        return not places or any(self._comes_near(np.array(place), apart_m + _NEAR_M) for place in places)

    def nearest(self, place_m: Array) -> Array:
        """The position (3,) of the tool nearest to a place (3,), in m in the world frame."""
        closest = np.argsort(np.linalg.norm(self._drawn_places_m - place_m, axis=1))[:_DRAWN_STARTS]
        return self._ik.nearest_place(place_m, [*self._starts, *self._drawn[closest]])

    def _quickly_comes_near(self, place_m: Array, near_m: float) -> bool:
        """Whether the tool comes near a place from the nearest drawn posture; false proves nothing."""
        nearest = int(np.linalg.norm(self._drawn_places_m - place_m, axis=1).argmin())
        goal = IkTarget(place_m, np.eye(3))
        return self._ik.solve_quickly(goal, self._drawn[nearest], near_m=near_m) is not None

    def _comes_near(self, place_m: Array, near_m: float) -> bool:
        # Mostly a drawn posture is near enough, so that no search is needed.
        if np.linalg.norm(self._drawn_places_m - place_m, axis=1).min() <= near_m:
            return True
        return float(np.linalg.norm(self.nearest(place_m) - place_m)) <= near_m

    def _grasps(self, solid: Solid) -> Iterator[Grasp]:
        return grasps(solid, self._hand, self._tilts_rad, self.inward, self._floor_m)

    def _leads_to(self, target: IkTarget, frame: str = TOOL, match: Match = 'pose') -> bool:
        return any(self._ik.solve(target, start, frame=frame, match=match) is not None for start in self._starts)
