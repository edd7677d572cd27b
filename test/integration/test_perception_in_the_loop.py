"""The stack acts only on what the camera shows: tested by moving the camera, removing it, and on the graph."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rig import Rig, running

from lucca_cli.client import StackClient
from lucca_cli.stack import StackOptions, node_setups
from lucca_cli.supervisor import Supervisor
from lucca_core.errors import StackError
from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.goals import GoalRequest
from lucca_lab.dds_domains import own_domain
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore, TaskLog
from lucca_sim.scene import load_scene

pytestmark = [pytest.mark.ros, pytest.mark.timeout(600)]

OFFSET_M = 0.1

SUBSCRIBED = {
    'perception': set(),
    'perception_streams': {
        '/camera/color/camera_info',
        '/camera/color/image_raw',
        '/camera/depth/image_raw',
        '/joint_states',
    },
    'action': set(),
    'action_goals': set(),
    'action_stop': {'/emergency_stop', '/speech/stop'},
    'action_streams': {'/joint_states', '/perception/objects'},
    'worker': set(),
    'worker_people': set(),
    'worker_streams': {'/perception/objects'},
    'coordinator': {'/speech/heard'},
    'coordinator_services': {'/execute_action/_action/feedback', '/execute_action/_action/status'},
    'coordinator_streams': {'/perception/objects'},
}
TOLD_BY_ANY_NODE = {'/claims', '/clock', '/parameter_events', '/rosout'}
TOLD_BY_THE_SIMULATOR = {
    '/claims',
    '/diagnostics',
    '/clock',
    '/joint_states',
    '/camera/color/image_raw',
    '/camera/depth/image_raw',
    '/camera/color/camera_info',
    '/parameter_events',
    '/rosout',
    '/simulator/transition_event',
}


@pytest.fixture(scope='module')
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with running(tmp_path_factory.mktemp('graph'), 'sorting') as rig:
        yield rig


def wait_for_node(client: StackClient, name: str, timeout_s: float = 10.0) -> None:
    """Topics of a node are discovered before its name."""
    deadline = time.monotonic() + timeout_s
    while name not in client.node_names():
        assert time.monotonic() < deadline, f'no node is named {name!r}; there are {", ".join(client.node_names())}'
        client.wait(0.1)


@pytest.mark.parametrize('node', sorted(SUBSCRIBED))
def test_node_listens_to_the_documented_topics_only(rig: Rig, node: str) -> None:
    wait_for_node(rig.stack.client, node)
    heard = {name for name, _ in rig.stack.client.node.get_subscriber_names_and_types_by_node(node, '/')}
    heard -= TOLD_BY_ANY_NODE
    assert heard == SUBSCRIBED[node]


def test_simulator_tells_what_sensors_tell_and_nothing_more(rig: Rig) -> None:
    wait_for_node(rig.stack.client, 'simulator')
    told = {name for name, _ in rig.stack.client.node.get_publisher_names_and_types_by_node('simulator', '/')}
    assert told <= TOLD_BY_THE_SIMULATOR
    services = {name for name, _ in rig.stack.client.node.get_service_names_and_types_by_node('simulator', '/')}
    standard = ('parameter', 'state', 'transition', 'type_description')
    assert [name for name in services if not any(word in name for word in standard)] == []


def test_what_is_seen_stands_where_it_truly_stands(rig: Rig) -> None:
    snapshot = rig.stack.client.snapshot(20.0)
    for item in load_scene('sorting', 0).objects:
        seen = snapshot.object_named(item.name)
        assert seen is not None, item.name
        truth = item.pose.position_m
        assert seen.pose_world.position_m[:2] == pytest.approx(truth[:2], abs=0.02), item.name


def test_moved_camera_moves_what_is_seen_and_no_false_success_is_told(tmp_path: Path) -> None:
    parameters = {'simulator': {'camera_offset_m': [0.0, OFFSET_M, 0.0]}, 'coordinator': {'max_misses': 1}}
    with running(tmp_path, 'sorting', parameters=parameters) as rig:
        snapshot = rig.stack.client.snapshot(20.0)
        for item in load_scene('sorting', 0).objects:
            seen = snapshot.object_named(item.name)
            if seen is not None:
                shift = seen.pose_world.position_m[1] - item.pose.position_m[1]
                assert shift == pytest.approx(-OFFSET_M, abs=0.03), item.name
        report = rig.do(GoalRequest(text='put the apple in box 1'))
        assert not report.finished
        outcomes = [entry for entry in rig.entries(report.task) if entry.kind is EntryKind.OUTCOME]
    assert outcomes
    assert not any(entry.done for entry in outcomes)


def test_without_a_camera_the_stack_is_not_ready_and_nothing_moves(tmp_path: Path) -> None:
    file = tmp_path / 'no_camera.yaml'
    file.write_text(
        '/**/simulator: {ros__parameters: {camera_enabled: false}}\n'
        '/**/coordinator: {ros__parameters: {fresh_timeout_s: 3.0, stack_wait_s: 5.0}}\n',
        encoding='utf-8',
    )
    options = StackOptions(scene='sorting', engine='kinematic', data_dir=tmp_path / 'memory', params_file=file)
    with own_domain(), StackClient() as client, Supervisor(node_setups(options), tmp_path) as supervisor:
        # Everything else is there: only the picture is missing.
        client.tasks(60.0)
        for name in ('perception', 'action', 'simulator'):
            wait_for_node(client, name, 60.0)
        assert client.is_up(60.0)
        with pytest.raises(StackError, match='no camera image'):
            client.wait_ready(6.0, supervisor.check)
        report = client.send_goal(GoalRequest(task='sorting')).wait(90.0, supervisor.check)
        assert not report.finished
        assert report.actions_done == ()
    # Nothing moves without an intent on the disk.
    with DataFolder.open(tmp_path / 'memory', write=False) as data:
        entries = [entry for task in LogStore(data).tasks() for entry in TaskLog(data, task).entries]
    assert not any(entry.kind is EntryKind.INTENT for entry in entries)
