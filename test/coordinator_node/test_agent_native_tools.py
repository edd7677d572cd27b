"""A turn of a conversation with a model that has native tools, or refuses them."""

import json
from dataclasses import dataclass, field

from coordinator_node.interfaces import Tally, never
from coordinator_node.talk.interpretation import Heard
from coordinator_node.talk.tools import NATIVE, Wish
from lucca_core.errors import ToolsRefused
from lucca_llm.model import ChatReply, ToolCall


def turn(agent, text, said=None):
    heard = Heard(text=text, person='Ana', source='cli')
    return agent.turn(heard, Tally(), never, None if said is None else said.append)


@dataclass
class Native:
    """A model with native tools: answers are text or lists of (tool, arguments)."""

    answers: list[object]
    native_tools: bool = True
    asked: list[list] = field(default_factory=list)
    options: list[object] = field(default_factory=list)
    spec: str = 'native'

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.asked.append(list(messages))
        self.options.append(options)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            self.native_tools = False
            raise answer
        text = answer if isinstance(answer, str) else ''
        calls = () if text else tuple(ToolCall(f'c{n}', name, json.dumps(a)) for n, (name, a) in enumerate(answer))
        if text and on_text:
            on_text(text)
        return ChatReply(text=text, prompt_tokens=1, completion_tokens=1, model_s=0.1, tool_calls=calls)


def test_native_tools_are_offered_called_and_answered(harness, people):
    people._add('Ana', 'My boat is called Petrel.', 'Ana')
    harness.model = Native([[('recall', {'query': 'boat'}), ('look', {})], 'It is called Petrel. Nice.'])
    said = []
    assert turn(harness.agent(people), 'You know.', said=said).argument == 'It is called Petrel. Nice.'
    assert said == ['It is called Petrel.', 'Nice.']
    assert harness.model.options[0].tools == NATIVE
    assert '<recall' not in harness.model.asked[0][0].content
    call, first, second = harness.model.asked[1][-3:]
    assert [item.name for item in call.tool_calls] == ['recall', 'look']
    assert (first.role, first.call_id, second.call_id) == ('tool', 'c0', 'c1')
    assert 'My boat is called Petrel.' in first.content


def test_a_native_wish_and_a_wrong_native_call(harness, people):
    harness.model = Native([[('start_task', {'name': 'juggling'})], [('start_task', {'name': 'tidy'})]])
    assert turn(harness.agent(people), 'tidy up').wish is Wish.START
    assert "no task is named 'juggling'" in harness.model.asked[1][-1].content
    assert harness.model.asked[1][-1].role == 'tool'


def test_where_tools_are_refused_the_same_turn_goes_on_in_text(harness, people):
    harness.model = Native([ToolsRefused('no tools'), '<say(Hello.)>', '<say(Again.)>'])
    agent = harness.agent(people)
    assert turn(agent, 'hi').argument == 'Hello.'
    assert '<recall(query)>' in harness.model.asked[1][0].content
    assert harness.model.options[1].tools == ()
    turn(agent, 'hi')
    assert len(harness.model.asked) == 3
