"""Malformed answers, each of which fails its call with a reason."""

import json

import pytest

from lucca_core.errors import ModelError, ModelRetryable, ModelUnusable
from lucca_llm.servers.ollama_model import OllamaModel
from lucca_llm.servers.openai_model import OpenAIModel
from lucca_llm.servers.server_text import retry_after_s

NO_COUNTS = [-5, 2**70, 1.5, float('nan'), '7', [7], {'n': 7}, True]


@pytest.fixture(params=['openai', 'ollama'])
def model(request, server):
    model = OpenAIModel('m', server.url) if request.param == 'openai' else OllamaModel('m', server.url)
    yield model
    model.close()


def _answer(handler, *, text='ok', count=11):
    """One whole answer in both protocols at once."""
    message = {'role': 'assistant', 'content': text}
    handler.whole(
        200,
        {
            'choices': [{'index': 0, 'message': message, 'finish_reason': 'stop'}],
            'usage': {'prompt_tokens': count, 'completion_tokens': 7},
            'model': 'm',
            'message': message,
            'done': True,
            'prompt_eval_count': count,
            'eval_count': 7,
        },
    )


@pytest.mark.parametrize('count', NO_COUNTS, ids=repr)
def test_what_is_no_number_of_tokens_fails_the_call(server, model, chat, options, count):
    server.answer = lambda handler, body: _answer(handler, count=count)
    if isinstance(model, OllamaModel) and count in ('7', True):
        # Its own client reads these as the numbers that they are.
        assert model.chat(chat, options).prompt_tokens == int(count)
        return
    with pytest.raises(ModelRetryable, match='unreadable'):
        model.chat(chat, options)


@pytest.mark.parametrize('count', [None, 0])
def test_a_server_that_does_not_count_is_estimated(server, model, chat, options, count):
    server.answer = lambda handler, body: _answer(handler, count=count)
    assert model.chat(chat, options).prompt_tokens > 0


@pytest.mark.parametrize('text', [7, ['ok'], {'text': 'ok'}, True, '\ud800'], ids=repr)
def test_an_answer_that_is_no_text_fails_the_call(server, model, chat, options, text):
    server.answer = lambda handler, body: _answer(handler, text=text)
    with pytest.raises(ModelRetryable, match='unreadable'):
        model.chat(chat, options)


@pytest.mark.parametrize(
    'body',
    [
        b'[' * 200_000,
        b'{"a":' * 100_000,
        b'null',
        b'[]',
        b'7',
        b'"text"',
        b'{"choices": 7, "message": 7}',
        b'{"choices": [], "message": []}',
        b'{"choices": [null], "message": null}',
        b'\xff\xfe',
        b'{"error": ' + b'[' * 2000 + b']' * 2000 + b'}',
        b'{"error": {"message": ["a"]}}',
        b'',
    ],
    ids=lambda body: repr(body[:20]),
)
@pytest.mark.parametrize('status', [200, 400, 500])
def test_a_body_of_another_form_fails_the_call(server, model, chat, options, status, body):
    server.answer = lambda handler, _: handler.whole(status, body)
    with pytest.raises(ModelError):
        model.chat(chat, options)


@pytest.mark.parametrize('status', [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server, model, chat, options, status):
    elsewhere = {'Location': f'{server.url}/elsewhere'}
    server.answer = lambda handler, body: handler.whole(status, {}, elsewhere)
    with pytest.raises(ModelUnusable, match=f'HTTP {status}: the server is elsewhere; redirects are not followed'):
        model.chat(chat, options)
    assert len(server.chats) == 1
    assert not [request for request in server.requests if request.path == '/elsewhere']


@pytest.mark.parametrize(
    'arguments', [{'name': 'fruit'}, 7, ['fruit'], None, True, 'no json', '\\ud800', '{"a": "\\ud800"}']
)
def test_arguments_of_a_call_reach_its_reader_as_text_whatever_they_are(server, chat, options, arguments):
    call = {'id': 'c1', 'type': 'function', 'function': {'name': 'start_task', 'arguments': arguments}}
    message = {'role': 'assistant', 'content': None, 'tool_calls': [call]}
    server.answer = lambda handler, body: handler.whole(
        200, {'choices': [{'index': 0, 'message': message, 'finish_reason': 'tool_calls'}]}
    )
    model = OpenAIModel('m', server.url)
    [read] = model.chat(chat, options).tool_calls
    model.close()
    read.arguments.encode()  # no half pair of surrogates is left that no message could hold
    if isinstance(arguments, dict):
        assert json.loads(read.arguments) == arguments


@pytest.mark.parametrize(
    'said',
    ['Fri, 31 Dec 99999999 23:59:59 GMT', 'Mon, 99 Foo 10 99:99:99 +9999999999', '1e999', '-' * 9000, '9' * 9000],
)
def test_an_odd_wish_to_wait_is_no_error(said):
    wish_s = retry_after_s({'retry-after': said})
    assert wish_s is None or wish_s >= 0
