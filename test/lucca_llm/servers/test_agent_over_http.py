"""The coordinator's agent with real clients and servers on loopback: with tools, streaming, and neither."""

import json
import threading
from typing import Any

import pytest

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Tally, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.people.interface import Partner
from coordinator_node.talk.agent import Agent
from coordinator_node.talk.interpretation import Heard
from coordinator_node.talk.tools import Wish
from coordinator_node.waits import Interrupted, Waits
from lucca_core.protocol.remembered import Recollection
from lucca_core.protocol.tasks import TaskState
from lucca_llm.servers.ollama_model import OllamaModel
from lucca_llm.servers.openai_model import OpenAIModel

BOAT = Recollection(
    kind='said', item_id='said:1', text='My boat is called Petrel.', source='Ana, 2026-11-20 10:00', speaker='Ana'
)


class Tasks:
    """One task."""

    def tasks(self) -> tuple[TaskState, ...]:
        return (TaskState(task='tidy', description='Tidy up.'),)


class People:
    """Ana, who has a boat."""

    def __init__(self) -> None:
        self.recorded: list[Any] = []

    def meet(self, source: str, person: str, conversation: str) -> Partner:
        return Partner(name=person, known=True)

    def recall(self, conversation: str, query: str, kinds=(), limit: int = 0) -> tuple[Recollection, ...]:
        return (BOAT,)

    def record_turn(self, turn: Any) -> None:
        self.recorded.append(turn)


@pytest.fixture(params=['openai', 'ollama'])
def kind(request):
    return request.param


@pytest.fixture
def model(server, kind):
    server.show = lambda handler, body: handler.whole(
        200, {'model_info': {'llama.context_length': 32768}, 'capabilities': ['completion', 'tools']}
    )
    made = OpenAIModel('m', server.url) if kind == 'openai' else OllamaModel('m', server.url)
    yield made
    made.close()


@pytest.fixture
def people():
    return People()


@pytest.fixture
def agent(model, people):
    config = CoordinatorConfig(recall_limit=0, model_deadline_s=60.0)
    return Agent(ModelCaller(model, config, Waits()), Tasks(), config, people=people)


def tool_call(handler, kind, tool, **arguments):
    if kind == 'ollama':
        handler.ollama_tool_calls([(tool, arguments)])
        return
    function = {'name': tool, 'arguments': json.dumps(arguments)}
    handler.openai_tool_pieces([{'index': 0, 'id': 'c1', 'type': 'function', 'function': function}])


def words(handler, kind, pieces):
    getattr(handler, f'{kind}_stream')(pieces)


def turn(agent, text, said=None, interrupted=never):
    return agent.turn(Heard(text=text, person='Ana', source='cli'), Tally(), interrupted, (said or []).append)


def test_a_tool_is_called_and_its_result_answered(server, agent, people, kind):
    answers = [
        lambda handler: tool_call(handler, kind, 'recall', query='boat'),
        lambda handler: words(handler, kind, ['<think>So.</think>', 'Your boat is ', 'called Petrel.']),
    ]
    server.answer = lambda handler, body: answers.pop(0)(handler)
    meaning = turn(agent, 'What is my boat called?')
    assert (meaning.wish, meaning.argument) == (Wish.SAY, 'Your boat is called Petrel.')
    assert {tool['function']['name'] for tool in server.chats[0].body['tools']} >= {'recall', 'start_task'}
    assert server.chats[1].body['messages'][-1]['role'] == 'tool'
    assert (
        'm1 (said; Ana, 2026-11-20 10:00): My boat is called Petrel.' in server.chats[1].body['messages'][-1]['content']
    )
    assert people.recorded[0].answer == 'Your boat is called Petrel.'


def test_a_wish_comes_as_a_native_call(server, agent, kind):
    server.answer = lambda handler, body: tool_call(handler, kind, 'start_task', name='tidy')
    meaning = turn(agent, 'tidy up')
    assert (meaning.wish, meaning.argument) == (Wish.START, 'tidy')


def streamed(server, kind, go_on, first, rest):
    """An answer whose rest the server keeps back until `go_on`."""

    def answer(handler, body):
        if kind == 'openai':
            handler.start('text/event-stream')
            handler.chunk(first)
            go_on.wait(20.0)
            handler.chunk(rest, 'stop')
            handler.write('data: [DONE]\n\n')
        else:
            handler.start('application/x-ndjson')
            handler.part(first)
            go_on.wait(20.0)
            handler.part(rest)
            handler.part('', done=True, done_reason='stop', prompt_eval_count=11, eval_count=7)

    server.answer = answer


def test_the_first_sentence_is_spoken_before_the_server_has_written_the_rest(server, agent, kind):
    go_on = threading.Event()
    streamed(server, kind, go_on, 'It is called Petrel. It', ' lies at the pier.')
    order = []

    def speak(sentence):
        order.append((sentence, go_on.is_set()))
        go_on.set()

    heard = Heard(text='Where is my boat?', person='Ana', source='cli')
    assert agent.turn(heard, Tally(), never, speak).spoken
    assert order == [('It is called Petrel.', False), ('It lies at the pier.', True)]


def test_a_cancel_ends_the_answer_and_what_is_spoken(server, agent, people, kind):
    go_on, said = threading.Event(), []
    streamed(server, kind, go_on, 'One. Two', '. Three.')
    heard = Heard(text='Count.', person='Ana', source='cli')
    with pytest.raises(Interrupted):
        agent.turn(heard, Tally(), lambda: bool(said), said.append)
    assert said == ['One.']
    go_on.set()
    assert people.recorded == []


def test_a_server_without_tools_is_talked_to_in_text(server, agent, kind):
    def answer(handler, body):
        if body.get('tools'):
            handler.openai_error(400, 'm does not support tools')
        else:
            words(handler, kind, ['<say(Your boat is ', 'called Petrel.)>'])

    server.answer = answer
    if kind == 'ollama':
        server.show = lambda handler, body: handler.whole(
            200, {'model_info': {'llama.context_length': 32768}, 'capabilities': ['completion']}
        )
    assert turn(agent, 'What is my boat called?').argument == 'Your boat is called Petrel.'
    last = server.chats[-1].body
    assert 'tools' not in last or not last['tools']
    assert '<recall(query)>' in last['messages'][0]['content']
