"""Requests and answers against the definitions of both protocols in the packages `openai` and `ollama`."""

import json
from dataclasses import replace

import numpy as np
import ollama
import openai.types.chat.chat_completion_chunk as chunks
import pytest
from ollama import _types as ollama_types
from openai.types import CreateEmbeddingResponse, Embedding, EmbeddingCreateParams
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice as WholeChoice
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as Whole
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming as Streaming
from openai.types.completion_usage import CompletionTokensDetails, CompletionUsage, PromptTokensDetails
from openai.types.create_embedding_response import Usage
from pydantic import ConfigDict, TypeAdapter, ValidationError

from coordinator_node.talk.tools import NATIVE
from lucca_core.errors import ModelRetryable, ModelUnusable
from lucca_llm.model import ChatOptions, Message, ToolCall
from lucca_llm.servers.embedder import make_http_embedder
from lucca_llm.servers.ollama_model import OllamaModel
from lucca_llm.servers.openai_model import OpenAIModel

SCHEMA = {'type': 'object', 'properties': {'calls': {'type': 'array'}}, 'additionalProperties': False}
EVERYTHING = ChatOptions(
    top_p=0.9, frequency_penalty=0.1, presence_penalty=0.2, seed=3, json_schema=SCHEMA, tools=NATIVE, deadline_s=20.0
)
AFTER_A_CALL = [
    Message('system', 'You sort fruit.'),
    Message('user', 'Where are my keys?'),
    Message('assistant', '', tool_calls=(ToolCall('c1', 'recall', '{"query": "keys"}'),)),
    Message('tool', 'm1: In the drawer.', call_id='c1', tool_name='recall'),
]
RECALL = [ToolCall('c1', 'recall', '{"query": "keys"}')]


# --- What OpenAI's protocol allows in a request and says in an answer


def require_allowed(request, kind):
    """Fails if a request has a field that its definition lacks, or a value of another type, at any depth."""
    # In a list, as the definition itself takes no settings; lists in it are checked while they are read.
    checked = TypeAdapter(list[kind], config=ConfigDict(extra='forbid', strict=True)).validate_python([request])
    assert _read_through(checked) == [request]


def _read_through(value):
    if isinstance(value, dict):
        return {name: _read_through(part) for name, part in value.items()}
    if isinstance(value, str) or not hasattr(value, '__iter__'):
        return value
    return [_read_through(part) for part in value]


def piece(delta=None, finish_reason=None, *, usage=None):
    """An event of a stream; without `delta`, the last one, which has the counts and no choice."""
    choice = chunks.Choice(index=0, delta=delta, finish_reason=finish_reason) if delta is not None else None
    return chunks.ChatCompletionChunk(
        id='1',
        object='chat.completion.chunk',
        created=0,
        model='m',
        choices=[choice] if choice else [],
        usage=usage,
        service_tier='default',
        system_fingerprint='fp',
    )


def delta(**fields):
    return chunks.ChoiceDelta.model_validate(fields)


COUNTS = CompletionUsage(
    prompt_tokens=11,
    completion_tokens=7,
    total_tokens=18,
    completion_tokens_details=CompletionTokensDetails(reasoning_tokens=3),
    prompt_tokens_details=PromptTokensDetails(cached_tokens=5),
)


def stream(server, *events):
    def answer(handler, body):
        handler.start('text/event-stream')
        for event in events:
            handler.write(f'data: {event.model_dump_json()}\n\n')
        handler.write('data: [DONE]\n\n')

    server.answer = answer


@pytest.fixture
def openai_model(server):
    model = OpenAIModel('m', server.url)
    yield model
    model.close()


def test_an_unknown_field_and_a_wrong_type_are_noticed_at_any_depth():
    message = {'role': 'user', 'content': 'hi'}
    require_allowed({'model': 'm', 'messages': [message], 'stream': True}, Streaming)
    for wrong in ({'messages': [{**message, 'tool_name': 'x'}]}, {'seed': '3'}, {'grammar': 'root ::= "a"'}):
        with pytest.raises(ValidationError):
            require_allowed({'model': 'm', 'messages': [message], 'stream': True, **wrong}, Streaming)


def test_openai_requests_keep_to_the_definition(server, openai_model):
    openai_model.chat(AFTER_A_CALL, EVERYTHING)
    openai_model.check(20.0)
    for request in server.chats:
        require_allowed(request.body, Streaming)


def test_an_openai_request_without_a_stream_keeps_to_the_definition(server, openai_model):
    server.answer = lambda handler, body: (
        handler.start('text/event-stream') if body['stream'] else handler.openai_whole('ok')
    )
    assert openai_model.chat(AFTER_A_CALL, EVERYTHING).text == 'ok'
    require_allowed(server.chats[1].body, Whole)


def test_a_grammar_is_the_only_field_that_the_definition_lacks(server, openai_model, chat):
    openai_model.chat(chat, ChatOptions(grammar='root ::= "ok"'))
    request = server.chats[0].body
    assert request.pop('grammar')
    require_allowed(request, Streaming)


def test_openai_streams_of_text_are_read(server, openai_model, chat, options):
    stream(
        server,
        piece(delta(role='assistant', content='', refusal=None)),
        piece(delta(content=None, reasoning_content='Perhaps the pear?', reasoning='Perhaps the pear?')),
        piece(delta(content='<give')),
        piece(delta(content='(pear)>')),
        piece(delta(), 'stop'),
        piece(usage=COUNTS),
    )
    spoken = []
    reply = openai_model.chat(chat, options, on_text=spoken.append)
    assert (reply.text, ''.join(spoken), reply.finish_reason) == ('<give(pear)>', '<give(pear)>', 'stop')
    assert (reply.prompt_tokens, reply.completion_tokens) == (11, 7)


def test_openai_calls_split_over_events_are_read(server, openai_model, chat, options):
    first = {'index': 0, 'id': 'c1', 'type': 'function', 'function': {'name': 'recall', 'arguments': ''}}
    stream(
        server,
        piece(delta(role='assistant', content=None, tool_calls=[first])),
        piece(delta(tool_calls=[{'index': 0, 'function': {'arguments': '{"query": '}}])),
        piece(delta(tool_calls=[{'index': 0, 'function': {'arguments': '"keys"}'}}])),
        piece(delta(), 'tool_calls'),
        piece(usage=COUNTS),
    )
    reply = openai_model.chat(chat, replace(options, tools=NATIVE))
    assert (list(reply.tool_calls), reply.text, reply.finish_reason) == (RECALL, '', 'tool_calls')


def test_an_openai_answer_cut_off_by_its_length_is_read(server, openai_model, chat, options):
    stream(server, piece(delta(content='<give(pe')), piece(delta(), 'length'))
    reply = openai_model.chat(chat, options)
    assert (reply.text, reply.finish_reason) == ('<give(pe', 'length')


def test_an_openai_answer_stopped_by_a_filter_is_unusable(server, openai_model, chat, options):
    stream(server, piece(delta(content='<gi')), piece(delta(), 'content_filter'))
    with pytest.raises(ModelUnusable, match='its content filter stopped the answer'):
        openai_model.chat(chat, options)


def test_an_openai_answer_of_nothing_but_reasoning_says_what_to_change(server, openai_model, chat, options):
    stream(server, piece(delta(reasoning_content='Perhaps the pear?')), piece(delta(), 'length'), piece(usage=COUNTS))
    with pytest.raises(ModelRetryable, match=r'used up the 256 tokens of its answer .* \(answer_tokens\)'):
        openai_model.chat(chat, options)
    openai_model.check(20.0)


def test_a_whole_openai_answer_is_read(server, openai_model, chat, options):
    call = {'id': 'c1', 'type': 'function', 'function': {'name': 'recall', 'arguments': '{"query": "keys"}'}}
    message = ChatCompletionMessage.model_validate({'role': 'assistant', 'content': None, 'tool_calls': [call]})
    choice = WholeChoice(index=0, message=message, finish_reason='tool_calls', logprobs=None)
    whole = ChatCompletion(
        id='1', object='chat.completion', created=0, model='m', choices=[choice], usage=COUNTS, service_tier='default'
    )
    server.answer = lambda handler, body: handler.whole(200, whole.model_dump_json().encode())
    reply = openai_model.chat(chat, replace(options, tools=NATIVE))
    assert (list(reply.tool_calls), reply.prompt_tokens, reply.completion_tokens) == (RECALL, 11, 7)


def test_openai_embeddings_keep_to_the_definition(server):
    def answer(handler, body):
        rows = [Embedding(index=n, embedding=[3.0, 4.0], object='embedding') for n, _ in enumerate(body['input'])]
        usage = Usage(prompt_tokens=2, total_tokens=2)
        whole = CreateEmbeddingResponse(data=rows, model='m', object='list', usage=usage)
        handler.whole(200, whole.model_dump_json().encode())

    server.answer = answer
    embedder = make_http_embedder(f'openai:m@{server.url}')
    np.testing.assert_allclose(embedder.embed(['a', 'b']), [[0.6, 0.8]] * 2)
    for request in server.requests:
        assert request.path == '/v1/embeddings'
        require_allowed(request.body, EmbeddingCreateParams)
    embedder.close()


# --- The same for Ollama's


def require_known(request, kind):
    """Fails if a definition of Ollama's changes or drops a field of a request."""
    assert kind.model_validate(request).model_dump(exclude_none=True, by_alias=True) == request


def lines(server, *parts):
    def answer(handler, body):
        handler.start('application/x-ndjson')
        for part in parts:
            handler.write((part if isinstance(part, str) else part.model_dump_json(exclude_none=True)) + '\n')

    server.answer = answer


def part(content='', *, done=False, **fields):
    message = {'role': 'assistant', 'content': content}
    message |= {name: fields.pop(name) for name in ('thinking', 'tool_calls') if name in fields}
    return ollama.ChatResponse(
        model='m', created_at='2026-01-01T00:00:00.0Z', message=ollama.Message(**message), done=done, **fields
    )


def end(reason='stop', **fields):
    times = {'total_duration': 9, 'load_duration': 1, 'prompt_eval_duration': 3, 'eval_duration': 4}
    return part(done=True, done_reason=reason, prompt_eval_count=11, eval_count=7, **times, **fields)


@pytest.fixture
def ollama_model(server):
    shown = ollama.ShowResponse(
        model_info={'general.architecture': 'llama', 'llama.context_length': 8192, 'tokenizer.ggml.tokens': None},
        capabilities=['completion', 'tools', 'thinking'],
        details={'family': 'llama', 'families': None},
    )
    server.show = lambda handler, body: handler.whole(200, shown.model_dump_json(by_alias=True).encode())
    lines(server, part('ok'), end())
    model = OllamaModel('m', server.url)
    yield model
    model.close()


def test_ollama_requests_keep_to_the_definition(server, ollama_model):
    ollama_model.chat(AFTER_A_CALL, EVERYTHING)
    require_known(server.requests[0].body, ollama_types.ShowRequest)
    request = server.chats[0].body
    require_known(request, ollama_types.ChatRequest)
    require_known(request['options'], ollama.Options)
    for message in request['messages']:
        require_known(message, ollama.Message)
    assert [message['role'] for message in request['messages']] == ['system', 'user', 'assistant', 'tool']
    assert (request['stream'], request['think'], request['format']) == (True, False, SCHEMA)
    assert [tool['function']['name'] for tool in request['tools']] == [tool.name for tool in NATIVE]
    for tool in request['tools']:
        require_known(tool, ollama.Tool)


def test_ollama_streams_of_text_are_read(server, ollama_model, chat, options):
    lines(server, part(thinking='Perhaps the pear?'), part('<give'), part('(pear)>'), end())
    spoken = []
    reply = ollama_model.chat(chat, options, on_text=spoken.append)
    assert (reply.text, ''.join(spoken), reply.finish_reason) == ('<give(pear)>', '<give(pear)>', 'stop')
    assert (reply.prompt_tokens, reply.completion_tokens) == (11, 7)


def test_ollama_calls_are_read_also_with_the_fields_that_only_its_server_knows(server, ollama_model, chat, options):
    function = {'index': 0, 'name': 'recall', 'arguments': {'query': 'keys'}}
    message = {'role': 'assistant', 'content': '', 'tool_calls': [{'id': 'call_x', 'function': function}]}
    lines(server, json.dumps({'model': 'm', 'message': message, 'done': False}), end())
    (call,) = ollama_model.chat(chat, replace(options, tools=NATIVE)).tool_calls
    assert (call.name, json.loads(call.arguments)) == ('recall', {'query': 'keys'})


@pytest.mark.parametrize('reason', ['load', 'length', 'stop', 'unload'])
def test_every_reason_of_ollama_to_end_is_read(server, ollama_model, chat, options, reason):
    lines(server, part('ok'), end(reason))
    assert ollama_model.chat(chat, options).finish_reason == reason


def test_an_ollama_answer_of_nothing_but_reasoning_says_what_to_change(server, ollama_model, chat, options):
    lines(server, part(thinking='Perhaps'), part(thinking=' the pear?'), end('length'))
    with pytest.raises(ModelRetryable, match=r'used up the 256 tokens of its answer .* \(answer_tokens\)'):
        ollama_model.chat(chat, options)
    ollama_model.check(20.0)


def test_an_error_of_ollama_in_mid_stream_is_quoted(server, ollama_model, chat, options):
    lines(server, part('<gi'), '{"error":"an error was encountered while running the model"}')
    with pytest.raises(ModelRetryable, match=r'an error was encountered while running the model$'):
        ollama_model.chat(chat, options)


def test_ollama_embeddings_keep_to_the_definition(server):
    server.answer = lambda handler, body: handler.whole(
        200,
        ollama.EmbedResponse(model='m', embeddings=[[3.0, 4.0]] * len(body['input']), load_duration=1)
        .model_dump_json(exclude_none=True)
        .encode(),
    )
    embedder = make_http_embedder(f'ollama:m@{server.url}')
    np.testing.assert_allclose(embedder.embed(['a', 'b']), [[0.6, 0.8]] * 2)
    for request in server.requests:
        assert request.path == '/api/embed'
        require_known(request.body, ollama_types.EmbedRequest)
    embedder.close()
