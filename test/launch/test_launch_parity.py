"""Launch files load and name what is installed, in a stand-in for `launch` whose signatures are those of the real one.

What this does not cover, other tests of this folder do where ROS 2's launch is installed: that nodes start, end with
their launch, and come back when they are killed.
"""

import importlib
import importlib.util
import inspect
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import fake_launch
import pytest
import setuptools
from ament_index_python import packages

from lucca_core import claim
from lucca_robot.profile import load_profile
from lucca_robot.ros2_control import GAZEBO
from lucca_sim.controller_manager import ControllerManager
from lucca_sim.scene import load_scene
from lucca_sim.sdf import sdf_of

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / 'launch').glob('*.launch.py'))
BRINGUP = ROOT / 'lucca_bringup' / 'launch' / 'robot.launch.py'
OURS = 'lucca'
# Started only on request: gazebo:=true.
OPTIONAL_PACKAGES = {'ros_gz_bridge', 'robot_state_publisher', 'controller_manager'}

needs_launch = pytest.mark.skipif(
    importlib.util.find_spec('launch_ros') is None,
    reason="the ROS 2 launch packages are not installed: the stand-in's signatures are not compared",
)


@pytest.fixture
def load(monkeypatch, tmp_path):
    """Loads a launch file with arguments, and returns the context after its visit."""
    contexts = []
    monkeypatch.setattr(claim, 'FOLDER', tmp_path)
    fake_launch.install(monkeypatch)
    shares = {'lucca': ROOT, 'lucca_bringup': ROOT / 'lucca_bringup'}
    monkeypatch.setattr(packages, 'get_package_share_directory', lambda package: str(shares[package]))

    def load(file, **given):
        description = runpy.run_path(str(file))['generate_launch_description']()
        from lucca_ros import launching

        monkeypatch.setattr(launching, 'get_package_prefix', lambda package: '/opt/ros/jazzy')
        context = fake_launch.LaunchContext()
        context.launch_configurations.update(given)
        contexts.append(fake_launch.visit(description.entities, context))
        return contexts[-1]

    yield load
    for context in contexts:
        for handler in context.handlers:
            if isinstance(handler, fake_launch.OnShutdown):
                handler.on_shutdown(None, context)
    sys.modules.pop('lucca_ros.launching', None)


def nodes_of(context):
    return [action for action in context.started if isinstance(action, fake_launch.Node)]


def everything(load, file):
    """Each way to start a file: as it stands, and with all that it can start."""
    given = {'llm': 'embedded', 'data_dir': 'memory'}
    found = [load(file)]
    for number, control in enumerate(('relay', 'ros2_control') if 'gazebo' in file.name else ('',)):
        optional = {'gazebo': 'true', 'control': control} if control else {}
        found.append(load(file, namespace=f'robot_{number}', **given, **optional))
    return found


@pytest.fixture
def ways_of_installing(monkeypatch, tmp_path):
    """Executables of the package by each way to install it: setup.py (pip, colcon), and the links of make setup."""
    said = {}
    with monkeypatch.context() as here:
        here.chdir(ROOT)
        here.setattr(setuptools, 'setup', lambda **arguments: said.update(arguments))
        runpy.run_path('setup.py')
    subprocess.run([sys.executable, str(ROOT / 'scripts' / 'link_package.py'), str(tmp_path / 'prefix')], check=True)
    return {
        'setup.py': {line.split(' = ')[0] for line in said['entry_points']['console_scripts']},
        'make setup': {file.name for file in (tmp_path / 'prefix' / 'lib' / 'lucca').iterdir()},
    }


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_every_executable_that_is_started_is_installed_by_every_way_to_install(load, file, ways_of_installing):
    for context in everything(load, file):
        started = {node.executable for node in nodes_of(context) if node.package == OURS}
        assert len(started) >= 5
        for way, executables in ways_of_installing.items():
            assert started <= executables, way


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_only_what_was_asked_for_comes_from_other_packages(load, file):
    plain, *with_more = everything(load, file)
    assert {node.package for node in nodes_of(plain)} == {OURS}
    for all_of_it in with_more:
        assert {node.package for node in nodes_of(all_of_it)} <= {OURS, *OPTIONAL_PACKAGES}


@pytest.mark.parametrize('file', [*FILES, BRINGUP], ids=lambda file: file.name)
def test_the_log_calls_each_program_by_its_own_name_and_not_by_what_ends_it(load, file):
    given = {'gazebo': 'true', 'hardware': 'mock', 'rviz': 'true'}
    for control in ('relay', 'ros2_control'):
        context = load(file, control=control, namespace=control, **given)
        for node in nodes_of(context):
            assert node.exec_name == (node.executable if node.prefix else None)
        for other in (each for each in context.started if isinstance(each, fake_launch.ExecuteProcess)):
            assert other.name == other.cmd[0]


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_every_argument_says_what_it_is_and_every_one_that_is_used_is_declared(load, file):
    for context in everything(load, file):
        declared = [action for action in context.started if isinstance(action, fake_launch.DeclareLaunchArgument)]
        assert all(action.description and action.description.endswith('.') for action in declared)
        assert context.asked <= {action.name for action in declared}


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_a_robot_reaches_every_node_that_reads_its_profile(load, file):
    given = load(file, robot='two_six_dof', **({'gazebo': 'true'} if 'gazebo' in file.name else {}))
    told = {node.executable for node in nodes_of(given) if node.overrides.get('robot') == 'two_six_dof'}
    assert told == {node.executable for node in nodes_of(given)} & {'perception', 'action', 'simulator', 'relay'}


def action_of(context):
    return next(node for node in nodes_of(context) if node.executable == 'action')


@pytest.mark.parametrize(
    ('value', 'dry'), [('true', True), ('True', True), ('1', True), (' true', True), ('false', False), ('0', False)]
)
def test_a_dry_run_is_what_launch_itself_takes_for_true(load, value, dry):
    node = action_of(load(ROOT / 'launch' / 'nicol.launch.py', dry_run=value))
    assert node.overrides.get('dry_run', False) is dry


@pytest.mark.parametrize('value', ['yes', 'on', 'ture', '', 'dry'])
def test_what_is_neither_true_nor_false_starts_nothing(load, value):
    from lucca_core.errors import StackError

    with pytest.raises(StackError, match='dry_run must be true or false'):
        load(ROOT / 'launch' / 'nicol.launch.py', dry_run=value)


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_a_parameter_file_of_the_user_goes_over_the_one_of_the_robot_and_not_in_its_place(load, file, tmp_path):
    own = str(tmp_path / 'own.yaml')
    context = load(file, params_file=own)
    for node in nodes_of(context):
        if node.package == OURS and node.executable in ('perception', 'action', 'worker', 'coordinator', 'speech'):
            files = [context.perform(given) for given in node.parameters if not isinstance(given, dict)]
            assert [Path(given).name for given in files] == [file.name.replace('.launch.py', '.yaml'), 'own.yaml']


# Below their namespace; read from realsense2_camera 4.55 (align_depth.enable:=true) and OrbbecSDK_ROS2 2.x
# (depth_registration:=true).
DRIVERS = {
    'realsense': ({'camera': '/camera/camera', 'depth': 'aligned_depth_to_color/image_raw'}, '/camera/camera/'),
    'orbbec': ({'camera': '/camera'}, '/camera/'),
}


@pytest.mark.parametrize('driver', DRIVERS)
def test_the_documented_arguments_lead_to_the_topics_of_the_drivers(load, driver):
    given, prefix = DRIVERS[driver]
    perception = next(
        node for node in nodes_of(load(ROOT / 'launch' / 'nicol.launch.py', **given)) if node.executable == 'perception'
    )
    depth = prefix + given.get('depth', 'depth/image_raw')
    assert (
        perception.remapped
        | {
            'camera/color/image_raw': f'{prefix}color/image_raw',
            'camera/color/image_raw/compressed': f'{prefix}color/image_raw/compressed',
            'camera/color/camera_info': f'{prefix}color/camera_info',
            'camera/depth/image_raw': depth,
            'camera/depth/image_raw/compressedDepth': f'{depth}/compressedDepth',
        }
        == perception.remapped
    )
    page = (ROOT / 'docs' / 'robot.md').read_text(encoding='utf-8')
    assert ' '.join(f'{name}:={value}' for name, value in given.items()) in page


def test_a_controller_elsewhere_is_reached_by_each_of_its_interfaces(load):
    action = next(
        node
        for node in nodes_of(load(ROOT / 'launch' / 'nicol.launch.py', left_arm_controller='/my/left'))
        if node.executable == 'action'
    )
    for what in ('joint_trajectory', 'planned_trajectory', 'follow_joint_trajectory', 'gripper_cmd', 'get_parameters'):
        assert action.remapped[f'left_arm_controller/{what}'] == f'/my/left/{what}'


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


def parameters_of(kind):
    """Names that a class's constructors take, its own and those of its bases."""
    return {
        name
        for each in kind.__mro__
        if '__init__' in each.__dict__
        for name, parameter in inspect.signature(each.__init__).parameters.items()
        if name != 'self' and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }


@pytest.mark.launch
@needs_launch
@pytest.mark.parametrize(
    ('module', 'stand_in'),
    [
        (module, item)
        for module, held in fake_launch.MODULES.items()
        for item in held
        if item is not fake_launch.LaunchContext
    ],
    ids=lambda value: getattr(value, '__name__', value),
)
def test_the_stand_in_takes_nothing_that_the_real_one_refuses(module, stand_in):
    real = getattr(importlib.import_module(module), stand_in.__name__)
    if isinstance(stand_in, type):
        assert parameters_of(stand_in) <= parameters_of(real)
    else:
        assert list(inspect.signature(stand_in).parameters) == list(inspect.signature(real).parameters)
