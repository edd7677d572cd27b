"""Which calls of a plan may come in any order."""

import pytest
from said_at_a_table import run

from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.plans.planning import make_plan
from lucca_llm.rules.prompts.action_matching import ActionText
from lucca_llm.rules.prompts.task_plan import ReportedState
from lucca_llm.rules.utterances.descriptions import read_description

THINGS = tuple(
    ListedObject(name, (name.split()[0],) if 'cube' in name else ())
    for name in ('red cube', 'blue cube', 'green cube', 'apple', 'pear', 'mug')
)
ACTIONS = (
    ActionText('give', 'hand an object over to the user'),
    ActionText('point', 'point at an object'),
    ActionText('move_to_box_1', 'put an object into box 1'),
    ActionText('move_to_box_2', 'put an object into box 2'),
    ActionText('put_on_tower', 'put an object on top of the tower'),
)


PLACES = ('box 1', 'box 2', 'tower')


def plan_of(description):
    reading = read_description(description, '', THINGS, PLACES)
    assert reading.is_understood, reading.not_understood
    return make_plan(reading.program, ReportedState(on_table=THINGS, actions=ACTIONS, places=PLACES))


def steps_of(description):
    plan = plan_of(description)
    assert not plan.impossible
    return [(name, step) for (_, name), step in zip(plan.to_do, plan.steps, strict=True)]


@pytest.mark.parametrize(
    ('description', 'steps'),
    [
        ('Put the fruit in box 1.', [0, 0]),
        ('Put the apple in box 1 and give me the pear.', [0, 0]),
        ('Put the apple in box 1, then give me the pear.', [0, 1]),
        ('First give me the apple, then put the cubes in box 1.', [0, 1, 1, 1]),
        ('Put the apple in box 1 after the red cube is in box 1.', [0, 1]),
        ('Put all cubes on the tower.', [0, 0, 0]),
        ('Put the red cube, the green cube and the blue cube on the tower.', [0, 1, 2]),
        ('Put the red cube on the tower and the blue cube on it.', [0, 1]),
        ('Put the red cube on the tower, the apple in box 1 and the blue cube on the tower.', [0, 0, 1]),
        ('Put the pear and the apple in box 1 in this order.', [0, 1]),
        ('Put the cubes in box 1 in the order red, blue, green.', [0, 1, 2]),
        ('Put the cubes in box 1 in alphabetical order.', [0, 1, 2]),
        ('Put the pear and the apple in box 1 in any order.', [0, 0]),
        ('1. Put the pear in box 1.\n2. Put the apple in box 1.', [0, 1]),
        ('Point at the apple, and put the apple in box 1.', [0, 1]),
        ('Give me the pear before you put the apple in box 1.', [0, 1]),
        ('Give me the fruit before you put the cubes in box 1.', [0, 0, 1, 1, 1]),
        ('Put the fruit in box 1, starting with the pear.', [0, 1]),
    ],
)
def test_the_reading_knows_the_order(description, steps):
    assert [step for _, step in steps_of(description)] == steps


@pytest.mark.parametrize(
    ('description', 'names'),
    [
        ('Give me the pear only after the apple is in box 1; put the apple in box 1.', ['apple', 'pear']),
        ('Give me the pear once the apple is in box 1. Put the apple into box 1.', ['apple', 'pear']),
        ('Put the apple in box 1; give me the pear only after the apple is in box 1.', ['apple', 'pear']),
        (
            'Give me the pear only after the cubes are in box 1; put the red cube in box 1.',
            ['blue', 'green', 'red', 'pear'],
        ),
        ('Give me the pear after the apple. Give me the apple.', ['apple', 'pear']),
        ('Give me the pear before the apple is in box 1. Put the apple in box 1.', ['pear', 'apple']),
        ('Put the apple in box 1. Put the mug in box 2 before the apple is in box 1.', ['mug', 'apple']),
        ('Put the apple in box 1 after the pear is in box 2. Put the mug in box 2.', ['pear', 'apple', 'mug']),
        # what is said to come before the apple does, and what is said to come after the pear does, too
        (
            'Give me the pear once the apple is in box 1. First put the mug in box 2, then put the apple in box 1.',
            ['mug', 'apple', 'pear'],
        ),
        (
            'Put the apple in box 1 once the pear is in box 2. First give me the mug, then put the pear in box 2.',
            ['mug', 'pear', 'apple'],
        ),
        (
            'Once the apple is in box 1, give me the pear. First put the mug in box 2, then put the apple in box 1.',
            ['mug', 'apple', 'pear'],
        ),
        (
            'Put the red cube in box 1 once the pear is in box 2. Then give me the apple. '
            'First put the mug in box 2, then put the pear in box 2.',
            ['mug', 'pear', 'red', 'apple'],
        ),
        (
            'Give me the pear once the apple is in box 1, then put the mug in box 2. Put the apple in box 1.',
            ['apple', 'pear', 'mug'],
        ),
        (
            'Give me the pear once the apple is in box 1. Put the apple in box 1 once the mug is in box 2. '
            'Put the mug in box 2.',
            ['mug', 'apple', 'pear'],
        ),
        ('Give me the pear after the apple. First give me the mug, then give me the apple.', ['mug', 'apple', 'pear']),
        (
            'Put the mug in box 2, then the pear in box 2, then the apple in box 1 once the mug is in box 2.',
            ['mug', 'pear', 'apple'],
        ),
        # the same again is no clause with `after`
        ('Put a fruit in box 1. Then put the mug in box 2. Then put a fruit in box 1.', ['mug', 'apple']),
        ('Put all fruit in box 1 after the apple is in box 1.', ['apple', 'pear']),
    ],
)
def test_what_waits_for_another_thing_waits_even_if_that_is_asked_for_later(description, names):
    assert [name.removesuffix(' cube') for name, _ in steps_of(description)] == names


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('Give me the pear once the apple is in box 1. First put the mug in box 2, then the apple in box 1.', 'map'),
        ('Give me the pear only after the cubes are in box 1; put the red cube in box 1.', 'brp'),
        ('Put the mug in box 2, then the apple in box 1. Give me the pear once the apple is in box 1.', 'map'),
    ],
)
def test_a_task_in_which_something_waits_comes_to_its_end(text, names, table):
    result = run(table, text, 'apple, pear, mug, red cube, blue cube')
    assert result.finished
    assert [call.partition('(')[2][0] for call in result.done] == [*names]


@pytest.mark.parametrize(
    'description',
    [
        'Put the apple in box 1 after the pear is in box 2. Put the pear in box 2 after the apple is in box 1.',
        'Put the apple in box 1 before the pear is in box 2. Put the pear in box 2 before the apple is in box 1.',
        'Give me the apple after the pear. Give me the pear after the apple.',
        'Give me the pear after the apple. Give me the apple after the mug. Give me the mug after the pear.',
        'Give me the pear once the apple is in box 1. Then put the apple in box 1.',
    ],
)
def test_what_would_have_to_wait_for_itself_is_not_done(description):
    assert 'which would have to wait for itself' in plan_of(description).impossible[0]
