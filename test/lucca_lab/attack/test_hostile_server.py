"""The hostile server says what it is asked to, and closes one side where it is asked to."""

import json
import random
import socket
from collections import Counter

import httpx
import pytest

from lucca_lab.attack.hostile_server import Cut, HostileServer, ModelRequest, Temper, hostile_answer, whole_answer
from lucca_lab.attack.model_texts import asks_for, document, embedded_document, lie


@pytest.fixture
def serving():
    servers = []

    def serve(answer):
        servers.append(HostileServer(answer))
        return servers[0].url

    yield serve
    for server in servers:
        server.close()


def test_what_is_asked_reaches_the_answer(serving):
    def answer(asked, chance):
        yield from whole_answer({'path': asked.path, 'model': asks_for(asked)})

    url = serving(answer) + '/v1/chat/completions'
    said = httpx.post(url, json={'model': 'm'}, timeout=5.0, trust_env=False)
    assert said.json() == {'path': '/v1/chat/completions', 'model': 'm'}


def test_a_half_closed_connection_still_takes_what_is_sent(serving):
    def answer(asked, chance):
        yield b'half'
        yield Cut.HALF_CLOSED

    host, port = serving(answer).removeprefix('http://').split(':')
    with socket.create_connection((host, int(port)), timeout=5.0) as connection:
        connection.sendall(b'GET / HTTP/1.1\r\n\r\n')
        assert connection.recv(100) == b'half'
        assert connection.recv(100) == b''
        connection.sendall(b'more')


def test_every_kind_is_told_and_the_share_of_right_answers_is_kept():
    told = Counter()
    answer = hostile_answer(Temper(right=0.5), lambda asked, chance: document('ok'), lambda kind: told.update([kind]))
    chance = random.Random(0)
    for _ in range(600):
        next(answer(ModelRequest('/v1/chat/completions'), chance), None)
    assert 250 < told['right'] < 350
    assert set(told) == {
        'right',
        'odd values',
        'stream',
        'nonsense',
        'drip',
        'reset',
        'half closed',
        'bomb',
        'endless',
        'redirect',
    }


def test_the_right_answer_is_what_the_rule_based_model_says():
    asked = ModelRequest('/x', json.dumps({'messages': [{'role': 'user', 'content': 'Answer with: ok'}]}).encode())
    said = embedded_document(asked, random.Random(0))['choices'][0]['message']['content']
    assert said == embedded_document(asked, random.Random(1))['choices'][0]['message']['content']
    assert said


def test_lies_name_what_there_is_and_what_there_is_not():
    chance = random.Random(0)
    said = [lie(('pear',), chance)['choices'][0]['message'] for _ in range(300)]
    texts = ' '.join(message['content'] for message in said)
    assert '(pear)>' in texts
    assert 'elephant' in texts
    assert '<smash(' in texts
    assert any(message['tool_calls'] for message in said)
