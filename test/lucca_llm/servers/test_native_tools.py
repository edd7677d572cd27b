"""Native tool calls and streaming with a real server."""

import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ModelRetryable, ToolsRefused
from lucca_lab.recorded_calls import RecordingModel, ReplayModel
from lucca_llm.limits.usage_meter import UsageMeter
from lucca_llm.model import Message, ToolCall, ToolSpec, has_native_tools
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_llm.servers.ollama_model import OllamaModel
from lucca_llm.servers.openai_model import OpenAIModel
from lucca_llm.servers.server_text import ThoughtFilter, without_thinking

TOOLS = (
    ToolSpec('recall', 'Looks up what was said.', (('query', 'what to look for'),)),
    ToolSpec('look', 'Tells what is on the table.'),
)
SCHEMA = {
    'type': 'function',
    'function': {
        'name': 'recall',
        'description': 'Looks up what was said.',
        'parameters': {
            'type': 'object',
            'properties': {'query': {'type': 'string', 'description': 'what to look for'}},
            'required': ['query'],
            'additionalProperties': False,
        },
    },
}
RECALL = ToolCall('c1', 'recall', '{"query": "keys"}')
AFTER_A_CALL = [
    Message('user', 'Where are my keys?'),
    Message('assistant', '', tool_calls=(RECALL,)),
    Message('tool', 'm1: In the drawer.', call_id='c1', tool_name='recall'),
]


@pytest.fixture
def openai_model(server):
    model = OpenAIModel('m', server.url)
    yield model
    model.close()


@pytest.fixture
def ollama_model(server):
    server.show = lambda handler, body: handler.whole(
        200, {'model_info': {'llama.context_length': 8192}, 'capabilities': ['completion', 'tools']}
    )
    model = OllamaModel('m', server.url)
    yield model
    model.close()


@pytest.fixture
def with_tools(options):
    return replace(options, tools=TOOLS)


def test_openai_tools_are_offered_and_calls_put_together_from_their_pieces(server, openai_model, chat, with_tools):
    pieces = [
        {'index': 0, 'id': 'c1', 'type': 'function', 'function': {'name': 'recall', 'arguments': ''}},
        {'index': 0, 'function': {'arguments': '{"query": '}},
        {'index': 1, 'id': 'c2', 'type': 'function', 'function': {'name': 'look', 'arguments': '{}'}},
        {'index': 0, 'function': {'arguments': '"keys"}'}},
    ]
    server.answer = lambda handler, body: handler.openai_tool_pieces(pieces, reasoning='secretly')
    spoken = []
    reply = openai_model.chat(chat, with_tools, on_text=spoken.append)
    assert server.chats[0].body['tools'][0] == SCHEMA
    assert server.chats[0].body['tool_choice'] == 'auto'
    assert reply.tool_calls == (RECALL, ToolCall('c2', 'look', '{}'))
    assert (reply.text, reply.finish_reason, spoken) == ('', 'tool_calls', [])


def test_openai_is_sent_the_calls_and_their_results(server, openai_model, with_tools):
    openai_model.chat(AFTER_A_CALL, with_tools)
    assert server.chats[0].body['messages'][1:] == [
        {
            'role': 'assistant',
            'content': '',
            'tool_calls': [
                {'id': 'c1', 'type': 'function', 'function': {'name': 'recall', 'arguments': '{"query": "keys"}'}}
            ],
        },
        {'role': 'tool', 'content': 'm1: In the drawer.', 'tool_call_id': 'c1'},
    ]


def test_openai_calls_of_a_server_that_does_not_stream(server, openai_model, chat, with_tools):
    message = {
        'role': 'assistant',
        'content': None,
        'tool_calls': [{'id': 'c1', 'function': {'name': 'recall', 'arguments': '{"query": "keys"}'}}],
    }
    choice = {'index': 0, 'message': message, 'finish_reason': 'tool_calls'}
    server.answer = lambda handler, body: handler.whole(200, {'id': '1', 'choices': [choice]})
    assert openai_model.chat(chat, with_tools).tool_calls == (RECALL,)


@pytest.mark.parametrize(
    ('status', 'message'),
    [
        (400, 'm does not support tools'),
        (500, 'tools param requires --jinja flag'),
        (400, '"auto" tool choice requires --enable-auto-tool-choice'),
        (422, 'Extra inputs are not permitted: tools'),
    ],
)
def test_a_server_without_tools_is_told_from_other_errors_and_remembered(
    server, openai_model, chat, options, with_tools, status, message
):
    server.answer = lambda handler, body: handler.openai_error(status, message)
    assert has_native_tools(openai_model)
    with pytest.raises(ToolsRefused):
        openai_model.chat(chat, with_tools)
    assert not has_native_tools(openai_model)
    server.answer = lambda handler, body: handler.openai_stream(['ok'])
    assert openai_model.chat(chat, options).text == 'ok'


def test_a_refusal_of_tools_in_another_form_than_openais_is_understood(server, openai_model, chat, with_tools):
    server.answer = lambda handler, body: handler.whole(400, {'error': 'm does not support tools'})
    with pytest.raises(ToolsRefused):
        openai_model.chat(chat, with_tools)


def test_another_error_is_no_refusal_of_tools(server, openai_model, chat, with_tools):
    server.answer = lambda handler, body: handler.openai_error(500, 'out of memory')
    with pytest.raises(ModelRetryable):
        openai_model.chat(chat, with_tools)
    assert has_native_tools(openai_model)


def test_ollama_tools_are_offered_called_and_answered(server, ollama_model, with_tools):
    server.answer = lambda handler, body: handler.ollama_tool_calls([('recall', {'query': 'keys'})], thinking='hm')
    spoken = []
    reply = ollama_model.chat(AFTER_A_CALL, with_tools, on_text=spoken.append)
    body = server.chats[0].body
    assert body['tools'][0]['function']['name'] == 'recall'
    assert body['tools'][0]['function']['parameters']['required'] == ['query']
    assert body['messages'][1]['tool_calls'] == [{'function': {'name': 'recall', 'arguments': {'query': 'keys'}}}]
    assert body['messages'][2] == {'role': 'tool', 'content': 'm1: In the drawer.', 'tool_name': 'recall'}
    assert reply.tool_calls == (ToolCall('call-0', 'recall', '{"query": "keys"}'),)
    assert spoken == []


def test_ollama_without_tools_refuses_before_it_is_asked(server, chat, with_tools):
    model = OllamaModel('m', server.url)
    with pytest.raises(ToolsRefused):
        model.chat(chat, with_tools)
    assert server.chats == []
    assert not has_native_tools(model)
    model.close()


def test_the_first_words_arrive_while_the_server_still_writes(server, openai_model, chat, options):
    first, go_on = threading.Event(), threading.Event()

    def answer(handler, body):
        handler.start('text/event-stream')
        handler.chunk('It is red. ')
        go_on.wait(10.0)
        handler.chunk('It is big.', 'stop')
        handler.write('data: [DONE]\n\n')

    server.answer = answer
    spoken, before = [], []

    def on_text(piece):
        if not first.is_set():
            before.append(go_on.is_set())
            first.set()
            go_on.set()
        spoken.append(piece)

    assert openai_model.chat(chat, options, on_text=on_text).text == 'It is red. It is big.'
    assert spoken == ['It is red. ', 'It is big.']
    assert before == [False]


@pytest.mark.parametrize('kind', ['openai', 'ollama'])
def test_reasoning_is_neither_streamed_nor_in_the_answer(server, openai_model, ollama_model, chat, options, kind):
    pieces = ['<thi', 'nk>Perhaps. ', 'No.</th', 'ink>\n', 'It is', ' red.']
    server.answer = lambda handler, body: getattr(handler, f'{kind}_stream')(pieces)
    spoken = []
    model = openai_model if kind == 'openai' else ollama_model
    assert model.chat(chat, options, on_text=spoken.append).text == 'It is red.'
    assert ''.join(spoken) == 'It is red.'


@given(st.text(alphabet='<>/thinkg ab', max_size=40), st.lists(st.integers(0, 60), max_size=6), st.booleans())
def test_the_stream_without_thoughts_is_the_answer_without_thoughts(rest, cuts, thinks):
    text = f'<think>so </think>{rest}' if thinks else rest
    places = sorted({min(cut, len(text)) for cut in cuts})
    spoken = []
    stream = ThoughtFilter(spoken.append)
    for begin, end in zip([0, *places], [*places, len(text)], strict=True):
        stream(text[begin:end])
    stream.close()
    assert ''.join(spoken).strip() == without_thinking(text).strip()


def test_who_wraps_a_model_says_whether_it_takes_tools(server, openai_model, tmp_path):
    assert has_native_tools(UsageMeter(openai_model))
    assert not has_native_tools(UsageMeter(RuleBasedModel()))
    assert not has_native_tools(RuleBasedModel())


def test_native_calls_are_recorded_and_replayed(server, openai_model, with_tools, tmp_path):
    piece = {'index': 0, 'id': 'c1', 'type': 'function', 'function': {'name': 'recall', 'arguments': '{}'}}
    server.answer = lambda handler, body: handler.openai_tool_pieces([piece])
    recording = RecordingModel(openai_model, tmp_path / 'calls.jsonl')
    reply = recording.chat(AFTER_A_CALL, with_tools)
    replayed = ReplayModel(tmp_path / 'calls.jsonl')
    assert has_native_tools(replayed)
    assert replayed.chat(AFTER_A_CALL, with_tools) == reply
