import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.talk.tools import IN_TEXT, NATIVE, Wish, read_calls, read_text_call
from lucca_core.protocol.tasks import TaskState
from lucca_llm.model import ChatReply, ToolCall

TASKS = (TaskState(task='tidy', description=''), TaskState(task='tower', description=''))


def native(*calls, text=''):
    made = tuple(ToolCall(f'c{number}', name, arguments) for number, (name, arguments) in enumerate(calls))
    return ChatReply(text=text, prompt_tokens=1, completion_tokens=1, model_s=0.0, tool_calls=made)


@pytest.mark.parametrize(
    ('answer', 'name', 'arguments'),
    [
        ('<start_task(tower)>', 'start_task', ('tower',)),
        (' <resume_task(tidy)>\n', 'resume_task', ('tidy',)),
        ('<stop_task(tidy)>', 'stop_task', ('tidy',)),
        ('<do(put the cans (both) in box 1)>', 'do', ('put the cans (both) in box 1',)),
        ('<say(Hello.)>', 'say', ('Hello.',)),
        ('<cannot_do(robots do not fly)>', 'cannot_do', ('robots do not fly',)),
        ('<recall(keys, and where they are)>', 'recall', ('keys, and where they are',)),
        ('<look()>', 'look', ()),
        (
            '<teach_task(breakfast, give me the bowl, then the cup)>',
            'teach_task',
            ('breakfast', 'give me the bowl, then the cup'),
        ),
    ],
)
def test_each_call_is_read_from_text(answer, name, arguments):
    call = read_text_call(answer, 600)
    assert (call.name, call.arguments) == (name, arguments)
    assert call.wish == (Wish(name) if name in set(Wish) else None)


@pytest.mark.parametrize(
    'answer',
    [
        '',
        'start tower',
        '<do()>',
        '<start_task(tidy)> <start_task(tower)>',
        '<say(Hello)> and more',
        '<move_to_box_1(pear)>',
        '<teach_task(breakfast)>',
        '<say(<start_task(tidy)>)>',
        'x' * 10**7,
    ],
)
def test_anything_else_is_told_to_the_model(answer):
    with pytest.raises(ValueError, match=r'answer with exactly one|needs an argument'):
        read_text_call(answer, 600)


@given(st.text())
def test_a_text_without_brackets_is_no_call(answer):
    with pytest.raises(ValueError, match='answer with exactly one'):
        read_text_call(answer.replace('<', ''), 600)


@given(st.text(alphabet=st.characters(exclude_characters='<>'), max_size=100))
def test_any_text_can_be_passed_on_and_stays_one_line(text):
    if text.split() and text.isprintable():
        assert read_text_call(f'<do({text})>', 600).arguments == (' '.join(text.split()),)


def test_no_tool_moves_anything():
    assert {tool.name for tool in IN_TEXT} == {
        *(
            'recall',
            'search_facts',
            'task_history',
            'last_actions',
            'look',
            'remember',
            'forget',
            'teach_task',
            'introduce',
            'prohibit',
            'allow',
            'prohibitions',
        ),
        *('start_task', 'resume_task', 'stop_task', 'change_task', 'do', 'say', 'cannot_do'),
    }
    assert 'say' not in {tool.name for tool in NATIVE}


def test_native_calls_are_read_with_their_ids():
    asked = native(('recall', '{"query": "keys"}'), ('search_facts', '{"query": "ferry"}'))
    calls = read_calls(asked, 600, TASKS, native=True)
    assert [(call.name, call.arguments, call.call_id) for call in calls] == [
        ('recall', ('keys',), 'c0'),
        ('search_facts', ('ferry',), 'c1'),
    ]


def test_words_alone_are_said_where_tools_are_native_and_a_written_call_is_one():
    assert str(read_calls(native(text='Hello (there).'), 600, TASKS, native=True)[0]) == '<say(Hello (there).)>'
    assert read_calls(native(text='<start_task(tidy)>'), 600, TASKS, native=True)[0].wish is Wish.START


@pytest.mark.parametrize(
    ('call', 'message'),
    [
        (('move', '{}'), "no tool 'move'"),
        (('recall', '{"query": '), 'not JSON'),
        (('recall', '[]'), 'has the arguments query'),
        (('recall', '{"query": "a", "person": "Ben"}'), 'has the arguments query and no others'),
        (('recall', '{"query": 3}'), 'must be a text'),
        (('recall', '{}'), 'needs an argument query'),
        (('recall', json.dumps({'query': 'x' * 5000})), 'longer than'),
        (('recall', '[' * 1000), 'not JSON|longer than'),
    ],
)
def test_native_calls_are_read_strictly(call, message):
    with pytest.raises(ValueError, match=message):
        read_calls(native(call), 600, TASKS, native=True)


def test_a_wish_beside_another_call_is_refused():
    both = native(('recall', '{"query": "keys"}'), ('start_task', '{"name": "tidy"}'))
    with pytest.raises(ValueError, match='the only one'):
        read_calls(both, 600, TASKS, native=True)


@pytest.mark.parametrize('wish', ['start_task', 'resume_task', 'stop_task'])
def test_a_wish_about_a_task_names_a_known_one(wish):
    for reply in (native((wish, '{"name": "juggle"}')), native(text=f'<{wish}(juggle)>')):
        with pytest.raises(ValueError, match="no task is named 'juggle'; known are tidy, tower"):
            read_calls(reply, 600, TASKS, native=True)
    assert read_calls(native((wish, '{"name": "tidy"}')), 600, TASKS, native=True)[0].arguments == ('tidy',)
    # A lookup may ask for any task, and is told so by memory.
    assert read_calls(native(('task_history', '{"name": "juggle"}')), 600, TASKS, native=True)[0].wish is None


def test_an_empty_answer_is_no_answer():
    with pytest.raises(ValueError, match='needs an argument'):
        read_calls(native(text=' '), 600, TASKS, native=True)
