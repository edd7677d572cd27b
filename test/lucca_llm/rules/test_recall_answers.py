"""Answers to questions about a task, from memory in the prompt or from the dialogue."""

import pytest

from lucca_llm.model import Message
from lucca_llm.rules.rule_based_model import answer

BASE = (
    '# Tasks\n## blorp\nPut fruit in the crate.\nActions of this task: put\n\n'
    '# Actions\n<put(object)>: Puts an object in the crate.\n'
    '<show(object)>: Points at an object.\n\n# Other calls\n{}<finish_task(task)>: Ends a task.\n'
)
RETRIEVE = '<retrieve_declarative_memory(task)>: Tells what was done.\n'
ASK = (
    'Task: {}\nQuestion: {}\n'
    'Answer: names of objects, separated by commas, and nothing else. If there is none, answer: none'
)
STEP = 'Task: blorp\nObjects on the table: plum (blue), cup (red)\nIn crate: {}\nWhich call comes next?'


def asked(question, *turns, memory=None, task='blorp'):
    base = BASE.format('' if memory is None else RETRIEVE)
    last = ASK.format(task, question)
    if memory is not None:
        last = f'# Declarative memory of {task}\n{memory}\n\n# Now\n{last}'
    return answer([Message('user', base), *turns, Message('user', last)])


def test_with_memory_it_is_retrieved_first_and_then_read():
    assert (
        asked('Which objects are in crate?', memory='not retrieved for this question')
        == '<retrieve_declarative_memory(blorp)>'
    )
    memory = 'Done so far: 2 actions\nIn crate: fig, date\nObjects on the table: cup'
    assert asked('Which objects are in crate?', memory=memory) == 'fig, date'
    assert asked('Which objects are left on the table?', memory=memory) == 'cup'


def test_without_memory_the_newest_step_of_the_task_tells():
    turns = [
        Message('user', STEP.format('none')),
        Message('assistant', '<put(fig)>'),
        Message('user', STEP.format('fig (blue)')),
    ]
    assert asked('Which objects are in crate?', *turns) == 'fig'
    assert asked('Which objects are left on the table?', *turns) == 'plum, cup'


@pytest.mark.parametrize('question', ['Which objects are in crate?', 'Which objects have been pointed at?'])
def test_what_is_not_in_the_messages_is_not_known(question):
    assert asked(question) == 'I do not know'
    assert asked(question, Message('user', STEP.format('fig')), task='other') == 'I do not know'


def test_what_was_pointed_at_is_what_the_dialogue_says_was_done():
    turns = []
    for name in ('plum', 'cup'):
        last = 'Last action: <point(plum)> -> done\n' if name == 'cup' else ''
        turns += [
            Message('user', f'Task: blorp\nObjects on the table: plum, cup\n{last}Which?'),
            Message('assistant', f'<point({name})>'),
        ]
    turns.append(
        Message(
            'user', 'Task: blorp\nObjects on the table: plum, cup\nLast action: <point(cup)> -> effect_not_seen\nWhich?'
        )
    )
    assert asked('Which objects have been pointed at?', *turns) == 'plum'
