"""Which calls of a plan may come in any order."""

import pytest

from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.action_matching import ActionText
from lucca_llm.rules.descriptions import read_description
from lucca_llm.rules.planning import make_plan
from lucca_llm.rules.task_plan import ReportedState

THINGS = tuple(
    ListedObject(name, (name.split()[0],) if 'cube' in name else ())
    for name in ('red cube', 'blue cube', 'green cube', 'apple', 'pear')
)
ACTIONS = (
    ActionText('give', 'hand an object over to the user'),
    ActionText('point', 'point at an object'),
    ActionText('move_to_box_1', 'put an object into box 1'),
    ActionText('put_on_tower', 'put an object on top of the tower'),
)


def steps_of(description):
    reading = read_description(description, '', THINGS, ('box 1', 'tower'))
    assert reading.is_understood, reading.not_understood
    plan = make_plan(reading.program, ReportedState(on_table=THINGS, actions=ACTIONS, places=('box 1', 'tower')))
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
            ['red', 'blue', 'green', 'pear'],
        ),
        ('Give me the pear after the apple. Give me the apple.', ['apple', 'pear']),
        ('Give me the pear before the apple is in box 1. Put the apple in box 1.', ['pear', 'apple']),
    ],
)
def test_what_waits_for_another_thing_waits_even_if_that_is_asked_for_later(description, names):
    assert [name.removesuffix(' cube') for name, _ in steps_of(description)] == names
