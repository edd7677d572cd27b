"""The launch file of Gazebo: what it starts, what it bridges, and what it needs."""

import importlib
import importlib.util
import xml.etree.ElementTree as ET
from pathlib import Path

import fake_launch
import pytest
from fake_launch import nodes_of

from lucca_robot.profile import load_profile
from lucca_robot.ros2_control import GAZEBO
from lucca_sim.controller_manager import ControllerManager
from lucca_sim.scene import load_scene
from lucca_sim.sdf import sdf_of

ROOT = Path(__file__).resolve().parents[2]


def test_gazebo_gets_setpoints_and_never_a_trajectory_with_a_stamp(load):
    context = load(ROOT / 'launch' / 'gazebo.launch.py', gazebo='true', robot='two_six_dof')
    bridge = next(node for node in nodes_of(context) if node.executable == 'parameter_bridge')
    to_gazebo = {item.partition('@')[0] for item in bridge.arguments if ']' in item}
    assert to_gazebo == {
        f'/{side}_{part}_controller/setpoints' for side in ('left', 'right') for part in ('arm', 'hand')
    }


@pytest.mark.parametrize('robot', ['nicol', 'two_six_dof'])
def test_with_ros2_control_the_controllers_of_a_robot_run_in_gazebo_and_no_relay(load, monkeypatch, robot):
    monkeypatch.setenv('GZ_SIM_SYSTEM_PLUGIN_PATH', '/ours')
    context = load(
        ROOT / 'launch' / 'gazebo.launch.py', gazebo='true', control='ros2_control', robot=robot, namespace='robot_1'
    )
    nodes = {node.executable: node for node in nodes_of(context)}
    assert 'relay' not in nodes
    # Joint states come from the broadcaster, and trajectories go to the controllers.
    bridged = {argument.partition('@')[0] for argument in nodes['parameter_bridge'].arguments}
    assert bridged == {
        '/clock',
        *(f'/camera/{name}' for name in ('color/image_raw', 'depth/image_raw', 'color/camera_info')),
    }
    profile = load_profile(robot)
    *names, flag, file = nodes['spawner'].arguments[: len(profile.controllers) + 3]
    assert (names, flag) == (['joint_state_broadcaster', *profile.controllers], '--param-file')
    (world,) = [each.cmd[-1] for each in context.started if isinstance(each, fake_launch.ExecuteProcess)]
    plugin = ET.parse(world).find(".//plugin[@name='gz_ros2_control::GazeboSimROS2ControlPlugin']")  # noqa: S314 - ours
    assert plugin.findtext('parameters') == file
    assert Path(file).is_file()
    # The controller manager is where the spawner and the publisher of the description are, and hears the same clock.
    assert plugin.findtext('ros/namespace') == '/robot_1'
    assert context.perform(nodes['spawner'].namespace) == 'robot_1'
    publisher = nodes['robot_state_publisher']
    assert GAZEBO in publisher.overrides['robot_description']
    assert publisher.overrides['use_sim_time'] is True
    assert plugin.findtext('ros/remapping') == f'/clock:={publisher.remapped["/clock"]}' == '/clock:=clock'
    assert context.environment['GZ_SIM_SYSTEM_PLUGIN_PATH'] == '/ours:/opt/ros/jazzy/lib'


def test_another_control_than_those_two_starts_nothing(load):
    from lucca_core.errors import StackError

    with pytest.raises(StackError, match="control must be one of relay, ros2_control, got 'pid'"):
        load(ROOT / 'launch' / 'gazebo.launch.py', gazebo='true', control='pid')


def test_two_robots_in_gazebo_do_not_share_its_topics(load, monkeypatch):
    monkeypatch.delenv('GZ_PARTITION', raising=False)
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')

    def partition(**given):
        return load(ROOT / 'launch' / 'gazebo.launch.py', gazebo='true', **given).environment['GZ_PARTITION']

    assert partition() == 'lucca-7'
    assert partition(namespace='/left/robot') == 'lucca-7-left-robot'
    assert partition(namespace='right') == 'lucca-7-right'
    monkeypatch.setenv('GZ_PARTITION', 'mine')
    assert partition(namespace='left') == 'mine'


# Read from ros_gz_bridge's mappings (jazzy): what it can carry, and which way `[` (to ROS) and `]` (to Gazebo) point.
BRIDGED = {
    'sensor_msgs/msg/Image': '[gz.msgs.Image',
    'sensor_msgs/msg/CameraInfo': '[gz.msgs.CameraInfo',
    'rosgraph_msgs/msg/Clock': '[gz.msgs.Clock',
    'sensor_msgs/msg/JointState': '[gz.msgs.Model',
    'trajectory_msgs/msg/JointTrajectory': ']gz.msgs.JointTrajectory',
}


def test_the_bridge_carries_what_it_can_carry_between_topics_that_both_sides_have(load, tmp_path):
    """On Gazebo's side each topic stands in the world; on the side of ROS each type is a message that there is."""
    context = load(ROOT / 'launch' / 'gazebo.launch.py', gazebo='true', scene='tower')
    bridge = next(node for node in nodes_of(context) if node.executable == 'parameter_bridge')
    world = sdf_of(load_scene('tower', 0), load_profile())
    sensors = {topic for topic in (sensor.findtext('topic') for sensor in world.iter('sensor')) if topic}
    there = {f'/{topic}' for topic in sensors} | {'/clock'}
    there |= {f'/{topic.rpartition("/image_raw")[0]}/camera_info' for topic in sensors}
    there |= {topic for topic in (plugin.findtext('topic') for plugin in world.iter('plugin')) if topic}
    for argument in bridge.arguments:
        topic, _, types = argument.partition('@')
        split = min(types.index(mark) for mark in '[]' if mark in types)
        assert BRIDGED[types[:split]] == types[split:], argument
        assert topic in there
        package, _, name = types[:split].split('/')
        assert hasattr(importlib.import_module(f'{package}.msg'), name)


# Names of the systems' libraries and of their aliases, read from gz-sim 8.9.
PLUGINS = {
    'gz-sim-physics-system': 'gz::sim::systems::Physics',
    'gz-sim-user-commands-system': 'gz::sim::systems::UserCommands',
    'gz-sim-scene-broadcaster-system': 'gz::sim::systems::SceneBroadcaster',
    'gz-sim-sensors-system': 'gz::sim::systems::Sensors',
    'gz-sim-joint-state-publisher-system': 'gz::sim::systems::JointStatePublisher',
    'gz-sim-joint-trajectory-controller-system': 'gz::sim::systems::JointTrajectoryController',
    'lucca_grasps': 'lucca::Grasps',
}


# Read from gz_ros2_control 1.2.19 (jazzy).
OF_ROS2_CONTROL = {'gz_ros2_control-system': 'gz_ros2_control::GazeboSimROS2ControlPlugin'}


IN_ITS_PLACE = {'gz-sim-joint-state-publisher-system', 'gz-sim-joint-trajectory-controller-system'}


def test_the_world_loads_plugins_that_gazebo_or_we_have():
    world = sdf_of(load_scene('tower', 0), load_profile())
    assert {(each.get('filename'), each.get('name')) for each in world.iter('plugin')} == set(PLUGINS.items())
    world = sdf_of(load_scene('tower', 0), load_profile(), ControllerManager(Path('/controllers.yaml')))
    loaded = {each.get('filename'): each.get('name') for each in world.iter('plugin')}
    left = {file: name for file, name in PLUGINS.items() if file not in IN_ITS_PLACE}
    assert loaded == left | OF_ROS2_CONTROL


def test_without_gazebo_a_launch_that_needs_it_says_what_to_install(load, monkeypatch):
    from ament_index_python.packages import PackageNotFoundError

    from lucca_core.errors import StackError

    load(ROOT / 'launch' / 'gazebo.launch.py')
    from lucca_ros import launching

    def missing(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(launching, 'get_package_prefix', missing)
    with pytest.raises(StackError, match='sudo apt install ros-jazzy-ros-gz-bridge ros-jazzy-ros-gz-sim'):
        launching.require_gazebo()


def test_without_gz_ros2_control_a_launch_that_needs_it_says_what_to_install(load, monkeypatch):
    from ament_index_python.packages import PackageNotFoundError

    from lucca_core.errors import StackError

    load(ROOT / 'launch' / 'gazebo.launch.py')
    from lucca_ros import launching

    def only_gazebo(package):
        if package in launching.GAZEBO_CONTROL_PACKAGES:
            raise PackageNotFoundError(package)
        return '/opt/ros/jazzy'

    monkeypatch.setattr(launching, 'get_package_prefix', only_gazebo)
    launching.require_gazebo()
    with pytest.raises(StackError, match='sudo apt install ros-jazzy-gz-ros2-control ros-jazzy-controller-manager'):
        launching.require_gazebo(*launching.GAZEBO_CONTROL_PACKAGES)


def test_without_our_plugin_gazebo_is_not_started(load, monkeypatch):
    from ament_index_python.packages import PackageNotFoundError

    from lucca_core.errors import StackError

    load(ROOT / 'launch' / 'gazebo.launch.py')
    from lucca_ros import launching

    def only_gazebo(package):
        if package == 'lucca_gazebo':
            raise PackageNotFoundError(package)
        return '/opt/ros/jazzy'

    monkeypatch.setattr(launching, 'get_package_prefix', only_gazebo)
    with pytest.raises(StackError, match='colcon build --base-paths src/lucca/lucca_gazebo'):
        launching.require_gazebo()
