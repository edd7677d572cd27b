"""Simpler forms of requests for servers that refuse some options."""

import pytest

from lucca_core.errors import ModelRetryable
from lucca_llm.model import ChatOptions

SCHEMA = {'type': 'object', 'properties': {'objects': {'type': 'array'}}}


@pytest.mark.parametrize('refusal', [400, 500])
def test_a_refused_schema_is_asked_for_in_simpler_forms_and_the_form_is_remembered(server, model, chat, refusal):
    def answer(handler, body):
        if 'response_format' in body and body['response_format']['type'] == 'json_schema':
            handler.openai_error(refusal, 'cannot do that')
        else:
            handler.openai_stream(['{}'])

    server.answer = answer
    options = ChatOptions(json_schema=SCHEMA)
    model.chat(chat, options)
    model.chat(chat, options)
    forms = [request.body['response_format'] for request in server.chats]
    assert [form['type'] for form in forms] == ['json_schema', 'json_object', 'json_object']
    assert forms[1]['schema'] == SCHEMA


def test_a_server_that_refuses_every_form_of_schema_is_asked_without(server, model, chat):
    def answer(handler, body):
        if 'response_format' in body:
            handler.openai_error(400, 'unsupported')
        else:
            handler.openai_stream(['{}'])

    server.answer = answer
    assert model.chat(chat, ChatOptions(json_schema=SCHEMA)).text == '{}'
    assert len(server.chats) == 3


def test_a_server_error_beside_a_schema_is_not_taken_for_a_refusal_for_ever(server, model, chat):
    options = ChatOptions(json_schema=SCHEMA)
    server.answer = lambda handler, body: handler.openai_error(500, 'ill today')
    with pytest.raises(ModelRetryable, match='ill today'):
        model.chat(chat, options)
    server.answer = lambda handler, body: handler.openai_stream(['{}'])
    model.chat(chat, options)
    assert server.chats[-1].body['response_format']['type'] == 'json_schema'


def test_parameters_that_a_server_refuses_are_left_out_or_renamed(server, model, chat):
    def answer(handler, body):
        if 'max_tokens' in body:
            handler.openai_error(400, "'max_tokens' is not supported; use 'max_completion_tokens'", param='max_tokens')
        elif 'temperature' in body:
            handler.openai_error(400, "Unsupported value: 'temperature'", param='temperature')
        elif 'stream_options' in body:
            handler.openai_error(422, 'extra fields not permitted: stream_options')
        else:
            handler.openai_stream(['ok'])

    server.answer = answer
    model.chat(chat, ChatOptions(max_tokens=50))
    assert server.chats[-1].body['max_completion_tokens'] == 50
    model.chat(chat, ChatOptions(max_tokens=50))
    assert len(server.chats) == 5


def test_a_refusal_in_another_form_than_openais_is_understood(server, model, chat):
    def answer(handler, body):
        if 'seed' in body:
            handler.whole(400, {'detail': 'seed is not supported'})
        else:
            handler.openai_stream(['ok'])

    server.answer = answer
    assert model.chat(chat, ChatOptions(seed=3)).text == 'ok'


def test_a_grammar_is_sent_and_dropped_where_it_is_refused(server, model, chat):
    def answer(handler, body):
        if 'grammar' in body:
            handler.openai_error(400, 'unknown field')
        else:
            handler.openai_stream(['ok'])

    server.answer = answer
    assert model.chat(chat, ChatOptions(grammar='root ::= "ok"')).text == 'ok'
    assert server.chats[0].body['grammar'] == 'root ::= "ok"'
    assert 'grammar' not in server.chats[1].body
