"""The key is sent to its server and shown nowhere else."""

import logging

import pytest

from lucca_core.errors import ModelError, ModelUnusable
from lucca_llm.servers.openai_model import OpenAIModel


def test_without_a_key_no_authorization_is_sent(server, chat, options, monkeypatch):
    monkeypatch.delenv('OPENAI_API_KEY', raising=False)
    monkeypatch.setenv('OPENAI_ADMIN_KEY', 'sk-admin')
    model = OpenAIModel('m', server.url)
    model.chat(chat, options)
    model.close()
    assert 'authorization' not in server.chats[0].headers


def test_an_openai_key_is_not_sent_in_the_clear_to_another_machine(monkeypatch, key):
    monkeypatch.setenv('OPENAI_API_KEY', key)
    assert not OpenAIModel('m', 'http://192.0.2.1/v1')._key
    assert OpenAIModel('m', 'https://192.0.2.1/v1')._key
    monkeypatch.setenv('LUCCA_OPENAI_API_KEY', key)
    assert OpenAIModel('m', 'http://192.0.2.1/v1')._key


def _shown(error):
    texts = []
    while error is not None:
        texts += [str(error), repr(error)]
        error = error.__cause__ or error.__context__
    return '\n'.join(texts)


@pytest.mark.parametrize(
    'answer',
    [
        pytest.param(lambda h, key: h.openai_stream(['ok']), id='answer'),
        pytest.param(lambda h, key: h.openai_error(401, f'Incorrect API key provided: {key}'), id='401 with the key'),
        pytest.param(lambda h, key: h.openai_error(500, f'failed with {key}'), id='500 with the key'),
        pytest.param(lambda h, key: h.whole(200, {'error': f'bad {key}'}), id='200 with the key'),
        pytest.param(lambda h, key: (h.start('text/event-stream'), h.sse({'error': {'message': key}})), id='stream'),
        pytest.param(lambda h, key: h.reset(), id='reset'),
    ],
)
def test_the_key_is_in_no_error_log_or_text_form(server, model, chat, options, key, answer, caplog):
    server.answer = lambda handler, body: answer(handler, key)
    with caplog.at_level(logging.DEBUG):
        for name in ('openai', 'httpx', 'httpx2', 'httpcore', 'httpcore2', 'asyncio'):
            caplog.set_level(logging.DEBUG, logger=name)
        shown = ''
        try:
            model.chat(chat, options)
        except ModelError as error:
            shown = _shown(error)
        # A formatted traceback prints every value in the chain, too.
        logging.getLogger('test').info('%s %r %s', model.spec, model, vars(model))
    assert server.chats[0].headers['authorization'] == f'Bearer {key}'
    assert key not in shown
    assert key not in caplog.text
    assert all(key not in str(record.args) for record in caplog.records)


def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(server, monkeypatch):
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-“quoted”')
    with pytest.raises(ModelUnusable, match='OPENAI_API_KEY') as caught:
        OpenAIModel('m', server.url)
    assert 'quoted' not in _shown(caught.value)


def test_a_key_in_an_answer_is_passed_on_nowhere(server, model, chat, options, key):
    said = f'it is {key[:-1]}, or so'
    server.answer = lambda handler, body: handler.openai_stream([said[start : start + 3] for start in range(0, 40, 3)])
    pieces = []
    reply = model.chat(chat, options, on_text=pieces.append)
    assert reply.text == 'it is [key], or so'
    assert ''.join(pieces) == reply.text


def test_a_key_in_the_arguments_of_a_call_is_hidden_in_every_spelling_of_json(server, model, chat, options, key):
    spelled = ''.join(f'\\u{ord(char):04x}' for char in key)
    call = {'index': 0, 'id': key, 'function': {'name': key[:9], 'arguments': f'{{"text": "{spelled}"}}'}}
    server.answer = lambda handler, body: handler.openai_tool_pieces([call])
    [read] = model.chat(chat, options).tool_calls
    assert read.arguments == '{"text": "[key]"}'
    assert (read.call_id, read.name) == ('[key]', '[key]')
