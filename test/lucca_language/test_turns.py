"""Descriptions in which nothing may be left until the rest is done."""

import pytest

from lucca_language.turns import is_in_turn


@pytest.mark.parametrize(
    'description',
    [
        'Stack the red cube, the blue cube and the green cube in this order.',
        'First put the red cube in the bowl, then give me the apple.',
        'Put the apple in box 1 after the red cube is in box 1.',
        'Put the red cube on the tower and the blue cube on it.',
        'Build a tower of three cubes.',
        'Put the fruit in box 1, starting with the smallest.',
        'Once the pear is in box 1, give me the cup.',
        'Pile the cubes with the blue one beneath the red one.',
        'Give me the pear, and the cup later.',
    ],
)
def test_an_order_is_heeded(description):
    assert is_in_turn(description)


@pytest.mark.parametrize(
    'description',
    ['Put all fruit in box 1.', 'Give me the pear and the cup.', 'Put every cube in the bowl in any order.'],
)
def test_other_descriptions_have_none(description):
    assert not is_in_turn(description)
