"""Answers to the coordinator in special cases: missing objects, failures, refusals, definitions, forgetting."""

from typing import Any

import pytest

from lucca_llm.model import ChatOptions, Message
from lucca_llm.rules.prompts.prompt_reader import read_history
from lucca_llm.rules.rule_based_model import RuleBasedModel

FRUIT = {'apple': ['red'], 'banana': ['yellow'], 'pear': ['green'], 'cup': ['blue']}
BOTH = pytest.mark.parametrize('memory', [True, False], ids=['memory', 'dialogue'])


def test_memory_is_retrieved_before_each_action(table: Any) -> None:
    run = table(FRUIT, 'Put the apple in box 1.').run()
    assert run.calls == [
        '<retrieve_declarative_memory(chore)>',
        '<retrieve_working_memory(chore)>',
        '<move_to_box_1(apple)>',
        '<retrieve_declarative_memory(chore)>',
        '<retrieve_working_memory(chore)>',
        '<finish_task(chore)>',
    ]


@BOTH
@pytest.mark.parametrize(
    ('text', 'word'),
    [
        ('Put the pineapple in box 1.', 'pineapple'),
        ('Give me a hammer.', 'hammer'),
        ('Put all cans into box 2.', 'cans'),
        ('Point at the red cube.', 'cube'),
        ('Give me the cup 2.', 'cup 2'),
        ('Pour the apple into the cup.', 'pour'),
        ('Fly the banana to the moon.', 'fly'),
        ('Wash the cup.', 'wash'),
        ('Put the apple in the drawer.', 'drawer'),
        ('Put the apple under box 1.', 'under'),
        ('Peel the banana.', 'peel'),
        ('Put the unicorn on the tower.', 'unicorn'),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_moves(text: str, word: str, memory: bool, table: Any) -> None:
    run = table(FRUIT, text).run(memory=memory)
    assert run.done == []
    assert run.end.startswith('<cannot_do(')
    assert word in run.end


@BOTH
@pytest.mark.parametrize(
    'text', ['Point at every blue fruit.', 'Put all vegetables into box 1.', 'Give me every red toy.']
)
def test_a_task_for_one_kind_of_which_nothing_is_seen_is_not_done(text: str, memory: bool, table: Any) -> None:
    run = table(FRUIT, text).run(memory=memory)
    assert run.done == []
    assert run.end.startswith('<cannot_do(there is no such object here: ')


@BOTH
@pytest.mark.parametrize(
    ('text', 'word'),
    [
        ('Give me the cup, then the hammer.', 'hammer'),
        ('Put the pineapple and the apple in box 1.', 'pineapple'),
        ('Put the apple in box 1 and paint the pear.', 'paint'),
        ('Put all fruit in box 1 and the hammer in box 2.', 'hammer'),
    ],
)
def test_what_cannot_be_done_in_full_is_not_begun(text: str, word: str, memory: bool, table: Any) -> None:
    run = table(FRUIT, text).run(memory=memory)
    assert run.done == []
    assert word in run.end


def test_what_goes_missing_later_is_said_after_the_rest_was_done(table: Any) -> None:
    world = table({**FRUIT, 'hammer': []}, 'Give me the cup, then the hammer, then the apple.')
    first = world.run(steps=1)
    world.on_table.remove('hammer')
    last = world.run(resume=True)
    assert (first.done, last.done) == (['<give(cup)>'], ['<give(apple)>'])
    assert 'hammer' in last.end


@BOTH
def test_an_object_out_of_reach_is_left_for_another_and_reported(memory: bool, table: Any) -> None:
    def fail(call: str, times: int) -> str | None:
        return 'unreachable' if 'apple' in call else None

    run = table(FRUIT, 'Put all fruit in box 1.', fail=fail).run(memory=memory)
    assert run.containers['box 1'] == ['banana', 'pear']
    assert run.end.startswith('<cannot_do(apple')
    assert 'cannot be reached' in run.end


def test_the_code_of_a_report_is_read_whatever_its_message_says() -> None:
    report = 'Last action: <point(apple)> -> unreachable (no way to <point(pear)>, which is done (in box 1))'
    messages = [Message('user', 'Task: chore'), Message('assistant', '<point(apple)>'), Message('user', report)]
    assert [(deed.argument, deed.code) for deed in read_history(messages, ['point'])] == [('apple', 'unreachable')]


@BOTH
def test_any_of_several_objects_will_do_where_one_fails(memory: bool, table: Any) -> None:
    def fail(call: str, times: int) -> str | None:
        return 'unreachable' if 'apple' in call else None

    run = table(FRUIT, 'Give me a fruit.', fail=fail).run(memory=memory)
    assert len(run.done) == 1
    assert run.finished


@BOTH
def test_a_grasp_that_failed_once_is_tried_again(memory: bool, table: Any) -> None:
    run = table(FRUIT, 'Give me the cup.', fail=lambda call, times: 'grasp_failed' if times == 1 else None).run(
        memory=memory
    )
    assert run.calls.count('<give(cup)>') == 2
    assert run.finished


@BOTH
@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('A zorb is a red fruit. Give me every zorb.', {'apple'}),
        ('Give me the zorbs. Zorbs are fruits that are not red.', {'banana', 'pear'}),
        ('By a dax we mean a yellow thing. Give me each dax.', {'banana'}),
        ('We call green fruits wugs. Give me the wugs.', {'pear'}),
    ],
)
def test_a_word_that_the_text_defines_is_understood(text: str, wanted: set[str], memory: bool, table: Any) -> None:
    assert set(table(FRUIT, text).run(memory=memory).did('give')) == wanted


@BOTH
def test_an_unknown_thing_is_what_the_text_says_it_is(memory: bool, table: Any) -> None:
    objects = {**FRUIT, 'zorb': [], 'cup': []}
    run = table(objects, 'A zorb is a fruit. Put every fruit into the bowl.').run(memory=memory)
    assert set(run.did('place_in_bowl')) == {'apple', 'banana', 'pear', 'zorb'}


@BOTH
def test_an_unknown_thing_is_judged_by_its_listed_attributes(memory: bool, table: Any) -> None:
    objects = {'zorb': ['fruit', 'red'], 'blick': ['toy', 'blue'], 'cup': []}
    run = table(objects, 'Put every fruit into the bowl. Point at everything blue.').run(memory=memory)
    assert run.did('place_in_bowl') == ['zorb']
    assert run.did('point') == ['blick']


def test_a_definition_elsewhere_in_the_prompt_counts(table: Any) -> None:
    run = table({**FRUIT, 'zorb': []}, 'Put every fruit into the bowl.', facts='A zorb is a fruit.').run(memory=False)
    assert 'zorb' in run.did('place_in_bowl')


@BOTH
def test_objects_that_share_a_label_are_told_apart(memory: bool, table: Any) -> None:
    objects = {'pear': ['green'], 'pear 2': ['yellow'], 'apple': ['red']}
    assert table(objects, 'Give me the pear 2.').run(memory=memory).did('give') == ['pear 2']
    assert set(table(objects, 'Give me all pears.').run(memory=memory).did('give')) == {'pear', 'pear 2'}
    assert len(table(objects, 'Give me a pear.').run(memory=memory).did('give')) == 1
    assert table(objects, 'Give me the yellow pear.').run(memory=memory).did('give') == ['pear 2']


@BOTH
@pytest.mark.parametrize(
    ('text', 'number'), [('Give me two fruits.', 2), ('Put three fruits in box 1.', 3), ('Give me one fruit.', 1)]
)
def test_as_many_as_the_text_says(text: str, number: int, memory: bool, table: Any) -> None:
    run = table(FRUIT, text).run(memory=memory)
    assert len(run.done) == number
    assert run.finished


def test_a_small_window_forgets_what_was_done(table: Any) -> None:
    objects = {name: ['yellow'] for name in ('banana', 'lemon', 'cup', 'fork', 'box', 'sock', 'ring', 'hat')}
    world = table(objects, 'Point at every yellow object.', max_steps=20)
    assert world.run(RuleBasedModel(), memory=False).finished
    forgetful = world.run(RuleBasedModel(context_tokens=700), memory=False)
    assert len(forgetful.done) > len(set(forgetful.done))


def test_with_memory_a_small_window_is_enough(table: Any, tasks: dict[str, Any]) -> None:
    objects = {name: ['yellow'] for name in ('banana', 'lemon', 'cup', 'fork', 'box', 'sock', 'ring', 'hat')}
    run = table(objects, 'Point at every yellow object.').run(RuleBasedModel(context_tokens=900))
    assert run.finished
    assert len(run.done) == 8


def test_it_follows_the_working_memory() -> None:
    base = (
        '# Tasks\n## blorp\nPut all fruit in box 1.\nActions of this task: move\n# Actions\n'
        '<move(object)>: Carry an object to box 1.\n# Other calls\n<retrieve_working_memory(task)>: What matters.\n'
        '<finish_task(task)>: Nothing is left.\n<cannot_do(reason)>: It cannot be done.\n'
    )
    step = (
        '# Working memory of blorp\nState: whatever\nObjects still to handle, in order: {}\n'
        '# Now\nTask: blorp\nObjects on the table: apple, pear, cup\nIn box 1: none\nWhich call comes next?'
    )

    def reply(to_do: str) -> str:
        return RuleBasedModel().chat([Message('system', base), Message('user', step.format(to_do))], ChatOptions()).text

    assert reply('pear, apple') == '<move(pear)>'
    assert reply('none') == '<finish_task(blorp)>'


def test_it_does_not_finish_while_memory_lists_something() -> None:
    base = (
        '# Tasks\n## blorp\nPut all fruit in box 1 and point at all tools.\n'
        'Actions of this task: move, show\n# Actions\n'
        '<move(object)>: Carry an object to box 1.\n<show(object)>: Point at an object.\n'
        '<finish_task(task)>: Nothing is left.\n<cannot_do(reason)>: It cannot be done.\n'
    )
    now = (
        '# Working memory of blorp\nObjects still to handle, in order: cup\n'
        '# Now\nTask: blorp\nObjects on the table: cup'
    )
    reply = RuleBasedModel().chat([Message('system', base), Message('user', now)], ChatOptions()).text
    assert reply.startswith('<cannot_do(')
    assert 'cup' in reply


def test_a_refused_finish_is_answered_with_the_object_that_it_names() -> None:
    base = (
        '# Tasks\n## blorp\nTidy.\nActions of this task: move\n# Actions\n<move(object)>: Carry an object to box 1.\n'
        '<finish_task(task)>: Nothing is left.\n<cannot_do(reason)>: It cannot be done.\n'
    )
    now = (
        '# Working memory of blorp\nObjects still to handle, in order: none\n'
        '# Now\nTask: blorp\nObjects on the table: pear\n'
    )
    messages = [
        Message('system', base),
        Message('user', f'{now}Which call comes next?'),
        Message('assistant', '<finish_task(blorp)>'),
        Message('user', f'{now}Your last answer was not accepted: pear is still to be handled\nWhich call comes next?'),
    ]
    assert RuleBasedModel().chat(messages, ChatOptions()).text == '<move(pear)>'


def test_a_prompt_laid_out_otherwise_is_read_too() -> None:
    base = (
        'You control a robot.\nThe tasks are:\n- blorp: Put all fruits into the bowl. Then point at every cup.\n'
        '- other: Point at everything red.\n\nYou may use these actions:\n'
        '- drop_it(object): Lift an object and drop it into the bowl.\n- finger(object): Point a finger at an object.\n'
        'You can also say:\n- finish_task(task): The task is done.\n- cannot_do(reason): It is impossible.\n'
    )
    messages = [
        Message('system', base),
        Message(
            'user',
            'Current task: blorp\nRemaining objects: 1. apple 2. cup 3. hammer\nBowl contains: banana\nWhat next?',
        ),
    ]
    answers = []
    for seen in ('cup, hammer', 'cup, hammer', ''):
        answers.append(RuleBasedModel().chat(messages, ChatOptions()).text)
        messages += [
            Message('assistant', answers[-1]),
            Message(
                'user', f'Result: done\nCurrent task: blorp\nVisible objects: {seen}\nBowl contains: banana, apple'
            ),
        ]
    assert answers == ['<drop_it(apple)>', '<finger(cup)>', '<finish_task(blorp)>']
