"""A joint trajectory controller with an action interface that keeps ros2_control's documented rules, without ROS, and a
table whose robot has such controllers.

It rejects while it is inactive, and trajectories with other joints, times that do not increase, a velocity at their end
or an end in the past. A new goal aborts the one before. It aborts what leaves its tolerances and holds; a cancel holds.
"""

from dataclasses import dataclass, field

import numpy as np
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_CONTROLLER, HAND_JOINT, HOME, FakeTable

from action_node.driver_reports import DriverReports, GoalEnd, GoalReport
from action_node.stop.joint_path import Array, JointPath

PREEMPTED = GoalReport(GoalEnd.ABORTED, -1, 'Current goal preempted by new incoming action.')


@dataclass
class Goal:
    """A goal as a controller keeps it."""

    number: int
    joints: tuple[str, ...]
    path: JointPath
    start_s: float
    begin: Array


@dataclass
class FakeController:
    """One controller. `blocked_at`: a joint position that nothing gets beyond, as an obstacle."""

    name: str
    joints: tuple[str, ...]
    position: Array
    reports: DriverReports
    path_tolerance: float = 0.2
    goal_tolerance: float = 0.05
    goal_time_s: float = 0.5
    active: bool = True
    blocked_at: float = np.inf
    goal: Goal | None = None
    said: list[GoalReport] = field(default_factory=list)

    def take(self, number: int, joints: tuple[str, ...], path: JointPath, start_s: float, now_s: float) -> None:
        """Accepts or rejects a goal."""
        if why := self._wrong(joints, path, start_s, now_s):
            self._say(number, GoalReport(GoalEnd.REJECTED, text=why))
            return
        if self.goal is not None:
            self._say(self.goal.number, PREEMPTED)
        self.goal = Goal(number, joints, path, start_s or now_s, self.position.copy())

    def _wrong(self, joints: tuple[str, ...], path: JointPath, start_s: float, now_s: float) -> str:
        if not self.active:
            return "Can't accept new action goals. Controller is not running."
        if set(joints) != set(self.joints):
            return f'joints {sorted(joints)} are not mine'
        if (np.diff(path.times_s) <= 0).any():
            return 'times do not increase'
        if np.abs(path.velocities[-1]).max() > np.finfo(np.float32).eps:
            return 'Velocity of last trajectory point is not zero'
        if start_s and start_s + path.times_s[-1] < now_s:
            return 'trajectory ends in the past'
        return ''

    def cancel(self) -> None:
        """Ends the goal and holds."""
        if self.goal is not None:
            self._end(GoalReport(GoalEnd.CANCELED))

    def deactivate(self) -> None:
        """As by a switch of controllers, or a protective stop of the robot."""
        self.active = False
        if self.goal is not None:
            self._end(GoalReport(GoalEnd.ABORTED, -1, 'Current goal cancelled due to deactivation.'))

    def step(self, now_s: float) -> None:
        """Follows the goal, and reports its end."""
        goal = self.goal
        if goal is None:
            return
        at_s = now_s - goal.start_s
        wanted = _followed(goal, at_s)
        self.position = np.minimum(wanted, self.blocked_at)
        off = float(np.abs(wanted - self.position).max())
        if at_s < goal.path.duration_s and off > self.path_tolerance:
            self._end(GoalReport(GoalEnd.ABORTED, -4, 'Aborted due to path tolerance violation'))
        elif at_s >= goal.path.duration_s and off <= self.goal_tolerance:
            self._end(GoalReport(GoalEnd.SUCCEEDED))
        elif at_s >= goal.path.duration_s + self.goal_time_s:
            self._end(GoalReport(GoalEnd.ABORTED, -5, 'Aborted due to goal_time_tolerance'))

    def _end(self, report: GoalReport) -> None:
        assert self.goal is not None
        number, self.goal = self.goal.number, None
        self._say(number, report)

    def _say(self, number: int, report: GoalReport) -> None:
        self.said.append(report)
        self.reports.ended(self.name, number, report)


def _followed(goal: Goal, at_s: float) -> Array:
    first_s = float(goal.path.times_s[0])
    if at_s >= first_s:
        return goal.path.at(at_s)[0]
    share = max(0.0, at_s) / first_s if first_s > 0 else 0.0
    return goal.begin + share * (goal.path.positions[0] - goal.begin)


@dataclass
class DrivenTable(FakeTable):
    """The table of fakes with controllers that have action interfaces."""

    reports: DriverReports = field(default_factory=DriverReports)
    controllers: dict[str, FakeController] = field(default_factory=dict)
    _was_closed: bool = False

    def __post_init__(self) -> None:
        for name, joint, start in ((ARM_CONTROLLER, ARM_JOINT, HOME), (HAND_CONTROLLER, HAND_JOINT, 0.0)):
            self.controllers[name] = FakeController(name, (joint,), np.array([start]), self.reports)

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        self.sent.append((controller, start_s, path))
        number = self.reports.sent(controller)
        self.controllers[controller].take(number, joints, path, start_s, self.time_s)

    def advance(self, time_s: float) -> None:
        self._was_closed = self.positions[HAND_JOINT] > 0.5
        self._follow(time_s)
        super().advance(time_s)

    def _follow(self, time_s: float) -> None:
        for controller in self.controllers.values():
            controller.step(time_s)
            self.positions[controller.joints[0]] = float(controller.position[0])

    def _grasp(self, was_closed: bool) -> None:
        super()._grasp(self._was_closed)

    def driver_fault(self) -> str:
        return self.reports.fault

    def report_expected(self, controller: str) -> bool:
        return self.reports.expected(controller)

    def report_stalled(self, controller: str) -> bool:
        return self.reports.stalled(controller)

    def forget_faults(self) -> None:
        self.reports.forget()

    @property
    def arm(self) -> FakeController:
        """The arm's controller."""
        return self.controllers[ARM_CONTROLLER]
