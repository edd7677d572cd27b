"""What forbids is read widely and what asks narrowly: a carrot cake may be `the carrot` that must not be touched."""

import json
from typing import Any

import pytest

from lucca_llm.model import ChatOptions, Message

CAKE = {'carrot cake': ['brown'], 'pear': ['green'], 'apple': ['red']}
BOTH = {**CAKE, 'carrot': ['orange']}
KEPT = 'Put everything in box 1, but {} the carrot.'


def understood(setup: Any) -> str:
    base, asked = setup.restating()
    answer = setup.model.chat([Message('system', base), Message('user', asked)], ChatOptions()).text
    return str(json.loads(answer)['understood'])


@pytest.mark.parametrize('objects', [CAKE, BOTH])
@pytest.mark.parametrize(
    'text',
    [
        KEPT.format('do not touch'),
        KEPT.format("don't move"),
        KEPT.format('keep your hands off'),
        KEPT.format("I'd rather you didn't touch"),
        'Put everything in box 1, but leave the carrot alone.',
        'Leave the carrot where it is. Put everything in box 1.',
        'Put everything in box 1, but no carrots.',
        'All but the carrot may be moved. Put everything in box 1.',
        'I need the carrot where it is. Put everything in box 1.',
    ],
)
def test_whatever_has_the_noun_in_its_name_stays_and_that_is_said(objects: Any, text: str, table: Any) -> None:
    result = table(objects, text).run()
    assert result.did('move_to_box_1') == ['pear', 'apple']
    assert result.finished
    assert understood(table(objects, text)).endswith(', but not the carrot cake, which is prohibited')


@pytest.mark.parametrize(
    ('objects', 'text', 'done'),
    [
        (BOTH, 'Put the carrot in box 1.', ['carrot']),
        (BOTH, 'Put everything in box 1 except the carrot.', ['carrot cake', 'pear', 'apple']),
        (CAKE, 'Put everything in box 1 except the carrot.', ['pear', 'apple']),
        (CAKE, 'Put the carrot cake in box 1, but do not touch the carrot.', ['carrot cake']),
        (CAKE, 'Put the cake in box 1, but do not touch the carrot.', []),
        ({'cup': [], 'mug': [], 'pear': []}, 'Put everything in box 1, but do not touch the cup.', ['pear']),
        ({'fruit bowl': [], 'pear': [], 'cup': []}, 'Put everything in box 1, but no fruit.', ['cup']),
        ({'ball': [], 'cup': ['red']}, 'Put everything in box 1, but nothing yellow.', ['cup']),
    ],
)
def test_a_request_and_an_exception_are_read_as_they_stand(
    objects: Any, text: str, done: list[str], table: Any
) -> None:
    assert table(objects, text).run().did('move_to_box_1') == done


@pytest.mark.parametrize('told', ['The pear is reserved.', 'The pear is glued to the table.'])
def test_what_may_forbid_is_not_passed_over(told: str, table: Any) -> None:
    result = table(CAKE, f'Put the fruit in box 1. {told}').run()
    assert result.done == []


@pytest.mark.parametrize('told', ['The pear is no fruit.', 'The pear is not yours.', 'The pear is off limits.'])
def test_what_is_denied_of_a_thing_keeps_it_from_being_moved(told: str, table: Any) -> None:
    assert table(CAKE, f'Put the fruit in box 1. {told}').run().did('move_to_box_1') == ['apple']
