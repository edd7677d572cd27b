"""The launch file of lucca_bringup starts what was asked for, in a stand-in for `launch`, and depends on all of it."""

import re
import runpy
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import fake_launch
import pytest
import yaml
from ament_index_python import packages

from lucca_core import claim
from lucca_core.errors import ConfigError, StackError
from lucca_robot.profile import load_profile
from lucca_robot.ros2_control import MOCK, read_description, with_mock_hardware

ROOT = Path(__file__).resolve().parents[2]
BRINGUP = ROOT / 'lucca_bringup'
FILE = BRINGUP / 'launch' / 'robot.launch.py'
STACK = {'perception', 'action', 'worker', 'coordinator', 'speech'}


@pytest.fixture
def load(monkeypatch, tmp_path):
    """Loads the launch file with arguments, and returns the context after its visit."""
    contexts = []
    monkeypatch.setattr(claim, 'FOLDER', tmp_path)
    fake_launch.install(monkeypatch)
    shares = {'lucca': ROOT, 'lucca_bringup': BRINGUP}
    monkeypatch.setattr(packages, 'get_package_share_directory', lambda package: str(shares[package]))

    def load(**given):
        context = fake_launch.LaunchContext()
        context.launch_configurations.update(given)
        contexts.append(context)
        return fake_launch.visit(runpy.run_path(str(FILE))['generate_launch_description']().entities, context)

    yield load
    for context in contexts:
        for handler in context.handlers:
            if isinstance(handler, fake_launch.OnShutdown):
                handler.on_shutdown(None, context)


def nodes_of(context):
    return {action.executable: action for action in context.started if isinstance(action, fake_launch.Node)}


def test_without_a_word_it_starts_the_stack_beside_drivers_that_run(load):
    nodes = nodes_of(load())
    assert set(nodes) == {*STACK, 'robot_state_publisher', 'aggregator_node'}
    assert nodes['action'].overrides['robot'] == 'nicol'
    assert '<ros2_control' not in nodes['robot_state_publisher'].overrides['robot_description']


def test_where_drivers_publish_their_description_it_publishes_none(load):
    assert 'robot_state_publisher' not in nodes_of(load(description='robot_description'))


@pytest.mark.parametrize('robot', ['nicol', 'two_six_dof'])
def test_with_mock_hardware_it_runs_and_spawns_every_controller_of_the_profile(load, robot):
    nodes = nodes_of(load(robot=robot, hardware='mock', namespace='robot_1'))
    profile = load_profile(robot)
    assert MOCK in nodes['robot_state_publisher'].overrides['robot_description']
    *names, flag, file = nodes['spawner'].arguments
    assert flag == '--param-file'
    assert names == ['joint_state_broadcaster', *profile.controllers]
    assert nodes['ros2_control_node'].parameters == [file]
    written = yaml.safe_load(Path(file).read_text())
    assert {name.removeprefix('/**/') for name in written} == {'controller_manager', *profile.controllers}
    # The broadcaster and the trajectory topics are where nicol.launch.py looks for them.
    remapped = nodes['action'].remapped
    assert all(remapped[f'{name}/joint_trajectory'] == f'{name}/joint_trajectory' for name in profile.controllers)


def test_a_robots_own_hardware_is_used_and_asked_for(load, tmp_path):
    profile = load_profile('two_six_dof')
    plain, real = tmp_path / 'plain.urdf', tmp_path / 'real.urdf'
    plain.write_text(read_description(profile))
    real.write_text(with_mock_hardware(profile, plain.read_text()).replace(MOCK, 'maker/Driver'))
    nodes = nodes_of(load(robot='two_six_dof', hardware='description', description=str(real)))
    assert 'maker/Driver' in nodes['robot_state_publisher'].overrides['robot_description']
    assert 'spawner' in nodes
    with pytest.raises(ConfigError, match='no <ros2_control>'):
        load(robot='two_six_dof', hardware='description', description=str(plain))


@pytest.mark.parametrize(
    ('given', 'match'),
    [
        ({'hardware': 'fake'}, 'hardware must be one of started, description, mock'),
        ({'aggregator': 'no'}, 'aggregator must be true or false'),
        ({'rviz': 'yes'}, 'rviz must be true or false'),
        ({'hardware': 'description', 'description': 'robot_description'}, 'names none; give the file'),
    ],
)
def test_what_is_no_choice_starts_nothing(load, given, match):
    with pytest.raises(StackError, match=match):
        load(**given)


def test_the_stack_is_left_out_on_request(load):
    assert not STACK & set(nodes_of(load(stack='false')))


def test_a_root_of_another_name_is_tied_to_the_world(load, tmp_path):
    home = load_profile('two_six_dof').urdf_file.parent
    urdf = (home / 'two_six_dof.urdf').read_text().replace('"world"', '"base"')
    (tmp_path / 'two_six_dof.urdf').write_text(urdf)
    own = tmp_path / 'own.yaml'
    own.write_text((home / 'two_six_dof.yaml').read_text())
    nodes = nodes_of(load(robot=str(own)))
    assert nodes['static_transform_publisher'].arguments == ['--frame-id', 'world', '--child-frame-id', 'base']
    assert 'static_transform_publisher' not in nodes_of(load(namespace='another'))


def test_every_argument_is_described_and_folders_reach_their_nodes(load):
    context = load(hardware='mock', rviz='true', data_dir='/d', state_dir='/s')
    declared = [action for action in context.started if isinstance(action, fake_launch.DeclareLaunchArgument)]
    assert all(action.description and action.description.endswith('.') for action in declared)
    assert context.asked <= {action.name for action in declared}
    nodes = nodes_of(context)
    assert nodes['worker'].overrides['data_dir'] == '/d'
    assert nodes['action'].overrides['state_dir'] == '/s'


def test_frames_and_diagnostics_of_a_namespace_stay_in_it(load):
    nodes = nodes_of(load(hardware='mock', rviz='true', namespace='robot_1'))
    for name in ('robot_state_publisher', 'rviz2', *STACK):
        assert nodes[name].remapped['/tf'] == 'tf'
    assert nodes['aggregator_node'].remapped['/diagnostics'] == 'diagnostics'


def test_the_package_depends_on_every_package_that_it_starts(load):
    started = {action.package for action in nodes_of(load(hardware='mock', rviz='true')).values()} | {'tf2_ros'}
    named = {element.text for element in ET.parse(BRINGUP / 'package.xml').iter('exec_depend')}  # noqa: S314 - ours
    plugins = {'hardware_interface', 'joint_trajectory_controller', 'joint_state_broadcaster', 'gripper_controllers'}
    assert started | plugins <= named


def test_the_aggregator_expects_the_names_that_nodes_give(load):
    groups = yaml.safe_load((BRINGUP / 'config' / 'diagnostics.yaml').read_text())['/**/analyzers']['ros__parameters']
    sources = '\n'.join(file.read_text() for file in ROOT.glob('*_node/*.py'))
    for name in groups['lucca']['expected']:
        part = name.removeprefix('lucca: ')
        assert re.search(rf"diagnostic_msg\(\s*'{part}'", sources), part
        assert name.startswith(groups['lucca']['startswith'][0])


def test_rviz_shows_topics_that_perception_publishes():
    shown = yaml.safe_load((BRINGUP / 'config' / 'lucca.rviz').read_text())['Visualization Manager']['Displays']
    topics = {display['Topic']['Value'] for display in shown if 'Topic' in display}
    sources = '\n'.join(
        (ROOT / 'perception_node' / file).read_text() for file in ('annotated_pictures.py', 'displays.py', 'node.py')
    )
    assert topics
    assert all(f"'{topic}'" in sources for topic in topics)


@pytest.mark.parametrize('way', ['container', 'systemd'])
def test_the_unit_and_the_container_launch_with_their_folders_and_arguments(way, tmp_path):
    """Their own command lines, with an empty environment to source and a `ros2` that says what it was given.

    As ROS 2's, it names a Python that does not have what pip installed beside it: here one that is not there.
    """
    ros2, setup, python = tmp_path / 'ros2', tmp_path / 'setup.bash', tmp_path / 'python'
    ros2.write_text("#!/not/the/right/python\nimport sys\nprint(*sys.argv[1:], sep='\\n')\n")
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for program in (ros2, python):
        program.chmod(0o755)
    setup.touch()
    environment = {'PATH': f'{tmp_path}:/usr/bin:/bin', 'LUCCA_SETUP': str(setup), 'LUCCA_PYTHON': str(python)}
    given = ['robot:=two_six_dof', 'hardware:=mock']
    if way == 'systemd':
        unit = (BRINGUP / 'systemd' / 'lucca.service').read_text()
        line = next(line for line in unit.splitlines() if line.startswith('ExecStart='))
        command = shlex.split(line.removeprefix('ExecStart='))
        environment['LUCCA_ARGUMENTS'] = ' '.join(given)
    else:
        text = (BRINGUP / 'container' / 'entrypoint.sh').read_text()
        for sourced in ('/opt/lucca/venv/bin/activate', '/opt/lucca/install/setup.bash'):
            assert sourced in text
            text = text.replace(sourced, str(setup))
        script = tmp_path / 'entrypoint.sh'
        script.write_text(text)
        command = ['/bin/bash', str(script), *given]
    said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
    assert said[:4] == ['launch', '--noninteractive', 'lucca_bringup', 'robot.launch.py']
    assert said[4:] == ['data_dir:=/var/lib/lucca/memory', 'state_dir:=/var/lib/lucca/state', *given]
