"""The network of a running worker, looked at and changed over DDS: the command says the same as on the files."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('rclpy')

from lucca_interfaces.srv import Meet, Network, Recall, RecordTurn
from typer.testing import CliRunner
from worker_graph import Graph

from lucca_cli.main import app
from lucca_core.errors import StackError
from lucca_core.protocol.people import NetworkAnswer
from lucca_lab.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.ros
DEADLINE_S = 60.0


class Robot:
    """A worker over DDS and the command, which asks through the graph's client: its own takes a second to start."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def say(self, person: str, *texts: str) -> None:
        conversation = f'with {person}'
        self.graph.call(Meet, 'memory/meet', Meet.Request(source='cli', person=person, conversation=conversation))
        for text in texts:
            request = RecordTurn.Request(conversation=conversation, utterance=text, answer='I see.')
            assert self.graph.call(RecordTurn, 'memory/record_turn', request).ok

    def network(self, command: str, *nodes: int, folder: str = '') -> Any:
        request = Network.Request(command=command, folder=folder or str(self.graph.folder), nodes=list(nodes))
        return self.graph.call(Network, 'memory/network', request)

    def ask(self, command: str, folder: str, node_ids: Any) -> NetworkAnswer:
        reply = self.network(command, *node_ids, folder=folder)
        if not reply.ok:
            raise StackError(reply.reason)
        return NetworkAnswer(document=reply.json, count=reply.count)

    def command(self, *words: Any) -> Any:
        return CliRunner().invoke(app, ['memory', *map(str, words), '--data-dir', str(self.graph.folder)])

    def has_heard(self, count: int) -> bool:
        """Waits until so many sources were heard; what is heard comes in the background."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            reply = self.network('graph')
            if reply.ok and f'"heard": {count},' in reply.json:
                return True
        return False


@pytest.fixture
def robot(tmp_path: Path, model: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Robot]:
    graph = Graph(tmp_path / 'data', model, HashedEmbedder())
    graph.active()
    robot = Robot(graph)
    monkeypatch.setattr('lucca_cli.worker_requests.ask_network', robot.ask)
    yield robot
    graph.close()


def test_the_command_says_on_a_running_robot_what_it_says_on_its_files(robot: Robot) -> None:
    robot.say('Anna', 'The kiln is in Ulm.', 'Paula lives in Bonn.')
    assert robot.has_heard(2)
    assert robot.command('pin', 'node:1', 'node:99').stdout == '1 of 2 nodes pinned\n'
    running = [robot.command(*words).stdout for words in (['graph'], ['why', 'node:1'])]
    assert 'The kiln is in Ulm.' in running[1]
    assert '@' not in running[1]
    robot.graph.workers[0].trigger_deactivate()
    stopped = [robot.command(*words).stdout for words in (['graph'], ['why', 'node:1'])]
    # Importance fades between the two: the figures of one moment are not those of the next.
    assert [line for line in running[1].splitlines() if 'importance' not in line] == [
        line for line in stopped[1].splitlines() if 'importance' not in line
    ]
    assert [line.split()[:2] for line in running[0].splitlines()] == [
        line.split()[:2] for line in stopped[0].splitlines()
    ]
    assert robot.command('unpin', 'node:1').stdout == '1 of 1 nodes unpinned\n'


def test_statements_are_recalled_over_dds_with_their_mark(robot: Robot) -> None:
    robot.say('Anna', 'Paula lives in Bonn.', 'Paula lives in Kiel.')
    assert robot.has_heard(2)
    found = robot.graph.call(
        Recall, 'memory/recall', Recall.Request(conversation='with Anna', query='Where does Paula live?')
    )
    held = {item.text: item.valid_to.sec > 0 for item in found.memories}
    assert held['Paula lives in Bonn.']
    assert not held['Paula lives in Kiel.']


@pytest.mark.parametrize(
    ('command', 'nodes', 'reason'),
    [('explode', (), 'command must be one of'), ('why', (), 'why takes one node'), ('why', (77,), 'no node 77')],
)
def test_what_cannot_be_done_is_refused_with_its_reason(
    robot: Robot, command: str, nodes: tuple[int, ...], reason: str
) -> None:
    robot.say('Anna', 'Paula lives in Bonn.')
    assert robot.has_heard(1)
    reply = robot.network(command, *nodes)
    assert (reply.ok, reason in reply.reason) == (False, True)


def test_a_worker_on_another_folder_refuses(robot: Robot, tmp_path: Path) -> None:
    reply = robot.network('graph', folder=str(tmp_path / 'other'))
    assert not reply.ok
    assert 'keeps its memory in' in reply.reason


def test_a_change_without_an_answer_is_refused_and_a_look_goes_to_the_files(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot.say('Anna', 'Paula lives in Bonn.')
    assert robot.has_heard(1)

    def silent(*_: Any) -> NetworkAnswer:
        raise StackError('nobody answers')

    monkeypatch.setattr('lucca_cli.worker_requests.ask_network', silent)
    assert 'Paula lives in Bonn.' in robot.command('why', 'node:1').stdout
    refused = robot.command('pin', 'node:1')
    assert refused.exit_code == 1
    assert 'could not be asked: nobody answers' in ' '.join(refused.output.split())
