"""The sender of motions to one driver, by the actions of control_msgs that drivers offer."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.exceptions import InvalidHandle

from action_node.conversions import trajectory_to_msg
from action_node.driver_reports import DriverReports, GoalEnd, GoalReport
from action_node.stop.joint_path import JointPath
from lucca_core.codes import ReasonCode
from lucca_core.errors import ConfigError, MotionError
from lucca_robot.arm_profile import ACTION_NAMES, ControllerInterface
from lucca_ros.rclpy_internals import RCLError
from lucca_ros.streams import Streams

_SAME_M = 1e-4
_ENDS = {
    GoalStatus.STATUS_SUCCEEDED: GoalEnd.SUCCEEDED,
    GoalStatus.STATUS_CANCELED: GoalEnd.CANCELED,
    GoalStatus.STATUS_ABORTED: GoalEnd.ABORTED,
}


class ActionSender:
    """Sends each trajectory as a goal that replaces the previous one, and passes on the driver's reports.

    Args:
        streams: receives the answers.
        controller: name of the controller.
        interface: the action that it offers.
        reports: takes the answers.
        free: an object may keep the joints from their path, so the driver's tolerances are switched off.
        max_effort: largest force of a gripper in N, or torque in Nm; 0 leaves it to the driver.

    Raises:
        ConfigError: control_msgs is not installed.
    """

    def __init__(
        self,
        streams: Streams,
        controller: str,
        interface: ControllerInterface,
        reports: DriverReports,
        *,
        free: bool,
        max_effort: float = 0.0,
    ) -> None:
        self._controller = controller
        self._reports = reports
        self._messages = _control_msgs(controller, interface)
        self._by_gripper = interface is ControllerInterface.GRIPPER_COMMAND
        kind = self._messages.GripperCommand if self._by_gripper else self._messages.FollowJointTrajectory
        self._goal_type = kind.Goal
        self._free = free
        self._max_effort = max_effort
        self._last: tuple[float, float] | None = None
        self._client = streams.action_client(kind, f'{controller}/{ACTION_NAMES[interface]}')

    def send(self, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        """Sends a goal.

        A gripper is only given the end of the path, and starts on arrival. Later chunks of one motion with the same end
        are left out; a motion that begins anew is sent even if it ends where the last one did.
        """
        if not self._client.server_is_ready():
            raise MotionError(ReasonCode.HARDWARE_FAULT, f'{self._controller} offers no action; is its driver running?')
        goal = self._goal_type()
        end = float(path.positions[-1][0])
        if self._by_gripper:
            if self._last is not None and self._last[1] == start_s and abs(end - self._last[0]) < _SAME_M:
                return
            self._last = end, start_s
            goal.command.position, goal.command.max_effort = end, self._max_effort
        else:
            goal.trajectory = trajectory_to_msg(joints, path, start_s)
            if self._free:
                tolerance = import_module('control_msgs.msg').JointTolerance
                goal.path_tolerance = erased_tolerances(tolerance, joints)
                goal.goal_tolerance = erased_tolerances(tolerance, joints)
        number = self._reports.sent(self._controller)
        try:
            self._client.send_goal_async(goal).add_done_callback(lambda future: self._answered(number, future))
        except (InvalidHandle, RCLError) as error:
            self._last = None
            raise MotionError(ReasonCode.HARDWARE_FAULT, f'the node is ending: {error}') from error

    def _answered(self, number: int, future: Any) -> None:
        handle = future.result()
        if handle is None:
            return
        if not handle.accepted:
            self._last = None
            self._reports.ended(self._controller, number, GoalReport(GoalEnd.REJECTED))
            return
        handle.get_result_async().add_done_callback(lambda result: self._ended(number, result))

    def _ended(self, number: int, future: Any) -> None:
        answer = future.result()
        if answer is not None:
            self._reports.ended(self._controller, number, report_of(answer.status, answer.result))


def report_of(status: int, result: Any) -> GoalReport:
    """Converts a driver's answer: `status` of action_msgs/GoalStatus, `result` of either action."""
    return GoalReport(
        end=_ENDS.get(status, GoalEnd.ABORTED),
        error_code=int(getattr(result, 'error_code', 0)),
        text=str(getattr(result, 'error_string', '')),
        stalled=bool(getattr(result, 'stalled', False)),
    )


def erased_tolerances(make: Callable[..., Any], joints: tuple[str, ...]) -> list[Any]:
    """Tolerances that a driver must not check; control_msgs/JointTolerance marks them with -1."""
    return [make(name=name, position=-1.0, velocity=-1.0, acceleration=-1.0) for name in joints]


def _control_msgs(controller: str, interface: ControllerInterface) -> Any:
    try:
        return import_module('control_msgs.action')
    except ModuleNotFoundError as error:
        raise ConfigError(
            f'{controller} is moved by the interface {interface}, which needs control_msgs: '
            'sudo apt install ros-jazzy-control-msgs'
        ) from error
