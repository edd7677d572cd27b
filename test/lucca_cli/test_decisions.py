"""A recorded session is decided again by model, parser and gate; what was answered is only compared."""

from dataclasses import replace

import pytest

pytest.importorskip('mcap')

import recorded_session as session

from action_node.gate.gate import Anywhere, Gate
from lucca_cli.decisions import decide_again, decision, recorded_steps
from lucca_llm.model import ChatReply, ToolCall
from lucca_memory.procedural import load_actions

GATE = Gate(load_actions(), Anywhere())
RIGHT = '<move_to_box_1(pear)>'
SHOWN = session.events(
    (
        session.SceneSeen(snapshot=session.SNAPSHOT),
        session.TasksKnown(tasks=(session.TaskState(task='sorting', description='', actions=('move_to_box_1',)),)),
        session.news(),
        session.exchange('first', '<retrieve_working_memory(sorting)>'),
        session.exchange('of the worker', 'pear', asker='worker'),
        session.exchange('second', RIGHT),
        session.decision(),
        session.exchange('third', '<finish_task(sorting)>'),
    )
)


class Answering:
    """Answers by the last message; keeps what it was sent."""

    spec = 'answering'

    def __init__(self, **answers):
        self.answers = {'first': '<retrieve_working_memory(sorting)>', 'second': RIGHT} | answers
        self.sent = []

    def chat(self, messages, options, **_):
        self.sent.append(messages)
        text = self.answers.get(messages[-1].content, '<finish_task(sorting)>')
        return ChatReply(text=text, prompt_tokens=1, completion_tokens=1, model_s=0.0)


def test_the_same_model_decides_the_same():
    decided = decide_again(SHOWN, Answering(), GATE)
    assert (decided.steps, decided.same, decided.different) == (3, 3, ())


@pytest.mark.parametrize(
    ('answer', 'verdict'),
    [
        ('<move_to_box_1(unicorn)>', 'unknown_object'),
        ('<move_to_box_2(pear)>', 'not_allowed_for_task'),
        ('<fly(pear)>', 'unknown_action'),
        ('<finish_task(sorting)>', ''),
        ('<a(b)> <c(d)>', 'several_actions'),
    ],
)
def test_another_answer_is_found_with_what_the_gate_says_to_it(answer, verdict):
    (found,) = decide_again(SHOWN, Answering(second=answer), GATE).different
    assert (found.step, found.recorded, found.now, found.gate) == (2, RIGHT, answer, verdict)


def test_an_altered_prompt_is_put_to_the_model_as_it_is():
    altered = [
        replace(event, value=session.exchange('other', RIGHT))
        if event.value == session.exchange('second', RIGHT)
        else event
        for event in SHOWN
    ]
    assert [item.now for item in decide_again(altered, Answering(), GATE).different] == ['<finish_task(sorting)>']


def test_the_recorded_answer_never_reaches_the_model():
    answered = '<move_to_box_1(nobody knows this)>'
    altered = [
        replace(event, value=session.exchange('second', answered))
        if event.value == session.exchange('second', RIGHT)
        else event
        for event in SHOWN
    ]
    model = Answering()
    (found,) = decide_again(altered, model, GATE).different
    assert (found.recorded, found.now) == (answered, RIGHT)
    assert 'nobody knows this' not in str(model.sent)


def test_a_decision_of_native_tools_is_their_calls():
    call = ToolCall('1', 'recall', '{"about": "tea"}')
    reply = ChatReply(text='', prompt_tokens=1, completion_tokens=1, model_s=0.0, tool_calls=(call,))
    assert decision(reply) == 'recall({"about": "tea"})'


def test_a_call_that_failed_is_no_step():
    failed = replace(session.exchange('x', ''), reply=None, error='timeout')
    assert not list(recorded_steps(session.events((failed,))))
