"""What is forbidden, and kinds of which there are none: nothing takes their place."""

from typing import Any

import pytest
from said_at_a_table import run


def test_what_is_forbidden_is_not_replaced_by_something_like_it(table: Any) -> None:
    objects = {'white plate': [], 'white mug': [], 'green cup': []}
    result = table(objects, 'Put the mug in box 2. Do not move white objects.').run()
    assert result.done == []
    assert 'put the mug in box 2, which is ruled out' in result.end


@pytest.mark.parametrize(
    ('text', 'names', 'done'),
    [
        ('Put the mug in box 1. Do not move the red mug.', 'red mug, blue mug', 'move_to_box_1(blue mug)'),
        ('Never move the red mug. Put the mug in box 1.', 'red mug, blue mug', 'move_to_box_1(blue mug)'),
        ("Put the cup in box 1. Don't touch the big cup.", 'big cup, small cup', 'move_to_box_1(small cup)'),
        ('Put the can in box 1 but leave the small can alone.', 'big can, small can', 'move_to_box_1(big can)'),
        ('Hand me the mug. Do not move the red mug.', 'red mug, blue mug', 'give(blue mug)'),
        (
            "Pick up the mug, then put it in box 1. Don't move white objects.",
            'white mug, green mug',
            'move_to_box_1(green mug)',
        ),
    ],
)
def test_a_task_ends_when_the_one_that_is_not_forbidden_was_moved(text: str, names: str, done: str, table: Any) -> None:
    result = run(table, text, names)
    assert result.done == [f'<{done}>']
    assert result.finished


@pytest.mark.parametrize(
    'text',
    [
        'Put cans in box 1 and pens in box 2.',
        'Put cans and pens in box 1.',
        'Put cans in box 1, pens in box 2 and the cup in the bowl.',
        'Put the can in box 1 and every pen in box 2.',
        'Put the can in box 1 and everything else in box 2.',
    ],
)
def test_a_kind_of_several_may_be_empty(text: str, table: Any) -> None:
    result = run(table, text, 'can, cup')
    assert '<move_to_box_1(can)>' in result.done
    assert result.finished


@pytest.mark.parametrize(
    ('text', 'names', 'done'),
    [
        ('Put the fruit in box 1 and the kitchenware in box 2.', 'apple, doll', ['move_to_box_1(apple)']),
        ('The fruits belong in box 1. The tools belong in box 2.', 'apple, doll', ['move_to_box_1(apple)']),
        (
            'First put the red objects in box 1, then the blue objects in box 2.',
            'apple, pear',
            ['move_to_box_1(apple)'],
        ),
        (
            'Put the bottles in box 1, the cups in box 2 and the cutlery in the bowl.',
            'cup, fork',
            ['move_to_box_2(cup)', 'place_in_bowl(fork)'],
        ),
        ('Put every fruit in box 1 and the tools in box 2.', 'apple, doll', ['move_to_box_1(apple)']),
        (
            'Put the knives, forks and spoons in box 1.',
            'fork, spoon',
            ['move_to_box_1(fork)', 'move_to_box_1(spoon)'],
        ),
        (
            'Put the blocks in box 1, the balls in box 2 and everything else in the bowl.',
            'red block, apple',
            ['move_to_box_1(red block)', 'place_in_bowl(apple)'],
        ),
        ('Put the cans in box 1 and the pens in box 2.', 'can, cup', ['move_to_box_1(can)']),
    ],
)
def test_the_things_of_a_kind_beside_other_kinds_may_be_none(
    text: str, names: str, done: list[str], table: Any
) -> None:
    result = run(table, text, names)
    assert result.done == [f'<{call}>' for call in done]
    assert result.finished


@pytest.mark.parametrize(
    'text',
    [
        'Put the cube in box 1 and the pens in the bowl.',
        'Put the cube in box 1, the cups in box 2 and the pens in the bowl.',
        'Put two cubes in box 1 and the pens in the bowl.',
    ],
)
def test_a_kind_beside_certain_objects_is_missed(text: str, table: Any) -> None:
    result = run(table, text, 'cube, cup' if 'two' not in text else 'cube, red cube')
    assert result.done == []
    assert 'the pens' in result.end


def test_a_prohibition_leaves_what_it_does_not_forbid(table: Any) -> None:
    objects = {'red cup': ['red'], 'blue cup': ['blue'], 'apple': ['red']}
    for asked in ('the blue cup', 'the cups'):
        result = table(objects, f'Put {asked} in box 1. Do not move red objects.').run()
        assert result.done == ['<move_to_box_1(blue cup)>']
