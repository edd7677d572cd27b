"""Profiles of an arm and its hand, and how their controllers are commanded."""

from dataclasses import dataclass
from enum import StrEnum

from lucca_robot.description import Origin


class ControllerInterface(StrEnum):
    """How a controller is commanded: by a topic, or by an action of control_msgs."""

    JOINT_TRAJECTORY = 'joint_trajectory'
    FOLLOW_JOINT_TRAJECTORY = 'follow_joint_trajectory'
    GRIPPER_COMMAND = 'gripper_command'


USUAL_ACCELERATION = 7.5
"""Of a joint of an arm whose profile names none, in rad/s²: that of the weakest joint of the Panda."""
ACTION_NAMES = {
    ControllerInterface.FOLLOW_JOINT_TRAJECTORY: 'follow_joint_trajectory',
    ControllerInterface.GRIPPER_COMMAND: 'gripper_cmd',
}
"""Names of the actions of ros2_control's controllers, below the controllers' names."""


@dataclass(frozen=True, slots=True)
class HandProfile:
    """A hand: its joints, and their positions (rad or m) when it is open, closed and pointing.

    `closed_above`: the hand counts as closed when its joints have moved by more than this fraction, on average, from
    `open` to `closed`. `tilts_rad`: angles below the horizontal at which the tool's x axis may point in a grasp from
    above, best first. `pointer`: the frame along whose x axis the hand points. `max_effort`: largest force in N or
    torque in Nm of a hand with the interface `gripper_command`; 0 leaves it to the driver.
    """

    controller: str
    joints: tuple[str, ...]
    open: tuple[float, ...]
    closed: tuple[float, ...]
    point: tuple[float, ...]
    closed_above: float
    tilts_rad: tuple[float, ...]
    pointer_link: str
    pointer: Origin
    interface: ControllerInterface = ControllerInterface.JOINT_TRAJECTORY
    max_effort: float = 0.0


@dataclass(frozen=True, slots=True)
class ArmProfile:
    """An arm: its joints, their home positions, and the tool frame on its hand.

    The tool frame lies where the nearest point of an object should be before the hand closes: z points from the hand to
    the object, x along the fingers (or along the closing direction of a gripper). `seeds` are further joint positions
    from which inverse kinematics starts. `accelerations`: the greatest ones, in rad/s², with which the joints are
    brought to rest.
    """

    name: str
    controller: str
    joints: tuple[str, ...]
    home: tuple[float, ...]
    seeds: tuple[tuple[float, ...], ...]
    tool_link: str
    tool: Origin
    hand: HandProfile
    interface: ControllerInterface = ControllerInterface.JOINT_TRAJECTORY
    accelerations: tuple[float, ...] = ()
