"""Tasks while something is prohibited: refused as a whole with the reason, or without it, and that is said."""

import json
from typing import Any

import pytest

from lucca_core.protocol.prohibitions import Prohibition
from lucca_llm.model import ChatOptions, Message

OBJECTS = {'apple': ['red'], 'cup': ['red'], 'pear': ['green'], 'can': ['blue'], 'gizmo': ['blue']}
RED_CUP, FRUIT = Prohibition(what='the red cup'), Prohibition(what='fruit', place='box 1')


def restated(setup: Any) -> Any:
    base, asked = setup.restating()
    messages = [Message('system', base), Message('user', asked)]
    return json.loads(setup.model.chat(messages, ChatOptions()).text)


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('Put the red cup in box 1.', RED_CUP),
        ('Put the cup in box 1.', RED_CUP),
        ('Put the can and the cup in box 2.', RED_CUP),
        ('Give me the cup.', RED_CUP),
        ('Put all cups in the bowl.', RED_CUP),
        ('Put the apple in box 1.', FRUIT),
        ('Put the fruit in box 1 and the can in box 2.', FRUIT),
        ('Put everything in box 1.', Prohibition(what='anything', place='box 1')),
    ],
)
def test_an_order_against_a_prohibition_moves_nothing(text: str, said: Prohibition, table: Any) -> None:
    result = table(OBJECTS, text, prohibited=[said]).run()
    assert result.done == []
    assert f'“{said}” holds until somebody lifts it, as by saying “{said.how_to_lift}”' in result.end
    answer = restated(table(OBJECTS, text, prohibited=[said]))
    assert (answer['understood'], answer['calls']) == ('', [])


@pytest.mark.parametrize(
    ('text', 'said', 'done', 'left_out'),
    [
        ('Put everything in box 1.', RED_CUP, ['apple', 'pear', 'can'], 'the cup and the gizmo'),
        ('Put everything in box 1.', Prohibition(what='the pear'), ['apple', 'cup', 'can'], 'the pear and the gizmo'),
        ('Put all red objects in box 1.', RED_CUP, ['apple'], 'the cup'),
    ],
)
def test_of_a_kind_what_is_prohibited_is_left_out_and_that_is_said(
    text: str, said: Prohibition, done: list[str], left_out: str, table: Any
) -> None:
    objects = OBJECTS if 'gizmo' in left_out else {name: OBJECTS[name] for name in OBJECTS if name != 'gizmo'}
    objects = {**objects, 'gizmo': []} if 'gizmo' in left_out else objects
    result = table(objects, text, prohibited=[said]).run()
    assert result.did('move_to_box_1') == done
    assert result.finished
    answer = restated(table(objects, text, prohibited=[said]))
    assert f', but not {left_out}, which ' in answer['understood']


@pytest.mark.parametrize(
    ('text', 'said', 'done'),
    [
        ('Put the pear in box 2.', FRUIT, '<move_to_box_2(pear)>'),
        ('Point at the red cup.', RED_CUP, '<point(cup)>'),
        ('Put the can in box 1.', RED_CUP, '<move_to_box_1(can)>'),
        ('Put the can in box 1.', FRUIT, '<move_to_box_1(can)>'),
    ],
)
def test_all_else_is_done_as_before(text: str, said: Prohibition, done: str, table: Any) -> None:
    result = table(OBJECTS, text, prohibited=[said]).run()
    assert result.done == [done]
    assert result.finished


def test_a_prohibited_kind_does_not_hide_another_reason(table: Any) -> None:
    result = table(OBJECTS, 'Put the hammer in box 1.', prohibited=[RED_CUP]).run()
    assert result.done == []
    assert 'there is no such object here: the hammer' in result.end
