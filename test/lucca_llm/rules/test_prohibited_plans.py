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


@pytest.mark.parametrize('thing', ['the red cup', 'red objects', 'cups'])
def test_of_several_kinds_the_others_are_done(thing: str, table: Any) -> None:
    text = 'All fruit belongs in box 1. Cups belong in box 2.'
    result = table({'cup': ['red'], 'pear': ['green']}, text, prohibited=[Prohibition(what=thing)]).run()
    assert result.done == ['<move_to_box_1(pear)>']
    assert result.finished
    answer = restated(table({'cup': ['red'], 'pear': ['green']}, text, prohibited=[Prohibition(what=thing)]))
    assert answer['understood'].endswith(', but not the cup, which is prohibited')


def test_where_nothing_is_left_of_any_kind_nothing_is_done(table: Any) -> None:
    text = 'All fruit belongs in box 1. Cups belong in box 2.'
    result = table({'cup': [], 'pear': []}, text, prohibited=[Prohibition(what='anything')]).run()
    assert result.done == []
    assert 'holds until somebody lifts it' in result.end


def withdrawn(table: Any, text: str, what: str, *, after: int) -> Any:
    """The run of a text in which something is prohibited when the arm is on its way for the call number `after` + 1."""
    begun: list[str] = []

    def fail(call: str, times: int) -> str | None:
        begun.append(call)
        if len(begun) != after + 1:
            return None
        robot.prohibited = [Prohibition(what=what)]
        return 'prohibited' if call.removesuffix(')>').endswith(what.removeprefix('the ')) else None

    robot = table({'apple': [], 'pear': [], 'red cube': ['red'], 'blue cube': ['blue'], 'green cube': ['green']}, text)
    robot.fail = fail
    return robot.run()


@pytest.mark.parametrize(
    ('text', 'what', 'after', 'done'),
    [
        ('Put the apple, the pear and the red cube in box 1.', 'the apple', 0, ['box_1(pear)', 'box_1(red cube)']),
        ('Put the apple, the pear and the red cube in box 1.', 'the pear', 0, ['box_1(apple)', 'box_1(red cube)']),
        ('Put the apple in box 1, then give me the pear.', 'the apple', 0, ['give(pear)']),
        ('Put all fruit in box 1.', 'the apple', 0, ['box_1(pear)']),
    ],
)
def test_what_is_prohibited_on_the_way_keeps_nothing_else_from_being_done(
    text: str, what: str, after: int, done: list[str], table: Any
) -> None:
    result = withdrawn(table, text, what, after=after)
    assert len(result.done) == len(done)
    assert all(part in call for part, call in zip(done, result.done, strict=True)), result.done
    assert result.finished or 'holds until somebody lifts it' in result.end
    assert result.finished == text.startswith('Put all')


@pytest.mark.parametrize(
    'text',
    [
        'Stack the red cube, then the blue cube, then the green cube.',
        'Stack the cubes in the order red, blue, green.',
        'Put the red cube, the blue cube and the green cube on the tower.',
    ],
)
def test_nothing_is_stacked_on_top_in_place_of_what_is_prohibited(text: str, table: Any) -> None:
    result = withdrawn(table, text, 'the blue cube', after=1)
    assert result.done == ['<put_on_tower(red cube)>']
    assert 'holds until somebody lifts it' in result.end


def test_of_a_tower_of_any_cubes_the_others_are_stacked(table: Any) -> None:
    result = withdrawn(table, 'Stack all cubes.', 'the blue cube', after=1)
    assert result.did('put_on_tower') == ['red cube', 'green cube']
    assert result.finished


def test_a_prohibited_kind_does_not_hide_another_reason(table: Any) -> None:
    result = table(OBJECTS, 'Put the hammer in box 1.', prohibited=[RED_CUP]).run()
    assert result.done == []
    assert 'there is no such object here: the hammer' in result.end
