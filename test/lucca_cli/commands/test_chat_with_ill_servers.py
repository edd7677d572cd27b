"""A chat with a model server that is ill ends each turn with a reason, in time, and goes on once the server is well."""

import io
import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from coordinator_node.config import CoordinatorConfig
from coordinator_node.model_caller import ModelCaller
from coordinator_node.talk.agent import NOT_KEPT, Agent
from coordinator_node.waits import Waits
from lucca_cli.chat_backends import LocalChat
from lucca_cli.commands.chat import run_chat
from lucca_cli.local_people import local_worker
from lucca_lab.attack.hostile_server import Cut, HostileServer, ModelRequest, Step, whole_answer
from lucca_lab.attack.model_texts import document
from lucca_llm.model_spec import make_model

DEADLINE_S = 0.3
TURN_S = 0.9
FOREVER_S = 1000.0
STREAM = b'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n'


def answered(status: str, body: bytes = b'', *headers: str) -> bytes:
    lines = [f'HTTP/1.1 {status}', 'Connection: close', f'Content-Length: {len(body)}', *headers]
    return '\r\n'.join((*lines, '', '')).encode() + body


def well() -> bytes:
    (whole,) = whole_answer(document('Here I am.'))
    assert isinstance(whole, bytes)
    return whole


def piece(text: str) -> bytes:
    return b'data: ' + json.dumps({'choices': [{'delta': {'content': text}}]}).encode() + b'\n\n'


def endless(part: bytes, pause_s: float) -> Iterator[Step]:
    yield STREAM
    while True:
        yield part
        yield pause_s


FAULTS: dict[str, tuple[Callable[[], Iterator[Step]], str]] = {
    'error 500': (lambda: iter([answered('500 Some', b'{"e": 1}')]), 'HTTP 500'),
    'no such model': (
        lambda: iter([answered('404 None', b'{"error": {"message": "no m"}}')]),
        'does not know this model',
    ),
    'silence': (lambda: iter([FOREVER_S]), f'gave no answer within {TURN_S:g} s'),
    'half an answer': (lambda: iter([answered('200 OK', well())[:-20], Cut.HALF_CLOSED]), 'peer closed connection'),
    'broken off': (lambda: iter([STREAM + piece('Hel'), 0.05, Cut.RESET]), 'connection failed'),
    'garbage': (
        lambda: iter([answered('200 OK', b'{"choices":3', 'Content-Type: application/json')]),
        'unreadable answer',
    ),
    'no HTTP': (lambda: iter([b'\x00\xff\xfe' * 40 + b'\r\n\r\n']), 'connection failed'),
    'nothing': (lambda: iter([answered('200 OK', b'', 'Content-Type: application/json')]), 'unreadable answer'),
    'a web page': (lambda: iter([answered('200 OK', b'<html>Log in</html>', 'Content-Type: text/html')]), 'a web page'),
    'redirects': (
        lambda: iter([answered('302 Found', b'', 'Location: /v1/chat/completions')]),
        'redirects are not followed',
    ),
    'slow words': (lambda: endless(piece('a '), 0.05), f'gave no answer within {TURN_S:g} s'),
    'an endless line': (lambda: endless(b'x' * 60_000, 0.0), 'is longer than the'),
}


class IllServer(HostileServer):
    """Is well unless `fault` names how it is ill."""

    fault = ''

    def __init__(self) -> None:
        super().__init__(self._answered)

    def _answered(self, asked: ModelRequest, chance: random.Random) -> Iterator[Step]:
        if self.fault == 'endless words':
            yield from endless(piece('x' * 60_000), 0.0)
        yield from FAULTS[self.fault][0]() if self.fault else [well()]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[IllServer]:
    monkeypatch.setenv('LUCCA_ALLOW_MODEL_REQUESTS', '1')
    found = IllServer()
    yield found
    found.close()


@pytest.fixture
def room(server: IllServer, tmp_path: Path) -> Iterator[LocalChat]:
    spec = f'openai:m@{server.url}/v1'
    config = CoordinatorConfig(llm=spec, model_deadline_s=DEADLINE_S, turn_deadline_s=TURN_S, retry_pause_s=0.01)
    with local_worker(tmp_path / 'memory', make_model('embedded'), embedding='none') as (memory, people):
        agent = Agent(ModelCaller(make_model(spec), config, Waits()), memory, config, people=people, no_hands='none')
        yield LocalChat(agent, memory, 'Ana', 'here')
        agent.close()


def shown(room: LocalChat, text: str) -> str:
    lines, console = [text], Console(file=io.StringIO(), width=1000)

    def ask() -> str:
        if not lines:
            raise EOFError
        return lines.pop()

    run_chat(room, console, 'Ana', ask)
    return console.file.getvalue().partition('\n')[2]  # type: ignore[attr-defined]


def kept(folder: Path, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in folder.rglob('*') if file.is_file())


@pytest.mark.parametrize('fault', FAULTS)
def test_a_turn_ends_with_the_reason_in_time_and_the_next_one_is_answered(
    room: LocalChat, server: IllServer, tmp_path: Path, fault: str
) -> None:
    assert 'Here I am.' in shown(room, 'My boat is called Petrel.')
    server.fault, began_s = fault, time.monotonic()
    told = shown(room, 'My cat is called Tiger.')
    assert time.monotonic() - began_s < TURN_S + 2.0
    assert FAULTS[fault][1] in told
    assert NOT_KEPT in told
    server.fault = ''
    assert 'Here I am.' in shown(room, 'My dog is called Rex.')
    assert [kept(tmp_path, name) for name in ('Petrel', 'Tiger', 'Rex')] == [True, False, True]


def test_an_answer_without_end_is_cut(room: LocalChat, server: IllServer) -> None:
    server.fault, began_s = 'endless words', time.monotonic()
    assert shown(room, 'Hello.').strip().endswith('…')
    assert time.monotonic() - began_s < TURN_S + 2.0


def test_a_server_that_is_gone_is_named_with_what_to_do(room: LocalChat, server: IllServer) -> None:
    server.close()
    told = shown(room, 'Hello.')
    assert 'connection failed' in told
    assert 'start a server there' in told
