"""gazebo.launch.py with gazebo:=true by the real launch, beside stand-ins for Gazebo and the programs of ROS 2."""

import os
import signal
from pathlib import Path

import pytest
from launched import STACK, finish, needs_launch, spawned, until, wait_active
from stand_in_programs import notes

from lucca_robot.profile import load_profile

pytestmark = [pytest.mark.launch, pytest.mark.ros, needs_launch]

SENSORS = [
    '/camera/color/image_raw@sensor_msgs/msg/Image[gz.msgs.Image',
    '/camera/depth/image_raw@sensor_msgs/msg/Image[gz.msgs.Image',
    '/camera/color/camera_info@sensor_msgs/msg/CameraInfo[gz.msgs.CameraInfo',
    '/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock',
]


@pytest.fixture
def launched_and_given(start, graph, prefix, monkeypatch):
    """Starts Gazebo's file with a way to control the robot; returns the launch and what each program was given."""
    for name in ('GZ_PARTITION', 'GZ_SIM_SYSTEM_PLUGIN_PATH'):
        monkeypatch.delenv(name, raising=False)

    def launched_and_given(control, ours, others):
        given = ('gazebo:=true', f'control:={control}', 'scene:=pointing', f'namespace:={control}')
        launched = start('gazebo.launch.py', *given, prefix=prefix)
        wait_active({*STACK, *ours}, graph, launched, f'/{control}')
        until(lambda: set(notes(prefix)) >= others, launched, graph[1], 'the programs of other packages run')
        found = notes(prefix)
        assert set(found) == others
        return launched, found

    return launched_and_given


def world_of(note):
    """The world that `gz` was given, which it was told to run without a window."""
    *options, world = note['arguments']
    assert options == ['sim', '-r', '-s']
    return Path(world)


def test_with_the_relay_gazebo_and_a_bridge_for_joints_and_setpoints_start_and_end(launched_and_given):
    launched, given = launched_and_given('relay', {'relay'}, {'gz', 'parameter_bridge'})
    assert world_of(given['gz']).name == 'pointing.sdf'
    assert given['gz']['environment'] == {'GZ_PARTITION': f'lucca-{os.environ["ROS_DOMAIN_ID"]}-relay'}
    setpoints = [
        f'/{name}/setpoints@trajectory_msgs/msg/JointTrajectory]gz.msgs.JointTrajectory'
        for name in load_profile().controllers
    ]
    joints = '/joint_states@sensor_msgs/msg/JointState[gz.msgs.Model'
    assert given['parameter_bridge']['arguments'] == [*SENSORS, joints, *setpoints]
    finish(launched, {*STACK, 'relay', *given})


def test_with_ros2_control_gazebo_starts_a_controller_manager_whose_controllers_are_spawned(
    launched_and_given, graph, prefix
):
    others = {'gz', 'parameter_bridge', 'robot_state_publisher', 'spawner'}
    launched, given = launched_and_given('ros2_control', set(), others)
    spawned(graph, launched)
    environment = given['gz']['environment']
    assert environment['GZ_PARTITION'] == f'lucca-{os.environ["ROS_DOMAIN_ID"]}-ros2_control'
    assert environment['GZ_SIM_SYSTEM_PLUGIN_PATH'] == str(prefix / 'lib')
    assert given['parameter_bridge']['arguments'] == SENSORS
    controllers = world_of(given['gz']).with_suffix('.controllers.yaml')
    assert given['spawner']['arguments'] == [
        *('joint_state_broadcaster', *load_profile().controllers),
        *('--param-file', str(controllers)),
        *('--switch-timeout', '60', '--service-call-timeout', '60'),
    ]
    finish(launched, {*STACK, *others})


def test_gazebo_and_its_bridge_do_not_outlive_a_launch_that_is_killed(launched_and_given):
    launched, _ = launched_and_given('relay', {'relay'}, {'gz', 'parameter_bridge'})
    launched.end(signal.SIGKILL)
    launched.none_left()
