"""Descriptions with hardware, and parameters of ros2_control's controllers, written from profiles."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from action_node.controller_check import described_limits, mismatches
from lucca_cli.main import app
from lucca_core.errors import ConfigError
from lucca_robot.arm_profile import ControllerInterface
from lucca_robot.kinematics import LinkPoses
from lucca_robot.profile import RobotProfile, load_profile
from lucca_robot.ros2_control import (
    BROADCASTER,
    GAZEBO,
    MOCK,
    controller_parameters,
    controllers_yaml,
    read_description,
    require_hardware,
    with_gazebo_hardware,
    with_mock_hardware,
)
from lucca_robot.urdf import parse_urdf

# As ros2_controllers documents them on its branch jazzy (ed360c97d, 2026-08-16).
DOCUMENTED: dict[str, dict[str, type]] = {
    'joint_trajectory_controller/JointTrajectoryController': {
        'joints': list,
        'command_interfaces': list,
        'state_interfaces': list,
        'constraints': dict,
    },
    'position_controllers/GripperActionController': {'joint': str, 'goal_tolerance': float, 'allow_stalling': bool},
    'joint_state_broadcaster/JointStateBroadcaster': {},
}
ROBOTS = ('nicol', 'two_six_dof')


def with_gripper_action(profile: RobotProfile) -> RobotProfile:
    """The profile with a hand of one joint on the right, told by the action of grippers."""
    arm = profile.arms['right']
    hand = replace(
        arm.hand,
        joints=arm.hand.joints[:1],
        open=arm.hand.open[:1],
        closed=arm.hand.closed[:1],
        point=arm.hand.point[:1],
        interface=ControllerInterface.GRIPPER_COMMAND,
    )
    return replace(profile, arms={**profile.arms, 'right': replace(arm, hand=hand)})


@pytest.fixture(params=[*ROBOTS, 'gripper'])
def profile(request: pytest.FixtureRequest) -> RobotProfile:
    return (
        with_gripper_action(load_profile('two_six_dof')) if request.param == 'gripper' else load_profile(request.param)
    )


def read(urdf: str) -> ET.Element:
    return ET.fromstring(urdf)  # noqa: S314 - written by us


def of(parameters: dict[str, Any], node: str) -> dict[str, Any]:
    found: dict[str, Any] = parameters[f'/**/{node}']['ros__parameters']
    return found


def test_each_controller_of_a_profile_has_its_joints_in_its_order(profile: RobotProfile) -> None:
    parameters = yaml.safe_load(controllers_yaml(profile))
    assert parameters == controller_parameters(profile)
    running = {
        name: tuple(given['joints']) if 'joints' in given else (given['joint'],)
        for name in profile.controllers
        for given in [of(parameters, name)]
    }
    limits = {joint.name: (joint.lower, joint.upper) for joint in profile.moving_joints}
    described = described_limits(read_description(profile))
    rate = float(of(parameters, 'controller_manager')['update_rate'])
    assert mismatches(profile.controllers, running, limits, described, rate) == []


def test_parameters_are_those_that_ros2_control_documents(profile: RobotProfile) -> None:
    parameters = controller_parameters(profile)
    manager = of(parameters, 'controller_manager')
    types = {name: given['type'] for name, given in manager.items() if name != 'update_rate'}
    assert set(types) == {BROADCASTER, *profile.controllers}
    for name, kind in types.items():
        given = of(parameters, name) if name != BROADCASTER else {}
        assert {key: type(value) for key, value in given.items()}.items() <= DOCUMENTED[kind].items()
        # Each arm is held to its path; fingers may be kept from theirs by what they hold.
        arms = {arm.controller: arm.joints for arm in profile.arms.values()}
        assert set(given.get('constraints', {})) == set(arms.get(name, ()))


def test_a_mock_moves_the_joints_of_all_controllers_and_starts_at_home(profile: RobotProfile) -> None:
    root = read(with_mock_hardware(profile, read_description(profile)))
    (system,) = root.findall('ros2_control')
    assert system.findtext('hardware/plugin') == MOCK
    joints = [name for names in profile.controllers.values() for name in names]
    assert [joint.get('name') for joint in system.findall('joint')] == joints
    for joint in system.findall('joint'):
        position = joint.find("state_interface[@name='position']/param[@name='initial_value']")
        assert position is not None
        assert float(position.text or 'nan') == profile.home[str(joint.get('name'))]
    require_hardware(profile, ET.tostring(root, encoding='unicode'))


def test_a_description_that_is_written_moves_as_the_profile_does(profile: RobotProfile) -> None:
    again = parse_urdf(read_description(profile), 'written')
    ours, theirs = LinkPoses(profile.description), LinkPoses(again)
    ours.update(profile.home)
    theirs.update(profile.home)
    for link in profile.description.links:
        for one, other in zip(ours.link_pose(link.name), theirs.link_pose(link.name), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)
    assert [joint.mimic for joint in again.joints] == [joint.mimic for joint in profile.description.joints]


@pytest.mark.parametrize(('with_hardware', 'plugin'), [(with_mock_hardware, MOCK), (with_gazebo_hardware, GAZEBO)])
def test_simulated_hardware_takes_the_place_of_the_drivers_that_a_description_names(
    with_hardware: Callable[[RobotProfile, str], str], plugin: str
) -> None:
    profile = load_profile('two_six_dof')
    driver = '<ros2_control name="r" type="system"><hardware><plugin>maker/Driver</plugin></hardware></ros2_control>'
    named = read_description(profile).replace('</robot>', f'{driver}</robot>')
    root = read(with_hardware(profile, named))
    assert [each.text for each in root.iterfind('ros2_control/hardware/plugin')] == [plugin]


def test_meshes_are_found_from_anywhere(tmp_path: Path) -> None:
    profile = load_profile('two_six_dof')
    file = tmp_path / 'robot.urdf'
    mesh = '<link name="seen"><visual><geometry><mesh filename="meshes/hand.stl"/></geometry></visual></link></robot>'
    file.write_text(profile.urdf_file.read_text().replace('</robot>', mesh))
    assert (tmp_path / 'meshes' / 'hand.stl').as_uri() in read_description(profile, file)


@pytest.mark.parametrize(
    ('text', 'match'),
    [
        ('<robot name="r"/>', "has no joint '.*', which left_arm_controller moves"),
        ('<model/>', 'must hold a <robot>'),
        ('<robot', 'is not XML'),
    ],
)
def test_a_description_of_another_robot_is_refused(tmp_path: Path, text: str, match: str) -> None:
    file = tmp_path / 'robot.urdf'
    file.write_text(text)
    with pytest.raises(ConfigError, match=match):
        read_description(load_profile('two_six_dof'), file)
    with pytest.raises(ConfigError, match='cannot be read'):
        read_description(load_profile('two_six_dof'), tmp_path / 'none.urdf')


def test_hardware_that_does_not_move_a_joint_is_refused_with_its_name() -> None:
    profile = load_profile('two_six_dof')
    urdf = read_description(profile)
    with pytest.raises(ConfigError, match='no <ros2_control>'):
        require_hardware(profile, urdf)
    root = read(with_mock_hardware(profile, urdf))
    system = root.find('ros2_control')
    assert system is not None
    left_out = system.findall('joint')[3]
    system.remove(left_out)
    with pytest.raises(ConfigError, match=f'no position command interface for {left_out.get("name")!r}'):
        require_hardware(profile, ET.tostring(root, encoding='unicode'))


def test_the_command_writes_both_files(tmp_path: Path) -> None:
    folder = tmp_path / 'control'
    done = CliRunner().invoke(app, ['robot', 'control', 'two_six_dof', str(folder)])
    assert done.exit_code == 0, done.output
    profile = load_profile('two_six_dof')
    assert (folder / 'controllers.yaml').read_text() == controllers_yaml(profile)
    assert (folder / 'robot.urdf').read_text() == with_mock_hardware(profile, read_description(profile))
