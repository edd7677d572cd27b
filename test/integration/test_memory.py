"""The real worker as a process: memory survives kills, fact files are followed, people are erased by command."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1] / 'worker_node'))

from lucca_interfaces.srv import EndConversation, Meet, Recall, RecordTurn
from worker_graph import Graph, process

from lucca_cli.main import app

pytestmark = [pytest.mark.ros, pytest.mark.timeout(900)]

PATIENCE_S = 120.0
"""Far more than it takes: machines that test are slow at times."""


class Client:
    """Somebody who talks with the worker."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def meet(self, conversation: str, person: str) -> Any:
        request = Meet.Request(source='cli', person=person, conversation=conversation)
        return self._graph.call(Meet, 'memory/meet', request)

    def turn(self, conversation: str, utterance: str) -> Any:
        request = RecordTurn.Request(conversation=conversation, utterance=utterance, answer='I see.')
        return self._graph.call(RecordTurn, 'memory/record_turn', request)

    def texts(self, conversation: str, query: str, *kinds: str) -> list[str]:
        request = Recall.Request(conversation=conversation, query=query, kinds=list(kinds), limit=50)
        response = self._graph.call(Recall, 'memory/recall', request)
        assert response.ok, response.reason
        return [f'{item.source} {item.text}' if item.kind == 'fact' else item.text for item in response.memories]

    def end(self, conversation: str) -> None:
        request = EndConversation.Request(conversation=conversation)
        assert self._graph.call(EndConversation, 'memory/end_conversation', request).ok


@contextmanager
def worker(folder: Path, **parameters: str) -> Iterator[Client]:
    """A worker process until it is killed at the end, and a client that never knew another one."""
    graph = Graph(folder, None, patience_s=PATIENCE_S)
    try:
        with process(folder, **parameters):
            yield Client(graph)
    finally:
        graph.close()


def test_what_was_acknowledged_is_recalled_after_a_kill_and_by_nobody_else(tmp_path: Path) -> None:
    folder = tmp_path / 'data'
    with worker(folder) as client:
        assert client.meet('anna 1', 'Anna').first_time
        client.meet('bob 1', 'Bob')
        client.meet('guest 1', '')
        assert client.turn('anna 1', 'My locker code is zygomorphic.').ok
        assert client.turn('bob 1', 'I keep ducks.').ok
        assert client.turn('guest 1', 'My word is quixotry.').ok
    with worker(folder) as client:
        met = client.meet('anna 2', 'Anna')
        assert [item.text for item in met.opening] == ['My locker code is zygomorphic.']
        assert 'My locker code is zygomorphic.' in client.texts('anna 2', 'What is my locker code?')
        for conversation, person in (('bob 2', 'Bob'), ('guest 2', '')):
            client.meet(conversation, person)
            for query in ('What is the locker code of Anna?', 'I am Anna. My locker code is', 'zygomorphic'):
                assert all('zygomorphic' not in text for text in client.texts(conversation, query))
    kept = [path for path in folder.rglob('*') if path.is_file()]
    assert any(b'zygomorphic' in path.read_bytes() for path in kept)
    assert not any(b'quixotry' in path.read_bytes() for path in kept)


def test_changed_facts_are_answered_while_people_talk(tmp_path: Path) -> None:
    facts = tmp_path / 'facts'
    facts.mkdir()
    (facts / 'gym.md').write_text('# Gym\n\nThe gym opens at seven.\n')
    with worker(tmp_path / 'data', facts_dir=str(facts), embedding='none') as client:
        client.meet('c1', 'Anna')
        assert client.texts('c1', 'When does the gym open?', 'fact') == ['gym.md:3 Gym: The gym opens at seven.']
        (facts / 'gym.md').write_text('# Gym\n\nThe gym opens at nine.\n')
        until_s = time.monotonic() + PATIENCE_S
        while client.texts('c1', 'When does the gym open?', 'fact') != ['gym.md:3 Gym: The gym opens at nine.']:
            assert client.turn('c1', 'And what do you think?').ok
            assert time.monotonic() < until_s, 'the change was not read'


def test_people_are_listed_and_erased_by_hand_beside_a_running_worker(tmp_path: Path) -> None:
    folder = tmp_path / 'data'

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, [*arguments, '--data-dir', str(folder)])
        assert result.exit_code == 0, result.output
        return result.output

    with worker(folder, embedding='none') as client:
        client.meet('c1', 'Anna')
        client.turn('c1', 'My word is zygomorphic.')
        client.meet('c2', 'Bob')
        client.turn('c2', 'I keep ducks.')
        assert [item['name'] for item in json.loads(run('memory', 'people', '--json'))] == ['Anna', 'Bob']
        assert 'zygomorphic' in run('memory', 'search', 'Anna', 'word', '--embedding', 'none')
        assert 'erased' in run('memory', 'forget', 'Anna', '--yes')
        assert 'kept: good' in run('feedback', 'good', '--person', 'Bob')
        assert client.meet('c3', 'Anna').first_time
        client.meet('c4', 'Bob')
        assert 'I keep ducks.' in client.texts('c4', 'ducks')
    assert not any(b'zygomorphic' in path.read_bytes() for path in folder.rglob('*') if path.is_file())
