"""The controller manager that gz_ros2_control runs in Gazebo, and how its joints are servoed.

At each step, gz_ros2_control commands each joint a velocity: its distance to the position that the controller asks for,
times a gain. The physics gives the joint this velocity, with any force up to the joint's effort limit.
"""

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from lucca_robot.description import Joint
from lucca_sim.joint_servos import JointServo

PLUGIN_FILE, PLUGIN_NAME = 'gz_ros2_control-system', 'gz_ros2_control::GazeboSimROS2ControlPlugin'
POSITION_GAIN = 0.25
"""The share of its distance that a joint moves in one step; above 1 it overshoots."""


@dataclass(frozen=True, slots=True)
class ControllerManager:
    """A controller manager in Gazebo: its parameter file, its namespace, and the topic of its clock."""

    parameters: Path
    namespace: str = '/'
    clock: str = '/clock'


def rate_hz(step_s: float) -> int:
    """The rate of the controllers: one update at each physics step.

    At a lower rate, a velocity would be kept for several steps and no longer fit the distance, from which the plugin
    `lucca_gazebo` reads what a hand is asked for.
    """
    return round(1.0 / step_s)


def servo_per_s(step_s: float) -> float:
    """The velocity that a joint is commanded, over its distance, in 1/s."""
    return POSITION_GAIN * rate_hz(step_s)


def effort_limit(joint: Joint, servo: JointServo) -> float:
    """The largest force of a joint in Nm or N: that of a spring servo over its whole range.

    Without a limit, Gazebo's velocity servos press with any force, and leave the range of their joints.
    """
    return servo.stiffness * (joint.upper - joint.lower)


def add_controller_manager(model: ET.Element, manager: ControllerManager) -> None:
    """Adds gz_ros2_control's plugin to the robot's model. It waits for the topic `robot_description`."""
    plugin = ET.SubElement(model, 'plugin', filename=PLUGIN_FILE, name=PLUGIN_NAME)
    ET.SubElement(plugin, 'parameters').text = str(manager.parameters)
    ET.SubElement(plugin, 'position_proportional_gain').text = repr(POSITION_GAIN)
    ros = ET.SubElement(plugin, 'ros')
    ET.SubElement(ros, 'namespace').text = manager.namespace
    ET.SubElement(ros, 'remapping').text = f'/clock:={manager.clock}'
