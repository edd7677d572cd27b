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
from pathlib import Path

import fake_launch
import pytest
import setuptools
from fake_launch import nodes_of

from lucca_core.errors import LuccaError

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


@pytest.mark.parametrize('file', [*FILES, BRINGUP], ids=lambda file: file.name)
@pytest.mark.parametrize(
    ('given', 'meant'), [('dryrun:=true', 'dry_run'), ('dry-run:=true', 'dry_run'), ('data_dirs:=/tmp', 'data_dir')]
)
def test_an_argument_that_nobody_declared_starts_nothing_where_another_one_is_meant(load, file, given, meant):
    name = given.partition(':=')[0]
    with pytest.raises(LuccaError, match=rf"there is no launch argument '{name}'; did you mean '{meant}'\?"):
        load(file, given)


@pytest.mark.parametrize('file', [*FILES, BRINGUP], ids=lambda file: file.name)
def test_arguments_of_a_file_that_includes_this_one_are_its_own(load, file):
    declared = 'dry_run:=false', 'params_file:=', 'seed:=3', 'namespace:=here'
    assert nodes_of(load(file, 'hardware_port:=/dev/ttyUSB0', 'my_camera:=front', *declared))


def test_a_seed_that_is_no_number_is_named(load):
    with pytest.raises(LuccaError, match=r"seed must be a whole number, 0 or more, got 'minus'"):
        load(ROOT / 'launch' / 'sim.launch.py', seed='minus')


def test_an_engine_that_there_is_not_starts_nothing(load):
    with pytest.raises(LuccaError, match=r"engine must be one of physics, kinematic, got 'nonsense'"):
        load(ROOT / 'launch' / 'sim.launch.py', engine='nonsense')


WRONG = [
    ('scene', 'nowhere', r"no scene 'nowhere'; there are .*sorting"),
    ('seed', '-3', "seed must be a whole number, 0 or more, got '-3'"),
    ('robot', 'nobody', r"no robot 'nobody'; there are .*nicol"),
    ('llm', 'nonsense', "'nonsense' is no model spec; the forms are"),
    ('worker_llm', 'openai:', "'openai:' is no model spec"),
    ('params_file', '/no/file.yaml', '/no/file.yaml: cannot be read'),
    ('data_dir', '/etc/hostname', '/etc/hostname is not a folder'),
    ('respawn', 'maybe', "respawn must be true or false, got 'maybe'"),
    ('stack', 'maybe', "stack must be true or false, got 'maybe'"),
    ('use_sim_time', 'perhaps', 'use_sim_time must be true or false'),
    ('namespace', '9x', "letters, digits and _, such as robot_1; got '9x'"),
    ('clock', '/my-clock', "clock must be a ROS name, .* got '/my-clock'"),
    ('camera', '/camera/', "camera must be a ROS name, .* got '/camera/'"),
    ('left_arm_controller', 'arm-1', "left_arm_controller must be a ROS name, .* got 'arm-1'"),
]


NOT_IN = {
    'scene': ('nicol', 'robot'),
    'seed': ('nicol', 'robot'),
    'stack': ('nicol', 'sim', 'gazebo'),
    'use_sim_time': ('sim', 'gazebo'),
    'camera': ('sim', 'gazebo'),
    'left_arm_controller': ('sim', 'gazebo'),
}


@pytest.mark.parametrize(
    ('file', 'name', 'value', 'said'),
    [
        pytest.param(file, *wrong, id=f'{wrong[0]} of {file.name}')
        for file in (*FILES, BRINGUP)
        for wrong in WRONG
        if file.name.split('.')[0] not in NOT_IN.get(wrong[0], ())
    ],
)
def test_a_value_that_a_node_would_refuse_is_named_before_anything_starts(load, file, name, value, said):
    given = {name: value, 'gazebo': 'true', 'hardware': 'mock'}
    with pytest.raises(LuccaError, match=said):
        load(file, **given)
    assert not nodes_of(load.last)


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
    own = tmp_path / 'own.yaml'
    own.write_text('/**/action:\n  ros__parameters: {refresh_s: 0.2}\n')
    context = load(file, params_file=str(own))
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
