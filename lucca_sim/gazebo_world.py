"""A world for Gazebo, with the files that the robot in it needs besides."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lucca_robot.profile import RobotProfile
from lucca_robot.ros2_control import controllers_yaml, read_description, with_gazebo_hardware
from lucca_sim.controller_manager import ControllerManager, rate_hz
from lucca_sim.scene import Scene
from lucca_sim.sdf import STEP_S, write_sdf


class Control(StrEnum):
    """What moves the robot in Gazebo: Gazebo's own controllers behind our relay, or ros2_control's."""

    RELAY = 'relay'
    ROS2_CONTROL = 'ros2_control'


@dataclass(frozen=True, slots=True)
class ControlFiles:
    """The parameters of ros2_control's controllers, and the description that robot_state_publisher publishes."""

    parameters: Path
    description: Path


def write_controlled_world(
    scene: Scene, profile: RobotProfile, path: Path, *, namespace: str = '/', clock: str = '/clock'
) -> ControlFiles:
    """Writes a world to `path` whose robot ros2_control moves, and beside it the two files that this needs."""
    files = ControlFiles(path.with_suffix('.controllers.yaml').resolve(), path.with_suffix('.robot.urdf').resolve())
    files.parameters.write_text(controllers_yaml(profile, rate_hz(STEP_S)), encoding='utf-8')
    files.description.write_text(with_gazebo_hardware(profile, read_description(profile)), encoding='utf-8')
    write_sdf(scene, profile, path, ControllerManager(files.parameters, namespace, clock))
    return files
