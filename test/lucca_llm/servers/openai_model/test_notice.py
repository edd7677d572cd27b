"""What a server has, if that is not what was asked for: some answer with what they have loaded, whatever the name."""

import pytest

from lucca_cli.commands import doctor
from lucca_llm.model import notice_of


def having(*names, **more):
    def answer(handler, body):
        if handler.path == '/v1/models':
            handler.whole(200, {'object': 'list', 'data': [{'id': name, **more} for name in names]})
        else:
            handler.openai_stream(['ok'])

    return answer


def test_a_name_that_the_server_lists_needs_no_notice(server, model, key):
    server.answer = having('other', 'm')
    assert notice_of(model, 10.0) == ''
    (asked,) = server.requests
    assert (asked.method, asked.path) == ('GET', '/v1/models')
    assert asked.headers['authorization'] == f'Bearer {key}'


def test_what_the_server_really_has_is_told(server, model, key):
    server.answer = having('qwen.gguf', f'b\x1b[2J{key}', 'c' * 500, 'd', 'e')
    told = notice_of(model, 10.0)
    assert 'its server lists no model of that name; it has qwen.gguf, b[2J[key], ' in told
    assert told.endswith('c' * 80 + ' and 2 more')
    assert key not in told


@pytest.mark.parametrize(
    'document',
    [
        {'data': []},
        {'data': [{'name': 'x'}]},
        {'data': {'m': 1}},
        {'models': ['m']},
        b'no JSON',
        ['m'],
        {'data': [{'id': 'x' * 2_000_000}]},
    ],
)
def test_without_a_list_that_can_be_read_nothing_is_said(server, model, document):
    server.answer = lambda handler, body: handler.whole(200, document)
    assert notice_of(model, 10.0) == ''


@pytest.mark.parametrize('status', [401, 404, 500])
def test_a_server_that_gives_no_list_is_no_fault(server, model, status):
    server.answer = lambda handler, body: handler.whole(status, {'error': 'no'})
    assert notice_of(model, 10.0) == ''


def test_a_list_that_does_not_come_is_not_waited_for(server, model):
    server.answer = lambda handler, body: server.over.wait(30.0)
    assert notice_of(model, 0.3) == ''


def test_the_doctor_says_it_and_finds_no_fault(server, model, monkeypatch):
    monkeypatch.setattr(doctor, 'make_model', lambda spec: model)
    server.answer = having('qwen.gguf')
    found = doctor._model('worker model', model.spec)
    assert found.well
    assert found.found == (f'{model.spec} answers, but its server lists no model of that name; it has qwen.gguf')
    server.answer = having('m')
    assert doctor._model('worker model', model.spec).found == f'{model.spec} answers'
