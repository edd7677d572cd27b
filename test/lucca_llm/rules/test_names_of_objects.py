"""Objects are found by any name, however like a word of the request it is."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ('objects', 'text', 'done'),
    [
        ({'red coffee mug': [], 'plate': []}, 'Put the red mug in box 1.', ['move_to_box_1(red coffee mug)']),
        ({'clothes': [], 'hat': []}, 'Put my clothes in box 1.', []),
        ({'clothes': [], 'cup': []}, 'Put my clothes in box 1.', ['move_to_box_1(clothes)']),
        ({'table': [], 'phone': []}, 'Put the phone in box 1.', ['move_to_box_1(phone)']),
        ({'red coffee mug': [], 'mug': ['red']}, 'Give me the red mug.', ['give(mug)']),
        ({'red coffee mug': [], 'mug': ['white']}, 'Give me the red mug.', []),
        ({'red coffee mug': [], 'blue mug': []}, 'Put the red and blue mug in box 1.', []),
        ({'white wine glass': [], 'cup': []}, 'Give me the glass.', ['give(white wine glass)']),
        ({'hot dog': [], 'cup': []}, 'Give me the dog.', []),
        ({'frypan': [], 'apple': []}, 'Give me the frying pan.', ['give(frypan)']),
        ({'frypan': [], 'skillet': []}, 'Give me the frying pan.', []),
        ({'vanilla ice cream': [], 'cup': []}, 'Give me the cream.', []),
        ({'red apple bag': [], 'apple': ['red']}, 'Give me the red apple.', ['give(apple)']),
    ],
)
def test_a_part_of_a_long_name_is_enough_if_nothing_else_fits(
    objects: dict[str, list[str]], text: str, done: list[str], table: Any
) -> None:
    assert [call.strip('<>') for call in table(objects, text).run().done] == done


@pytest.mark.parametrize(
    'name',
    [
        'can of beans', 'bottle with the blue cap', 'salt and pepper shaker', 'Lord of the Rings', '7up', 'M&Ms',
        'mac & cheese', 'dr. pepper', '9V battery', 'book about robots', 'coca-cola', "Rubik's cube", 'lilac', 'round',
        'plastic', 'something', 'standing', 'gray', 'coke can', 'blue soda can',
    ],
)  # fmt: skip
def test_objects_of_any_name_can_be_named(name: str, table: Any) -> None:
    objects = {'red apple': ['red'], name: [], 'can of corn': [], 'bottle': ['blue']}
    for text, done in (
        (f'Put the {name} in box 1.', f'<move_to_box_1({name})>'),
        (f'give me the {name.lower()}', f'<give({name})>'),
    ):
        result = table(objects, text).run()
        assert result.done == [done]
        assert result.finished


def test_an_object_named_like_a_colour_takes_no_colour_from_others(table: Any) -> None:
    objects = {'lilac': [], 'lilac cup': ['lilac'], 'red cup': ['red']}
    result = table(objects, 'Put the lilac cup in box 1 and the lilac in box 2.').run()
    assert result.done == ['<move_to_box_1(lilac cup)>', '<move_to_box_2(lilac)>']


def test_an_object_of_the_name_that_was_said_is_meant_beside_one_that_nobody_knows(table: Any) -> None:
    objects = {'red ball': ['red'], 'blue ball': ['blue'], 'bunny': []}
    assert table(objects, 'Put the red ball in box 1.').run().done == ['<move_to_box_1(red ball)>']
    assert not table(objects, 'Put the balls in box 1.').run().done


def test_objects_of_any_name_are_in_alphabetical_order(table: Any) -> None:
    objects = {'end': [], 'brace': [], 'quality': [], 'bottle with a cap': [], '7up': []}
    result = table(objects, 'Put all objects in box 2 in alphabetical order.').run()
    names = [call.removeprefix('<move_to_box_2(').removesuffix(')>') for call in result.done]
    assert names == ['7up', 'bottle with a cap', 'brace', 'end', 'quality']


@pytest.mark.parametrize(
    ('objects', 'text', 'done'),
    [
        ({'mac & cheese': [], 'mac + cheese': []}, 'Give me the mac & cheese.', ['<give(mac & cheese)>']),
        ({'7up': [], 'can of 7up': []}, 'Give me the can of 7up.', ['<give(can of 7up)>']),
        ({'red': [], 'red cup': ['red'], 'can': ['blue']}, 'Put everything that is not red in box 1.', ['can']),
        ({'café cup': [], 'cafe cup': []}, 'Give me the café cup.', ['<give(café cup)>']),
    ],
)
def test_names_are_not_mixed_up(objects: dict[str, list[str]], text: str, done: list[str], table: Any) -> None:
    result = table(objects, text).run()
    assert '<move_to_box_1(red cup)>' not in result.done
    assert done == ['can'] or result.done == done
