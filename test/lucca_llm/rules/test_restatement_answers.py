"""Restatements: what the reader understood, as one JSON object."""

import json
from typing import Any

import pytest

from lucca_llm.model import ChatOptions, Message

OBJECTS = {'apple': ['red'], 'banana': ['yellow'], 'cup': ['blue'], 'can': ['red'], 'red cube': [], 'blue cube': []}


def restated(table: Any, text: str) -> dict[str, Any]:
    world = table(OBJECTS, text)
    base, question = world.restating()
    answer = world.model.chat([Message('system', base), Message('user', question)], ChatOptions()).text
    found: dict[str, Any] = json.loads(answer)
    return found


@pytest.mark.parametrize(
    ('text', 'understood', 'calls'),
    [
        (
            'Hand me something to drink from, then the can.',
            'give the cup and the can to me',
            ['give(cup)', 'give(can)'],
        ),
        (
            'Whatever is yellow goes in box 1. Stack the cubes.',
            'put the banana in box 1, then stack the red cube and the blue cube',
            ['move_to_box_1(banana)', 'put_on_tower(red cube)', 'put_on_tower(blue cube)'],
        ),
        ('Point at every can and put it in the bowl.', 'point at the can, then put the can in the bowl', None),
    ],
)
def test_what_is_understood_is_said_and_reads_as_the_same_again(
    text: str, understood: str, calls: list[str] | None, table: Any
) -> None:
    found = restated(table, text)
    assert (found['understood'], found['question'], found['not_understood']) == (understood, '', [])
    assert calls is None or found['calls'] == calls
    assert restated(table, understood)['calls'] == found['calls']


@pytest.mark.parametrize(
    ('text', 'word', 'question'),
    [
        ('Put the cup in box 1 until it wobbles.', 'wobbles', 'Shall I put the cup in box 1 and leave the rest out?'),
        ('Swap the apple and the can.', 'Swap', 'Please say it in other words.'),
    ],
)
def test_words_that_are_not_understood_are_named_and_asked_about(
    text: str, word: str, question: str, table: Any
) -> None:
    found = restated(table, text)
    assert word in found['not_understood']
    assert question in found['question']


def test_which_of_several_is_meant_is_asked(table: Any) -> None:
    found = restated(table, 'Put the red one in box 1.')
    assert found['calls'] == []
    assert found['question'] == 'Which one do you mean by "the red one": apple or can or red cube?'


@pytest.mark.parametrize('text', ['Open the can.', 'Give me the hammer.'])
def test_what_cannot_be_done_is_not_restated(text: str, table: Any) -> None:
    assert restated(table, text)['understood'] == ''


def test_nothing_to_do_is_said_only_where_what_is_wanted_is_seen_to_hold(table: Any) -> None:
    text = 'Put every vegetable in box 1 and every tool in box 2.'  # rules for several kinds may find none today
    assert restated(table, text)['understood'] == 'nothing is to be done with these objects'
    assert restated(table, 'Put every vegetable in box 1.')['understood'] == ''


@pytest.mark.parametrize(
    'text', ['Put everything in box 1, all but most red ones excluded.', 'Put the fruit in box 1, the can included.']
)
def test_what_is_excluded_in_words_not_understood_is_never_left_out_by_a_yes(text: str, table: Any) -> None:
    found = restated(table, text)
    assert found['calls'] == []
    assert 'Shall I' not in found['question']


@pytest.mark.parametrize('text', ['Grab the apple.', 'Pick up the cup.', 'Take the can.'])
def test_what_can_be_done_with_a_thing_to_pick_up_is_offered(text: str, table: Any) -> None:
    run = table(OBJECTS, text).run()
    assert run.done == []
    assert 'I can hand it over or put it in or on box 1' in run.end


@pytest.mark.parametrize(
    ('text', 'is_seen'),
    [
        ('Put the cup in box 1 if it is green.', True),
        ('Put the green cups in box 1.', False),
        ('Give me all tools.', False),
    ],
)
def test_what_a_thing_is_called_is_no_condition_that_is_seen_not_to_hold(text: str, is_seen: bool, table: Any) -> None:
    assert (restated(table, text)['understood'] == 'nothing is to be done with these objects') is is_seen


@pytest.mark.parametrize(
    ('text', 'unseen'),
    [
        ('Put all tools in box 1 and the apple in box 2.', ['tools']),
        ('Put the cans in box 1, hats in box 2 and every shoe in the bowl.', ['hats', 'shoe']),
        ('Put all yellow cubes in box 1 and the apple in box 2.', ['yellow cubes']),
        ('Put all my hats in box 1 and the apple in box 2.', ['hats']),
        ('Put all fruit but the apple and the banana in box 1, and the cup in box 2.', []),
        ('Put the apple in box 1 if it is green, and the cup in box 2.', []),
        ('Put the cubes in box 1 and everything else in box 2.', []),
    ],
)
def test_kinds_of_which_nothing_is_here_are_told(text: str, unseen: list[str], table: Any) -> None:
    assert restated(table, text)['not_seen'] == unseen
