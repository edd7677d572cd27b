"""robot.launch.py by the real launch, beside stand-ins for the programs of other packages."""

import signal

import pytest
from launched import ROBOT, STACK, asking, finish, needs_launch, spawned, until, wait_active
from stand_in_programs import notes

from lucca_robot.profile import load_profile
from lucca_robot.ros2_control import controllers_yaml

pytestmark = [pytest.mark.launch, pytest.mark.ros, needs_launch]

MOCKED = {'robot_state_publisher', 'ros2_control_node', 'spawner', 'aggregator_node'}

# Drivers of one's own, with one's own file of controllers, and the robot's launch file beside them.
WITH_DRIVERS = """
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node


def generate_launch_description():
    place = {{'package': 'controller_manager', 'namespace': 'robot_2'}}
    return LaunchDescription(
        [
            Node(executable='ros2_control_node', parameters=[{file!r}], **place),
            Node(executable='spawner', arguments=[*{names!r}, '--param-file', {file!r}], **place),
            IncludeLaunchDescription(PythonLaunchDescriptionSource({robot!r})),
        ]
    )
"""


@pytest.fixture
def robot(tmp_path):
    """A robot whose description has another root than `world`."""
    home = load_profile('two_six_dof').urdf_file.parent
    urdf = (home / 'two_six_dof.urdf').read_text().replace('"world"', '"base"')
    (tmp_path / 'two_six_dof.urdf').write_text(urdf)
    own = tmp_path / 'own.yaml'
    own.write_text((home / 'two_six_dof.yaml').read_text())
    return own


def test_beside_mock_hardware_the_controllers_match_and_all_ends_with_the_launch(start, graph, prefix, robot):
    launched = start(ROBOT, 'hardware:=mock', f'robot:={robot}', 'namespace:=robot_1', prefix=prefix)
    wait_active(STACK, graph, launched, '/robot_1')
    spawned(graph, launched)
    # Joints and limits: those of the description are compared, too.
    assert 'limits are not compared' not in launched.log
    others = {*MOCKED, 'static_transform_publisher'}
    until(lambda: set(notes(prefix)) >= others, launched, graph[1], 'the programs of other packages run')
    given = {name: note['arguments'] for name, note in notes(prefix).items()}
    assert set(given) == others
    assert given['static_transform_publisher'] == ['--frame-id', 'world', '--child-frame-id', 'base']
    assert given['spawner'][:-1] == ['joint_state_broadcaster', *load_profile(str(robot)).controllers, '--param-file']
    finish(launched, {*STACK, *given})


def test_a_controller_with_another_joint_keeps_the_action_node_from_activating_and_is_named(
    start, graph, prefix, tmp_path
):
    profile = load_profile('nicol')
    controller, (joint, *_) = next(iter(profile.controllers.items()))
    file = tmp_path / 'controllers.yaml'
    file.write_text(controllers_yaml(profile).replace(joint, 'of_another_robot'))
    drivers = tmp_path / 'drivers.launch.py'
    names = ('joint_state_broadcaster', *profile.controllers)
    drivers.write_text(WITH_DRIVERS.format(file=str(file), names=names, robot=str(ROBOT)))
    launched = start(drivers, 'namespace:=robot_2', prefix=prefix)

    told = f"{controller} does not move joint '{joint}' of the profile; it moves ['of_another_robot', "
    until(lambda: launched.log.count(told) >= 2, launched, graph[1], 'the action node has tried twice')
    wait_active(STACK - {'action'}, graph, launched, '/robot_2')
    with asking('/robot_2/action', graph, launched) as ask:
        assert ask() != 'active'
    # Between two tries the action node does not run.
    assert launched.end(signal.SIGINT) == 0, launched.log
    assert launched.ended_cleanly() >= {*STACK, *MOCKED} - {'action'}, launched.log
    launched.none_left()
