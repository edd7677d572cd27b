"""Asking the running controllers and the published robot description over ROS, and refusing those that differ from the
profile.
"""

import logging
import threading
from typing import Any

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from std_msgs.msg import String

from action_node.body import Body
from action_node.controller_check import described_limits, mismatches
from lucca_core.errors import StackError
from lucca_robot.arm_profile import ControllerInterface
from lucca_ros.streams import Streams
from lucca_ros.subscriptions import LATCHED

_DESCRIPTION_S = 1.0
"""Longest wait for a description that nobody is known to publish."""


_LOG = logging.getLogger(__name__)


def compare_controllers(streams: Streams, body: Body, wait_s: float) -> None:
    """Compares the running controllers with those of the robot profile; returns if they agree.

    Raises:
        StackError: they differ, or do not answer; the message names the joint.
    """
    running = RunningControllers(streams, wait_s)
    joints = {name: running.joints_of(name, body.interfaces.get(name)) for name in body.controllers}
    described = running.described()
    if described is None:
        _LOG.warning('robot_description does not come: limits are not compared')
    if wrong := mismatches(body.controllers, joints, body.limits, described or {}, running.rate_hz()):
        raise StackError(f'the controllers are not those of the profile: {"; ".join(wrong)}')


class RunningControllers:
    """Asks controllers for their parameters; each may take `wait_s` of wall time."""

    def __init__(self, streams: Streams, wait_s: float) -> None:
        self._streams = streams
        self._wait_s = wait_s

    def joints_of(self, controller: str, interface: ControllerInterface | None = None) -> tuple[str, ...]:
        """The joints that a controller moves, in its order; a gripper has one.

        Raises:
            StackError: it does not answer, or has no parameter `joints`.
        """
        try:
            if interface is ControllerInterface.GRIPPER_COMMAND:
                return (str(self._parameter(controller, 'joint').string_value),)
            value = self._parameter(controller, 'joints')
        except StackError as error:
            raise StackError(
                f'{controller} does not say which joints it moves ({error}); for a driver without ros2_control, set '
                'controllers_wait_s to 0'
            ) from error
        if value.type != ParameterType.PARAMETER_STRING_ARRAY:
            raise StackError(f'{controller} has no parameter joints: is it a joint_trajectory_controller?')
        return tuple(value.string_array_value)

    def rate_hz(self) -> float | None:
        """The rate of the controller manager; None if it does not answer."""
        try:
            value = self._parameter('controller_manager', 'update_rate')
        except StackError:
            return None
        return float(value.integer_value) if value.type == ParameterType.PARAMETER_INTEGER else None

    def described(self) -> dict[str, tuple[float, float]] | None:
        """Limits by joint in `robot_description`; None if it does not come.

        Where somebody publishes it, it may take `wait_s`: on a busy machine, the first second may pass without it.

        Raises:
            StackError: it is not a URDF.
        """
        come, texts = threading.Event(), []

        def hear(msg: String) -> None:
            texts.append(msg.data)
            come.set()

        subscription = self._streams.subscribe(String, 'robot_description', hear, LATCHED)
        try:
            come.wait(min(self._wait_s, _DESCRIPTION_S))
            if not texts and self._streams.published('robot_description'):
                come.wait(max(0.0, self._wait_s - _DESCRIPTION_S))
        finally:
            self._streams.unsubscribe(subscription)
        if not texts:
            return None
        try:
            return described_limits(texts[-1])
        except ValueError as error:
            raise StackError(str(error)) from error

    def _parameter(self, node: str, name: str) -> Any:
        caller = self._streams.caller(GetParameters, f'{node}/get_parameters')
        try:
            values = caller.call(GetParameters.Request(names=[name]), self._wait_s).values
        finally:
            caller.destroy()
        if not values:
            raise StackError(f'{node} has no parameter {name}')
        return values[0]
