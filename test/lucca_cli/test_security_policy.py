"""The SROS 2 policy allows what the tables of topics say, and nothing else."""

import ast
import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from lucca_cli.security_policy import RIGHTS, policy_xml
from lucca_core.nodes import MODULES

ROOT = Path(__file__).parents[2]
PACKAGES = {
    'perception': 'perception_node',
    'action': 'action_node',
    'worker': 'worker_node',
    'coordinator': 'coordinator_node',
    'speech': 'speech_node',
}
NAME = re.compile(r'(?:perception|memory|action|speech|camera)/[a-z_/]+|joint_states|emergency_stop|execute_\w+')


def names_of(rights):
    groups = (rights.publishes, rights.hears, rights.serves, rights.calls, rights.executes, rights.asks)
    return {name for group in groups for name in group}


def documented():
    """Every name of the first column of docs/interfaces.md."""
    rows = re.findall(r'^\| (`[^|]*) \|', (ROOT / 'docs' / 'interfaces.md').read_text(encoding='utf-8'), re.MULTILINE)
    names = {name for row in rows for name in re.findall(r'`([^`]+)`', row)}
    return {name for name in names if '…' not in name and not name.startswith('NAME/')} - {'claims'}


def test_every_documented_topic_service_and_action_is_somebodys_and_nothing_else_is():
    allowed = {name for rights in RIGHTS.values() for name in names_of(rights)}
    assert documented() - allowed == set()
    assert {name for name in allowed - documented() if '_controller/' not in name} == set()


def test_what_is_said_is_heard_and_what_is_called_is_served():
    def every(group):
        return {name for rights in RIGHTS.values() for name in getattr(rights, group)}

    assert every('calls') <= every('serves')
    assert every('asks') == every('executes')
    from_outside = {'speech/audio_in'}
    assert every('hears') - every('publishes') - from_outside == {'head_controller/joint_trajectory'}


@pytest.mark.parametrize('kind', PACKAGES)
def test_a_node_has_rights_for_every_name_that_its_code_uses(kind):
    used = set()
    for file in (ROOT / PACKAGES[kind]).rglob('*.py'):
        for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
            if not isinstance(node, ast.Call):
                continue
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                text = argument.value if isinstance(argument, ast.Constant) else None
                if isinstance(text, str) and NAME.fullmatch(text):
                    used.add(text)
    assert used
    assert used - names_of(RIGHTS[kind]) == set()


def test_only_the_action_node_moves_joints_and_only_the_worker_writes_memory():
    assert {name for name, rights in RIGHTS.items() if any('trajectory' in topic for topic in rights.publishes)} == {
        'action'
    }
    assert {name for name, rights in RIGHTS.items() if 'memory/record' in rights.serves} == {'worker'}
    assert {name for name, rights in RIGHTS.items() if 'memory/record' in rights.calls} == {'action', 'coordinator'}


def test_the_policy_is_xml_with_an_enclave_for_each_node_and_no_wildcard():
    policy = Xml.fromstring(policy_xml('/robot_1').encode())  # noqa: S314 - our own text
    assert policy.attrib == {'version': '0.2.0'}
    assert [item.attrib['path'] for item in policy.iter('enclave')] == [f'/{name}' for name in RIGHTS]
    assert {item.attrib['ns'] for item in policy.iter('profile')} == {'/robot_1'}
    assert not [item for item in policy.iter() if '*' in (item.text or '')]
    assert set(MODULES) - set(RIGHTS) == {'relay'}
