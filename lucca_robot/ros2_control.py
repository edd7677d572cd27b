"""The robot for ros2_control: its description with hardware, and the parameters of its controllers."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from lucca_core.errors import ConfigError
from lucca_robot.arm_profile import ControllerInterface
from lucca_robot.description import Joint, Link, LinkShape, Origin, RobotDescription
from lucca_robot.profile import RobotProfile
from lucca_robot.urdf import read_urdf
from lucca_robot.xacro_file import NO_ARGUMENTS

MOCK = 'mock_components/GenericSystem'
"""Simulated hardware that follows commands at once, so that the whole stack runs without a robot."""
GAZEBO = 'gz_ros2_control/GazeboSimSystem'
"""Hardware in Gazebo, which gz_ros2_control simulates."""
BROADCASTER = 'joint_state_broadcaster'

_TYPES = {
    ControllerInterface.JOINT_TRAJECTORY: 'joint_trajectory_controller/JointTrajectoryController',
    ControllerInterface.FOLLOW_JOINT_TRAJECTORY: 'joint_trajectory_controller/JointTrajectoryController',
    ControllerInterface.GRIPPER_COMMAND: 'position_controllers/GripperActionController',
}
_RATE_HZ = 100
_PATH_TOLERANCE_RAD = 0.3
"""For arms only, because an object may keep fingers from their path."""
_GRIPPER_TOLERANCE_M = 0.002
_COMMANDS, _STATES = ('position',), ('position', 'velocity')


def controller_parameters(profile: RobotProfile, rate_hz: int = _RATE_HZ) -> dict[str, Any]:
    """ROS parameters of the controller manager and of all controllers of a profile, valid in any namespace."""
    arms = {arm.controller for arm in profile.arms.values()}
    types = {name: _TYPES[_interface(profile, name)] for name in profile.controllers}
    manager: dict[str, Any] = {'update_rate': rate_hz}
    manager[BROADCASTER] = {'type': 'joint_state_broadcaster/JointStateBroadcaster'}
    manager |= {name: {'type': kind} for name, kind in types.items()}
    parameters = {'controller_manager': manager}
    for name, joints in profile.controllers.items():
        if _interface(profile, name) is ControllerInterface.GRIPPER_COMMAND:
            parameters[name] = {'joint': joints[0], 'goal_tolerance': _GRIPPER_TOLERANCE_M, 'allow_stalling': True}
            continue
        parameters[name] = {
            'joints': list(joints),
            'command_interfaces': list(_COMMANDS),
            'state_interfaces': list(_STATES),
        }
        if name in arms:
            parameters[name]['constraints'] = {joint: {'trajectory': _PATH_TOLERANCE_RAD} for joint in joints}
    return {f'/**/{name}': {'ros__parameters': values} for name, values in parameters.items()}


def controllers_yaml(profile: RobotProfile, rate_hz: int = _RATE_HZ) -> str:
    """The parameters as the text of a file for a controller manager and its spawner."""
    head = f'# Controllers of {profile.name} for ros2_control, written from its profile.\n'
    return head + yaml.safe_dump(
        controller_parameters(profile, rate_hz), sort_keys=False, default_flow_style=None, width=120
    )


def read_description(profile: RobotProfile, file: Path | None = None) -> str:
    """The text of a URDF: from a URDF or xacro file, or made from the profile if no file is given.

    The xacro file that the profile names gets the profile's arguments.

    Raises:
        ConfigError: the file cannot be read, is not a URDF, or lacks a joint that the profile moves.
    """
    if file is None:
        return ET.tostring(_written(profile.description), encoding='unicode')
    is_own = file.resolve() == profile.urdf_file.resolve()
    root = _parsed(read_urdf(file, profile.urdf_arguments if is_own else NO_ARGUMENTS), str(file))
    known = {joint.get('name') for joint in root.findall('joint')}
    for controller, joints in profile.controllers.items():
        if missing := [joint for joint in joints if joint not in known]:
            raise ConfigError(f'has no joint {missing[0]!r}, which {controller} moves', file=str(file))
    for mesh in root.iter('mesh'):
        # A program that displays the robot does not know where the description was.
        if (name := mesh.get('filename', '')) and '://' not in name:
            mesh.set('filename', (file.resolve().parent / name).as_uri())
    return ET.tostring(root, encoding='unicode')


def with_mock_hardware(profile: RobotProfile, urdf: str) -> str:
    """A description whose hardware is a mock that starts at home, in place of any hardware it names.

    Raises:
        ConfigError: the text is not a URDF.
    """
    # The parameter provides velocities, which trajectory controllers require.
    return _with_hardware(profile, urdf, 'mock', MOCK, calculate_dynamics='true')


def with_gazebo_hardware(profile: RobotProfile, urdf: str) -> str:
    """A description whose hardware is simulated in Gazebo and starts at home, in place of any hardware it names.

    Raises:
        ConfigError: the text is not a URDF.
    """
    return _with_hardware(profile, urdf, 'gazebo', GAZEBO)


def _with_hardware(profile: RobotProfile, urdf: str, name: str, plugin: str, **parameters: str) -> str:
    root = _parsed(urdf, profile.name)
    for element in root.findall('ros2_control'):
        root.remove(element)
    system = ET.SubElement(root, 'ros2_control', name=name, type='system')
    hardware = ET.SubElement(system, 'hardware')
    ET.SubElement(hardware, 'plugin').text = plugin
    for parameter, value in parameters.items():
        ET.SubElement(hardware, 'param', name=parameter).text = value
    home = profile.home
    for moved in (joint for joints in profile.controllers.values() for joint in joints):
        joint = ET.SubElement(system, 'joint', name=moved)
        for each in _COMMANDS:
            ET.SubElement(joint, 'command_interface', name=each)
        for each in _STATES:
            state = ET.SubElement(joint, 'state_interface', name=each)
            ET.SubElement(state, 'param', name='initial_value').text = repr(home[moved] if each == 'position' else 0.0)
    return ET.tostring(root, encoding='unicode')


def require_hardware(profile: RobotProfile, urdf: str) -> None:
    """Checks that a description names hardware with a position command for each joint that the profile moves.

    Raises:
        ConfigError: it does not; the message names the joint.
    """
    systems = _parsed(urdf, profile.name).findall('ros2_control')
    if not systems:
        raise ConfigError(
            'the description has no <ros2_control>, which names the driver of the robot; with hardware:=mock none is '
            'needed'
        )
    offered = {
        joint.get('name', ''): {each.get('name', '') for each in joint.findall('command_interface')}
        for system in systems
        for joint in system.findall('joint')
    }
    for controller, joints in profile.controllers.items():
        for joint in joints:
            if 'position' not in offered.get(joint, set()):
                raise ConfigError(
                    f'<ros2_control> of the description has no position command interface for {joint!r}, which '
                    f'{controller} moves'
                )


def _interface(profile: RobotProfile, controller: str) -> ControllerInterface:
    return profile.interfaces.get(controller, ControllerInterface.JOINT_TRAJECTORY)


def _parsed(text: str, file: str) -> ET.Element:
    try:
        root = ET.fromstring(text)  # noqa: S314 - a robot's own description, installed with the software
    except ET.ParseError as error:
        raise ConfigError(f'is not XML: {error}', file=file, line=error.position[0]) from error
    if root.tag != 'robot':
        raise ConfigError(f'must hold a <robot>, holds a <{root.tag}>', file=file, line=1)
    return root


def _written(description: RobotDescription) -> ET.Element:
    """A description as URDF: links with their solids, and joints. Hulls are written as their bounding boxes."""
    root = ET.Element('robot', name=description.name)
    for link in description.links:
        _write_link(root, link)
    for joint in description.joints:
        _write_joint(root, joint)
    return root


def _write_link(root: ET.Element, link: Link) -> None:
    element = ET.SubElement(root, 'link', name=link.name)
    for shape in link.shapes:
        for kind in ('visual', 'collision'):
            solid = ET.SubElement(element, kind)
            _write_origin(solid, _centre(shape))
            geometry = ET.SubElement(solid, 'geometry')
            if shape.kind in ('box', 'hull'):
                ET.SubElement(geometry, 'box', size=number_list(shape.dimensions_m))
            elif shape.kind == 'sphere':
                ET.SubElement(geometry, 'sphere', radius=repr(shape.dimensions_m[0]))
            else:
                radius, length = shape.dimensions_m
                ET.SubElement(geometry, 'cylinder', radius=repr(radius), length=repr(length))
            if kind == 'visual':
                material = ET.SubElement(solid, 'material', name=f'{link.name} {shape.rgba}')
                ET.SubElement(material, 'color', rgba=number_list(shape.rgba))


def _write_joint(root: ET.Element, joint: Joint) -> None:
    element = ET.SubElement(root, 'joint', name=joint.name, type=joint.kind)
    _write_origin(element, joint.origin)
    ET.SubElement(element, 'parent', link=joint.parent)
    ET.SubElement(element, 'child', link=joint.child)
    if joint.moves:
        ET.SubElement(element, 'axis', xyz=number_list(joint.axis))
        numbers: Mapping[str, float] = {
            'lower': joint.lower,
            'upper': joint.upper,
            'velocity': joint.velocity,
            'effort': joint.effort,
        }
        ET.SubElement(element, 'limit', {name: repr(value) for name, value in numbers.items()})
    if joint.mimic is not None:
        ET.SubElement(
            element,
            'mimic',
            joint=joint.mimic.joint,
            multiplier=repr(joint.mimic.multiplier),
            offset=repr(joint.mimic.offset),
        )


def _centre(shape: LinkShape) -> Origin:
    """The origin of a solid's centre; the corners of a hull need not be around its origin."""
    moved = shape.origin.rotation @ shape.box_centre_m + shape.origin.xyz
    return Origin((float(moved[0]), float(moved[1]), float(moved[2])), shape.origin.rpy)


def _write_origin(element: ET.Element, origin: Origin) -> None:
    ET.SubElement(element, 'origin', xyz=number_list(origin.xyz), rpy=number_list(origin.rpy))


def number_list(values: Sequence[float]) -> str:
    """Numbers as an attribute or a text of URDF and SDF has them: exact, and separated by spaces."""
    return ' '.join(repr(float(value)) for value in values)
