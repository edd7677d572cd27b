"""Ways of an arm through free space, from posture to posture: straight in joint space, or from another planner.

Whoever finds a way, the segment that is made of it is checked for collisions before anything moves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from action_node.motion.collision import Solid
from action_node.motion.trajectory import line
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError, StackError
from lucca_robot.profile import RobotProfile

Array = NDArray[np.float64]

SUCCESS = 1
"""Of moveit_msgs/MoveItErrorCodes."""
_JOINT_STEP_RAD = 0.15
_SAME_RAD = 1e-3
_END_RAD = 0.02
"""How far the first and last point of an answer may be from what was asked for, in rad or m."""


class NoWay(Exception):
    """No way was found; says why."""


class FreeWays(Protocol):
    """Finds ways through free space."""

    def look(self, solids: Sequence[Solid], joint_positions: Mapping[str, float]) -> None:
        """Takes note of what stands on the table and where the robot is; the ways after it are for these."""
        ...

    def way(self, arm: str, start: Array, end: Array) -> list[Array]:
        """Joint positions (k,) of an arm on the way, without `start` and with `end`.

        Raises:
            NoWay: there is none.
            MotionError: nobody answers.
        """
        ...


class StraightWays:
    """Straight lines in joint space, in small steps."""

    def look(self, solids: Sequence[Solid], joint_positions: Mapping[str, float]) -> None:
        """Nothing."""

    def way(self, arm: str, start: Array, end: Array) -> list[Array]:
        """See `FreeWays.way`."""
        return line(start, end, _JOINT_STEP_RAD)


@dataclass(frozen=True, slots=True)
class WayAnswer:
    """What another planner answers: its error code, the joints of its points, and their positions, a row a point."""

    code: int
    joints: tuple[str, ...] = ()
    points: tuple[tuple[float, ...], ...] = ()


class WayPlanner(Protocol):
    """Another planner, such as MoveIt."""

    def show(self, solids: Sequence[Solid]) -> None:
        """Tells it what stands on the table, in place of what it was told before.

        Raises:
            StackError: it does not answer, or refuses.
        """
        ...

    def plan(self, group: str, start: Mapping[str, float], goal: Mapping[str, float]) -> WayAnswer:
        """A way of a group of joints from the positions of all joints to those of the group's.

        Raises:
            StackError: it does not answer.
        """
        ...


class AskedWays:
    """Ways of another planner, taken only if they begin and end where they should, within the limits of the joints.

    Args:
        planner: is asked.
        profile: of the robot.
        groups: what the planner calls each arm.
        codes: names of error codes, for messages.
    """

    def __init__(
        self, planner: WayPlanner, profile: RobotProfile, groups: Mapping[str, str], codes: Mapping[int, str]
    ) -> None:
        self._planner = planner
        self._profile = profile
        self._groups = groups
        self._codes = codes
        self._solids: tuple[Solid, ...] | None = None
        self._shown: tuple[Solid, ...] | None = None
        self._positions: dict[str, float] = {}

    def look(self, solids: Sequence[Solid], joint_positions: Mapping[str, float]) -> None:
        """See `FreeWays.look`. The other planner is told when the first way is needed."""
        self._solids, self._positions = tuple(solids), dict(joint_positions)

    def way(self, arm: str, start: Array, end: Array) -> list[Array]:
        """See `FreeWays.way`."""
        joints = self._profile.arms[arm].joints
        if np.abs(end - start).max() < _SAME_RAD:
            return [end]
        begin = self._positions | dict(zip(joints, start.tolist(), strict=True))
        try:
            if self._solids is not None and self._solids != self._shown:
                self._planner.show(self._solids)
                self._shown = self._solids
            answer = self._planner.plan(self._groups[arm], begin, dict(zip(joints, end.tolist(), strict=True)))
        except StackError as error:
            self._shown = None
            raise MotionError(
                ReasonCode.UNREACHABLE, f'no way by the planner that was chosen: {error}; planner: own needs none'
            ) from error
        if answer.code != SUCCESS:
            raise NoWay(f'the planner found no way: {self._codes.get(answer.code, "error")} ({answer.code})')
        return self._checked(arm, answer, start, end)

    def _checked(self, arm: str, answer: WayAnswer, start: Array, end: Array) -> list[Array]:
        joints = self._profile.arms[arm].joints
        if missing := [name for name in joints if name not in answer.joints]:
            raise NoWay(f"the planner's way lacks joint {missing[0]!r}")
        if not answer.points or any(len(point) != len(answer.joints) for point in answer.points):
            raise NoWay("the planner's way has no points, or points without a position for each joint")
        points = np.array(answer.points)[:, [answer.joints.index(name) for name in joints]]
        if not np.isfinite(points).all():
            raise NoWay("the planner's way has positions that are no numbers")
        for what, point, wanted in (('begins', points[0], start), ('ends', points[-1], end)):
            away = np.abs(point - wanted)
            if away.max() > _END_RAD:
                name = joints[int(away.argmax())]
                raise NoWay(f"the planner's way {what} {away.max():.3f} from where it should, at joint {name!r}")
        for index, name in enumerate(joints):
            joint = self._profile.description.joint(name)
            if points[:, index].min() < joint.lower or points[:, index].max() > joint.upper:
                raise NoWay(f"the planner's way leaves the limits of joint {name!r}")
        return [*points[1:-1], end]
