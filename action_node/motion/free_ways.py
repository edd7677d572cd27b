"""Paths of an arm through free space between two postures: straight in joint space, or from another planner.

Whatever finds a path, the segment that is made from it is checked for collisions before anything moves.
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
"""The success code in moveit_msgs/MoveItErrorCodes."""
_JOINT_STEP_RAD = 0.15
_SAME_RAD = 1e-3
_END_RAD = 0.02
"""Largest distance of an answer's first and last point from the requested ones, in rad or m."""


class NoWay(Exception):
    """No path was found; the message says why."""


class StraightWays:
    """Straight lines in joint space, in small steps."""

    def look(self, solids: Sequence[Solid], joint_positions: Mapping[str, float]) -> None:
        """Sets the obstacles and the robot's position to which the following calls of `way` refer; not needed here."""

    def way(self, arm: str, start: Array, end: Array) -> list[Array]:
        """Joint positions (k,) of an arm along a path, without `start` and with `end`."""
        return line(start, end, _JOINT_STEP_RAD)


@dataclass(frozen=True, slots=True)
class WayAnswer:
    """Another planner's answer: an error code, the joints, and a row of their positions for each point."""

    code: int
    joints: tuple[str, ...] = ()
    points: tuple[tuple[float, ...], ...] = ()


class WayPlanner(Protocol):
    """Another planner, such as MoveIt."""

    def show(self, solids: Sequence[Solid]) -> None:
        """Tells the planner which solids stand on the table, in place of earlier ones.

        Raises:
            StackError: the planner does not answer, or refuses them.
        """
        ...

    def plan(self, group: str, start: Mapping[str, float], goal: Mapping[str, float]) -> WayAnswer:
        """Plans a path of a group of joints, from the positions of all joints to goal positions of the group.

        Raises:
            StackError: the planner does not answer.
        """
        ...


class AskedWays:
    """Paths from another planner. They must begin and end where requested and stay within the joint limits.

    Args:
        planner: the other planner.
        profile: profile of the robot.
        groups: the planner's name for each arm.
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
        """See `StraightWays.look`. The other planner is told only when the first path is needed."""
        self._solids, self._positions = tuple(solids), dict(joint_positions)

    def way(self, arm: str, start: Array, end: Array) -> list[Array]:
        """See `StraightWays.way`.

        Raises:
            NoWay: no path was found.
            MotionError: the planner does not answer.
        """
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
                ReasonCode.UNREACHABLE, f'the chosen planner found no path: {error}; planner: own needs none'
            ) from error
        if answer.code != SUCCESS:
            raise NoWay(f'the planner found no path: {self._codes.get(answer.code, "error")} ({answer.code})')
        return self._checked(arm, answer, start, end)

    def _checked(self, arm: str, answer: WayAnswer, start: Array, end: Array) -> list[Array]:
        joints = self._profile.arms[arm].joints
        if missing := [name for name in joints if name not in answer.joints]:
            raise NoWay(f"the planner's path lacks joint {missing[0]!r}")
        if not answer.points or any(len(point) != len(answer.joints) for point in answer.points):
            raise NoWay("the planner's path has no points, or points without a position for each joint")
        points = np.array(answer.points)[:, [answer.joints.index(name) for name in joints]]
        if not np.isfinite(points).all():
            raise NoWay("the planner's path has positions that are not finite")
        for what, point, wanted in (('begins', points[0], start), ('ends', points[-1], end)):
            away = np.abs(point - wanted)
            if away.max() > _END_RAD:
                name = joints[int(away.argmax())]
                raise NoWay(f"the planner's path {what} {away.max():.3f} away from where it should, at joint {name!r}")
        for index, name in enumerate(joints):
            joint = self._profile.description.joint(name)
            if points[:, index].min() < joint.lower or points[:, index].max() > joint.upper:
                raise NoWay(f"the planner's path leaves the limits of joint {name!r}")
        return [*points[1:-1], end]


FreeWays = StraightWays | AskedWays
"""Finds paths through free space."""
