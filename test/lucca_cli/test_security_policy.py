"""The SROS 2 policy allows what the tables of topics say, and nothing else."""

import ast
import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from lucca_cli.security_policy import policy_xml, rights_of
from lucca_core.nodes import MODULES
from lucca_robot.profile import load_profile

ROOT = Path(__file__).parents[2]
NICOL = load_profile()
RIGHTS = rights_of(NICOL)
PACKAGES = {
    'perception': 'perception_node',
    'action': 'action_node',
    'worker': 'worker_node',
    'coordinator': 'coordinator_node',
    'speech': 'speech_node',
    'lucca_cli': 'lucca_cli',
    'relay': 'lucca_sim/relay',
}
NAME = re.compile(r'(?:perception|memory|action|speech|camera)/[a-z_/]+|joint_states|emergency_stop|execute_\w+')
OF_A_CONTROLLER = re.compile(
    r'NAME/(?:joint_trajectory|planned_trajectory|setpoints|follow_joint_trajectory|gripper_cmd|get_parameters)'
)
NOT_OF_A_NODE = {'lucca_cli/security_policy.py'}


def names_of(rights):
    groups = (rights.publishes, rights.hears, rights.serves, rights.calls, rights.executes, rights.asks)
    return {name for group in groups for name in group}


def general(name):
    """A name with the name of its controller, or of another node that has parameters, replaced by NAME."""
    node, _, kind = name.rpartition('/')
    return f'NAME/{kind}' if node in (*NICOL.controllers, 'controller_manager') else name


def documented():
    """Every name of the first column of docs/interfaces.md; a controller is called NAME."""
    rows = re.findall(r'^\| (`[^|]*) \|', (ROOT / 'docs' / 'interfaces.md').read_text(encoding='utf-8'), re.MULTILINE)
    names = {name for row in rows for name in re.findall(r'`([^`]+)`', row)}
    return {general(name) for name in names if '…' not in name} - {'claims', 'object/ID'}


def test_every_documented_topic_service_and_action_is_somebodys_and_nothing_else_is():
    assert {general(name) for rights in RIGHTS.values() for name in names_of(rights)} == documented()


def test_what_is_said_is_heard_and_what_is_called_is_served():
    def every(group):
        return {name for rights in RIGHTS.values() for name in getattr(rights, group)}

    of_others = {'worker/change_state', 'plan_kinematic_path', 'apply_planning_scene'}
    assert {general(name) for name in every('calls') - every('serves')} == of_others | {'NAME/get_parameters'}
    of_drivers = {'NAME/follow_joint_trajectory', 'NAME/gripper_cmd'}
    assert {general(name) for name in every('asks') - every('executes')} == of_drivers
    from_outside = {'speech/audio_in', 'robot_description', 'tf_static'}
    compressed = {name for name in every('hears') if 'compressed' in name}
    heard = every('hears') - every('publishes') - from_outside - compressed
    assert heard == {'head_controller/joint_trajectory'}


def texts(node):
    """The texts that an argument may be: a constant, or the texts of an f-string with a controller's name as NAME."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.JoinedStr):
        return {''.join(part.value if isinstance(part, ast.Constant) else 'NAME' for part in node.values)}
    return set()


def calls(folder):
    for file in (ROOT / folder).rglob('*.py'):
        if str(file.relative_to(ROOT)) not in NOT_OF_A_NODE:
            for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
                if isinstance(node, ast.Call):
                    yield node, (*node.args, *(keyword.value for keyword in node.keywords))


@pytest.mark.parametrize('kind', PACKAGES)
def test_a_node_has_rights_for_every_name_that_its_code_uses(kind):
    used = {text for _, arguments in calls(PACKAGES[kind]) for argument in arguments for text in texts(argument)}
    used = {name for name in used if NAME.fullmatch(name) or OF_A_CONTROLLER.fullmatch(name)}
    assert used
    assert used - {general(name) for name in names_of(RIGHTS[kind])} - names_of(RIGHTS[kind]) == set()


@pytest.mark.parametrize('kind', PACKAGES)
def test_every_companion_of_a_node_has_its_rights(kind):
    made = {
        f'{kind}_{arguments[1].value}'
        for call, arguments in calls(PACKAGES[kind])
        if getattr(call.func, 'id', '') in ('Companion', 'TopicReader') and isinstance(arguments[1], ast.Constant)
    }
    if any(getattr(call.func, 'id', '') == 'Streams' for call, _ in calls(PACKAGES[kind])):
        made |= {f'{kind}_streams', f'{kind}_services'}
    assert made <= set(RIGHTS[kind].companions)


def test_the_command_may_watch_the_stack_and_pause_the_worker():
    rights = RIGHTS['lucca_cli']
    assert {'lucca_cli_goals', 'lucca_cli_watcher', 'lucca_cli_stop'} == set(rights.companions)
    assert 'worker/change_state' in rights.calls


def test_another_robots_controllers_are_in_its_policy(tmp_path):
    robots = ROOT / 'config' / 'robots'
    text = (robots / 'nicol.yaml').read_text(encoding='utf-8')
    other = tmp_path / 'other.yaml'
    other.write_text(text.replace('left_arm_controller', 'arm_2').replace('nicol.urdf', str(robots / 'nicol.urdf')))
    policy = policy_xml(load_profile(other))
    assert 'arm_2/joint_trajectory' in policy
    assert 'left_arm_controller' not in policy


def test_only_the_action_node_moves_joints_and_only_the_worker_writes_memory():
    assert {name for name, rights in RIGHTS.items() if any('trajectory' in topic for topic in rights.publishes)} == {
        'action'
    }
    assert {name for name, rights in RIGHTS.items() if any('setpoints' in topic for topic in rights.publishes)} == {
        'relay'
    }
    assert {name for name, rights in RIGHTS.items() if 'memory/record' in rights.serves} == {'worker'}
    assert {name for name, rights in RIGHTS.items() if 'memory/record' in rights.calls} == {'action', 'coordinator'}


def test_the_policy_is_xml_with_an_enclave_for_each_node_and_no_wildcard():
    policy = Xml.fromstring(policy_xml(NICOL, '/robot_1').encode())  # noqa: S314 - our own text
    assert policy.attrib == {'version': '0.2.0'}
    assert [item.attrib['path'] for item in policy.iter('enclave')] == [f'/{name}' for name in RIGHTS]
    assert {item.attrib['ns'] for item in policy.iter('profile')} == {'/robot_1'}
    assert not [item for item in policy.iter() if '*' in (item.text or '')]
    assert set(MODULES) <= set(RIGHTS)
