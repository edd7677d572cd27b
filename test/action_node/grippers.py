"""A gripper's action controller that keeps the rules of ros2_control's, and a table with an arm that carries it.

The rules are those of gripper_controllers 4.42.1 (ros2_controllers, branch jazzy, ed360c97d). Every goal is accepted,
and replaces the one before, which ends as canceled. A cancel holds where the gripper is. A goal succeeds within
`goal_tolerance_m`. A gripper slower than `stall_velocity_mps` for `stall_timeout_s` has stalled, which ends the goal as
succeeded or aborted. While the controller is inactive, it still accepts goals, but does nothing and reports nothing.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from controllers import DrivenTable, FakeController
from fakes import ARM, ARM_CONTROLLER, ARM_JOINT, HAND_CONTROLLER, HAND_JOINT, HOME, NEAR, FakeBody, FakePlanner
from robots import Robot, make_robot

from action_node.action_sender import ActionSender
from action_node.config import ActionConfig
from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionResult
from lucca_core.protocol.snapshots import TABLE, Pose
from lucca_robot.arm_profile import ControllerInterface
from lucca_robot.profile import JointTravel

OPEN_M, OBJECT_M = 0.04, 0.02
"""Positions of the finger when the gripper is open, and when it touches an object."""
CLOSED_M = 0.0


@dataclass
class FakeGripper:
    """The controller with its finger, which the hardware takes to the last command at a steady speed.

    Attributes:
        least_m: an object keeps the finger from closing further.
        jammed: the finger does not move at all.
        by_effort: the variant that commands a force, at most that of the goal.
        accepts, answers: other drivers may reject goals, or not answer them.
        running: false once its process was killed. Then the finger stays where it is.
        dies_known: a client learns of that at once.
        known: false while a client does not find it, though it runs.
    """

    position_m: float = OPEN_M
    speed_mps: float = 0.1
    goal_tolerance_m: float = 0.002
    stall_velocity_mps: float = 0.001
    stall_timeout_s: float = 1.0
    allow_stalling: bool = True
    least_m: float = CLOSED_M
    jammed: bool = False
    by_effort: bool = False
    accepts: bool = True
    answers: bool = True
    running: bool = True
    dies_known: bool = True
    known: bool = True
    active: bool = True
    command_m: float = OPEN_M
    max_effort: float = 0.0
    goals: list[float] = field(default_factory=list)
    ended: list[tuple[int, bool]] = field(default_factory=list)
    _goal: Future[Any] | None = None
    _driven_to_m: float = OPEN_M
    _moved_s: float = 0.0
    _time_s: float = 0.0
    _speed_mps: float = 0.0

    # --- as an rclpy ActionClient shows it ---

    def server_is_ready(self) -> bool:
        """Whether its process runs, as far as is known."""
        return self.known and (self.running or not self.dies_known)

    def send_goal_async(self, goal: Any) -> Future[Any]:
        """Takes a goal."""
        answer: Future[Any] = Future()
        if not (self.running and self.answers):
            return answer
        if not self.accepts:
            answer.set_result(SimpleNamespace(accepted=False))
            return answer
        self._end(GoalStatus.STATUS_CANCELED)
        self.command_m, self.max_effort = goal.command.position, goal.command.max_effort
        self.goals.append(self.command_m)
        self._moved_s = self._time_s
        result = self._goal = Future()
        answer.set_result(SimpleNamespace(accepted=True, get_result_async=lambda: result))
        return answer

    # --- what happens to it ---

    def cancel(self) -> None:
        """As by another client."""
        self.command_m = self.position_m
        self._end(GoalStatus.STATUS_CANCELED)

    def kill(self) -> None:
        """Its process ends: goals are not reported on any more."""
        self.running, self._goal = False, None

    def start(self) -> None:
        """Its process starts, or it becomes active, and it holds where the finger is."""
        self.running = self.active = True
        self.command_m, self._goal = self.position_m, None

    @property
    def at_rest(self) -> bool:
        """Whether no goal is under way, and the finger does not move."""
        return self._goal is None and self._speed_mps == 0.0

    def step(self, time_s: float) -> None:
        """Moves the finger, and reports the end of the goal."""
        passed_s, self._time_s = time_s - self._time_s, time_s
        works = self.running and self.active
        if works and (self.max_effort > 0 or not self.by_effort):
            self._driven_to_m = self.command_m
        before_m = self.position_m
        if self.running and not self.jammed:
            most_m = self.speed_mps * passed_s
            wanted_m = before_m + float(np.clip(self._driven_to_m - before_m, -most_m, most_m))
            self.position_m = max(wanted_m, min(self.least_m, before_m))
        self._speed_mps = abs(self.position_m - before_m) / passed_s if passed_s > 0 else 0.0
        if works and self._goal is not None:
            self._check(time_s)

    def _check(self, time_s: float) -> None:
        if abs(self.command_m - self.position_m) < self.goal_tolerance_m:
            self._end(GoalStatus.STATUS_SUCCEEDED, reached=True)
        elif self._speed_mps > self.stall_velocity_mps:
            self._moved_s = time_s
        elif time_s - self._moved_s > self.stall_timeout_s:
            end = GoalStatus.STATUS_SUCCEEDED if self.allow_stalling else GoalStatus.STATUS_ABORTED
            self._end(end, stalled=True)

    def _end(self, status: int, *, reached: bool = False, stalled: bool = False) -> None:
        goal, self._goal = self._goal, None
        if goal is None:
            return
        self.ended.append((status, stalled))
        result = SimpleNamespace(position=self.position_m, effort=0.0, stalled=stalled, reached_goal=reached)
        goal.set_result(SimpleNamespace(status=status, result=result))


class GripperBody(FakeBody):
    """The one-jointed robot with a gripper whose finger moves 40 mm."""

    interfaces: Mapping[str, ControllerInterface] = {HAND_CONTROLLER: ControllerInterface.GRIPPER_COMMAND}
    limits: Mapping[str, tuple[float, float]] = {ARM_JOINT: (-10.0, 10.0), HAND_JOINT: (CLOSED_M, OPEN_M)}
    hand_travels: Mapping[str, JointTravel] = {HAND_JOINT: JointTravel(OPEN_M, CLOSED_M, abs(CLOSED_M - OPEN_M))}

    def closed_hands(self, joints: Mapping[str, float]) -> tuple[str, ...]:
        """The arm, if its gripper is not open."""
        return (ARM,) if joints.get(HAND_JOINT, CLOSED_M) < 0.95 * OPEN_M else ()


@dataclass
class GripperTable(DrivenTable):
    """The table of fakes with a gripper that is moved by the real sender. `when` holds what happens at a condition."""

    gripper: FakeGripper = field(default_factory=FakeGripper)
    when: list[tuple[Callable[[], bool], Callable[[], object]]] = field(default_factory=list)
    max_effort: float = 0.0
    steps: list[tuple[float, float]] = field(default_factory=list)
    _finger_m: float = OPEN_M

    def __post_init__(self) -> None:
        self.controllers[ARM_CONTROLLER] = FakeController(ARM_CONTROLLER, (ARM_JOINT,), np.array([HOME]), self.reports)
        streams: Any = SimpleNamespace(action_client=lambda kind, name: self.gripper)
        self.sender = ActionSender(
            streams,
            HAND_CONTROLLER,
            ControllerInterface.GRIPPER_COMMAND,
            self.reports,
            free=True,
            max_effort=self.max_effort,
        )
        self.gripper.step(self.time_s)

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        if controller == HAND_CONTROLLER:
            self.sender.send(joints, path, start_s)
            self.sent.append((controller, start_s, path))
        else:
            super().send(controller, joints, path, start_s)

    def _follow(self, time_s: float) -> None:
        super()._follow(time_s)
        here_m = self.positions[ARM_JOINT]
        between = self._held or any(
            item.container == TABLE and abs(item.pose_world.position_m[0] - here_m) < NEAR
            for item in self.objects.values()
        )
        self.gripper.least_m = OBJECT_M if between else CLOSED_M
        self.gripper.step(time_s)
        # The table only knows whether the hand has closed far enough to hold something.
        self.positions[HAND_JOINT] = float(self.gripper.position_m <= OBJECT_M + 1e-6)
        self.steps.append((here_m, self.gripper.position_m))
        if not self.silent:
            self._finger_m = self.gripper.position_m
        due = [item for item in self.when if item[0]()]
        self.when = [item for item in self.when if item not in due]
        for _, happen in due:
            happen()

    @property
    def place_of_arm(self) -> float:
        """Where the arm is."""
        return self.positions[ARM_JOINT]

    def move(self, object_id: str, place: float) -> None:
        """Moves an object, as a person may."""
        self.objects[object_id] = replace(self.objects[object_id], pose_world=Pose((place, 0.0, 0.8)))

    def joints(self) -> JointSample | None:
        sample = super().joints()
        assert sample is not None
        return replace(sample, positions={**sample.positions, HAND_JOINT: self._finger_m})


def gripper_robot(table: GripperTable, config: ActionConfig | None = None) -> Robot:
    """The robot with a gripper behind the real executor."""
    return make_robot(table, config=config, body=GripperBody(), planner=FakePlanner(opened=OPEN_M, closed=CLOSED_M))


MOVE = '<move_to_box_1(pear)>'


LATER_S = 10.0


SLOW_MPS = 0.02
"""At this speed, the gripper needs longer than the plan assumes."""


def closing(table: GripperTable) -> bool:
    """Whether the gripper is half way to the object."""
    return table.gripper.position_m < (OPEN_M + OBJECT_M) / 2


def begun(table: GripperTable) -> bool:
    """Whether the gripper has just begun to close."""
    return table.gripper.position_m < OPEN_M - 0.0005


def opening(table: GripperTable) -> bool:
    """Whether the gripper lets go of the object."""
    return table.place_of_arm > 1.9 and table.gripper.position_m > OBJECT_M + 0.002


def later(table: GripperTable) -> tuple[float, float]:
    """Where arm and finger are after some time in which nothing is done."""
    for _ in range(int(LATER_S / 0.1)):
        table.advance(table.time_s + 0.1)
    return table.place_of_arm, table.gripper.position_m


def moved_together(table: GripperTable) -> list[tuple[float, float]]:
    """Where arm and finger were whenever both moved."""
    return [
        (arm, finger_m)
        for (before, before_m), (arm, finger_m) in zip(table.steps, table.steps[1:], strict=False)
        if abs(arm - before) > 1e-6 and abs(finger_m - before_m) > 1e-6
    ]


def is_protective_stop(result: ActionResult, robot: Robot, table: GripperTable, reason: str) -> None:
    """The action ended with a reason, and nothing is sent from then on."""
    assert result.code is ReasonCode.HARDWARE_FAULT, result.message
    assert reason in result.message
    assert 'nothing moves until action/reset' in result.message
    assert robot.executor.stopped
    sent = len(table.sent)
    assert robot.do(MOVE).code in (ReasonCode.STOPPED, ReasonCode.HARDWARE_FAULT)
    assert len(table.sent) == sent


def is_well_after_a_reset(robot: Robot) -> None:
    assert robot.executor.reset() == (True, 'the arms are at home')
    assert robot.do('<move_to_box_2(apple)>').code is ReasonCode.DONE
    assert robot.at_home
