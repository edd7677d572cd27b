"""Requests that say a thing twice, by a part of its name, or without a place."""

from typing import Any

import pytest

OBJECTS = {'pear': ['green'], 'apple': ['red'], 'lizard figurine': ['green'], 'lizard figurine 2': ['green']}


@pytest.mark.parametrize(
    'text',
    [
        'Put the pear in box 1. The pear should end up in box 1.',
        'Put the pear in box 1; it belongs in box 1.',
        'First put the pear in box 1, then point at the apple once the pear is there.',
    ],
)
def test_what_says_once_more_where_a_thing_goes_asks_for_nothing(text: str, table: Any) -> None:
    result = table(OBJECTS, text).run()
    assert result.did('move_to_box_1') == ['pear']
    assert result.finished


def test_two_of_a_kind_are_two(table: Any) -> None:
    result = table({'cup': [], 'cup 2': []}, 'Put a cup in box 1. Put a cup in box 1.').run()
    assert sorted(result.did('move_to_box_1')) == ['cup', 'cup 2']


@pytest.mark.parametrize('what', ['the lizards', 'the lizard', 'a lizard'])
def test_a_part_of_a_name_is_asked_about(what: str, table: Any) -> None:
    result = table(OBJECTS, f'Put {what} in box 1.').run()
    assert result.done == []
    assert 'may be lizard figurine or lizard figurine 2' in result.end


@pytest.mark.parametrize(
    ('text', 'place'),
    [
        ('Put the pear into box 2, then hand me the apple once the pear is there.', 'move_to_box_2'),
        ('First the pear into box 2, then hand me the apple once it is there.', 'move_to_box_2'),
        (
            'Put the pear in box 2 and the cup in box 1, then hand me the apple once the pear is there.',
            'move_to_box_2',
        ),
    ],
)
def test_there_is_where_that_thing_was_put(text: str, place: str, table: Any) -> None:
    result = table({'pear': ['green'], 'apple': ['red'], 'cup': ['blue']}, text).run()
    assert result.did(place) == ['pear']
    assert result.finished
