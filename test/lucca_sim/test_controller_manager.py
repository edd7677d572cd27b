"""The world that ros2_control moves: what gz_ros2_control reads of it, and what our plugin then needs.

Names were read from gz_ros2_control 1.2.19, the release for Jazzy (ros2-gbp/ign_ros2_control-release, a22801ad6), and
compared with its branch jazzy (fa9ced471). No Gazebo runs here.
"""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml
from narrow_gripper import narrow_gripper

from lucca_robot.profile import RobotProfile, load_profile
from lucca_sim.controller_manager import POSITION_GAIN, ControllerManager
from lucca_sim.gazebo_world import ControlFiles, write_controlled_world
from lucca_sim.scene import load_scene
from lucca_sim.sdf import GRASPS_NAME, ROBOT_MODEL, STEP_S, sdf_of

LIBRARY, CLASS = 'gz_ros2_control-system', 'gz_ros2_control::GazeboSimROS2ControlPlugin'
READ = {'parameters', 'controller_manager_name', 'hold_joints', 'position_proportional_gain', 'ros'}
READ_IN_ROS = {'namespace', 'remapping'}
HARDWARE = 'gz_ros2_control/GazeboSimSystem'


@pytest.fixture(params=['nicol', 'two_six_dof', 'narrow gripper'])
def robot(request: pytest.FixtureRequest, tmp_path: Path) -> RobotProfile:
    return narrow_gripper(tmp_path) if request.param == 'narrow gripper' else load_profile(request.param)


@pytest.fixture
def model(robot: RobotProfile) -> ET.Element:
    return model_of(robot, ControllerManager(Path('/controllers.yaml'), '/robot_1', 'clock'))


def model_of(robot: RobotProfile, manager: ControllerManager | None) -> ET.Element:
    found = sdf_of(load_scene('tower', 1), robot, manager).find(f"world/model[@name='{ROBOT_MODEL}']")
    assert found is not None
    return found


def controlled(robot: RobotProfile) -> list[str]:
    return [joint for joints in robot.controllers.values() for joint in joints]


def number(element: ET.Element, path: str) -> float:
    return float(element.findtext(path) or 'nan')


def test_gz_ros2_control_takes_the_place_of_gazebos_controllers_before_our_plugin(model: ET.Element) -> None:
    assert [(plugin.get('filename'), plugin.get('name')) for plugin in model.findall('plugin')] == [
        (LIBRARY, CLASS),
        ('lucca_grasps', GRASPS_NAME),
    ]


def test_it_is_told_only_what_it_reads(model: ET.Element) -> None:
    plugin = model.find(f"plugin[@name='{CLASS}']")
    assert plugin is not None
    assert {element.tag for element in plugin} <= READ
    ros = plugin.find('ros')
    assert ros is not None
    assert {element.tag for element in ros} <= READ_IN_ROS
    assert plugin.findtext('parameters') == '/controllers.yaml'
    assert ros.findtext('namespace') == '/robot_1'
    assert ros.findtext('remapping') == '/clock:=clock'


def written(robot: RobotProfile, folder: Path) -> tuple[ControlFiles, ET.Element]:
    """The files of a world, and the hardware in the description."""
    files = write_controlled_world(load_scene('tower', 1), robot, folder / 'tower.sdf')
    system = ET.parse(files.description).find('ros2_control')  # noqa: S314 - our own file
    assert system is not None
    return files, system


def test_the_description_has_hardware_in_gazebo_that_starts_at_home(robot: RobotProfile, tmp_path: Path) -> None:
    files, system = written(robot, tmp_path)
    assert system.get('type') == 'system'
    assert system.findtext('hardware/plugin') == HARDWARE
    assert [joint.get('name') for joint in system.findall('joint')] == controlled(robot)
    for joint in system.findall('joint'):
        assert [each.get('name') for each in joint.findall('command_interface')] == ['position']
        starts = {
            each.get('name'): number(each, "param[@name='initial_value']") for each in joint.iter('state_interface')
        }
        assert starts == {'position': robot.home[joint.get('name', '')], 'velocity': 0.0}
    # The world names its parameters by an absolute path: Gazebo may run anywhere.
    world = ET.parse(tmp_path / 'tower.sdf')  # noqa: S314 - our own file
    assert world.findtext(f".//plugin[@name='{CLASS}']/parameters") == str(files.parameters)
    assert files.parameters.is_absolute()


def test_every_joint_of_the_hardware_moves_in_the_world_and_mimics_no_other(
    robot: RobotProfile, model: ET.Element, tmp_path: Path
) -> None:
    """ros2_control refuses commands to a joint that mimics another; gz_ros2_control skips joints it does not find."""
    files, system = written(robot, tmp_path)
    urdf = ET.parse(files.description)  # noqa: S314 - our own file
    for joint in system.findall('joint'):
        name = joint.get('name')
        in_world, in_urdf = model.find(f"joint[@name='{name}']"), urdf.find(f"joint[@name='{name}']")
        assert in_world is not None
        assert in_world.get('type') in ('revolute', 'prismatic', 'continuous')
        assert in_urdf is not None
        assert in_urdf.find('mimic') is None


def test_controllers_run_at_each_step_and_no_servo_overshoots(
    robot: RobotProfile, model: ET.Element, tmp_path: Path
) -> None:
    """gz_ros2_control commands the distance times gain and rate as a velocity, and keeps it until the next update."""
    files, _ = written(robot, tmp_path)
    rate_hz = yaml.safe_load(files.parameters.read_text())['/**/controller_manager']['ros__parameters']['update_rate']
    assert rate_hz * STEP_S == 1
    gain = number(model, f"plugin[@name='{CLASS}']/position_proportional_gain")
    assert 0 < gain * rate_hz * STEP_S == POSITION_GAIN < 1
    for hand in model.iter('hand'):
        assert number(hand, 'servo_per_s') == gain * rate_hz


def test_a_controlled_joint_has_the_force_to_reach_its_velocity_and_no_more_than_a_spring(
    robot: RobotProfile, model: ET.Element
) -> None:
    relayed = model_of(robot, None)
    for joint in robot.moving_joints:
        element = model.find(f"joint[@name='{joint.name}']/axis")
        assert element is not None
        effort = element.findtext('limit/effort')
        assert (effort is not None) == (joint.name in controlled(robot))
        if effort is None:
            continue
        springs = [
            float(stiffness.text or 'nan')
            for plugin in relayed.findall('plugin')
            for name, stiffness in zip(plugin.findall('joint_name'), plugin.findall('position_p_gain'), strict=False)
            if name.text == joint.name
        ]
        assert [float(effort)] == [pytest.approx(spring * (joint.upper - joint.lower)) for spring in springs]
        assert float(effort) > 5 * number(element, 'dynamics/damping') * joint.velocity


def test_our_plugin_keeps_only_what_the_controllers_do_not_do(robot: RobotProfile, model: ET.Element) -> None:
    plugin = model.find(f"plugin[@name='{GRASPS_NAME}']")
    assert plugin is not None
    free = [joint.name for joint in robot.moving_joints if joint.name not in controlled(robot)]
    assert [start.findtext('joint') for start in plugin.findall('start')] == [
        name for name in robot.home if name in free
    ]
    assert [each.findtext('joint') for each in plugin.findall('follower')] == free
    assert [hand.findtext('name') for hand in plugin.findall('hand')] == list(robot.arms)
    assert not {'setpoints'} & {element.tag for element in plugin.iter()}
    assert not list(plugin.iterfind('hand/joint/stiffness'))
