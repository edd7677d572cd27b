"""Two things of one request that may be one or another: the answers come one after the other, or at once."""

import pytest

from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.outcomes import End
from lucca_lab.understanding.stack import stack_on_table

REQUEST = 'Put the cup in box 1 and the cube in box 2.'
THINGS = ('cup', 'cup', 'red cube', 'blue cube', 'apple')


@pytest.mark.parametrize(
    ('answers', 'done'),
    [
        (['cup 2', 'the red cube'], ['cup 2', 'red cube']),
        (['the second one', 'the second one', 'the blue one'], ['cup 2', 'blue cube']),
        (['the blue one', 'the first one'], ['cup', 'blue cube']),
        (['cup 2 and the red cube'], ['cup 2', 'red cube']),
        (['either', 'either', 'either'], ['cup', 'red cube']),
    ],
)
def test_each_question_can_be_answered(answers: list[str], done: list[str]) -> None:
    with stack_on_table(sample_objects(THINGS), ('box 1', 'box 2', 'bowl')) as robot:
        outcome = robot.say(REQUEST, 'Ana')
        for answer in answers:
            assert outcome.end is End.ASKED
            outcome = robot.say(answer, 'Ana')
    assert outcome.end is End.DONE, outcome.said
    assert outcome.performed == (f'<move_to_box_1({done[0]})>', f'<move_to_box_2({done[1]})>')


def test_an_answer_that_fits_neither_question_moves_nothing() -> None:
    with stack_on_table(sample_objects(THINGS), ('box 1', 'box 2', 'bowl')) as robot:
        robot.say(REQUEST, 'Ana')
        assert robot.say('the green one', 'Ana').performed == ()


@pytest.mark.parametrize(
    'text', ['I like the apple. Put the red cube in box 1.', 'I like apples. Give me the red cube.']
)
def test_what_somebody_likes_is_not_moved(text: str) -> None:
    with stack_on_table(sample_objects(THINGS), ('box 1', 'box 2', 'bowl')) as robot:
        assert not any('apple' in call for call in robot.say(text, 'Ana').performed)


@pytest.mark.parametrize('request_', [REQUEST, 'Point at the cup and put the cup in box 1.'])
def test_another_request_behind_a_question_is_heard(request_: str) -> None:
    with stack_on_table(sample_objects(THINGS), ('box 1', 'box 2', 'bowl')) as robot:
        assert robot.say(request_, 'Ana').end is End.ASKED
        assert robot.say('Give me the apple.', 'Ana').performed == ('<give(apple)>',)


def test_of_two_things_called_alike_the_answer_may_be_to_either() -> None:
    with stack_on_table(sample_objects(THINGS), ('box 1', 'box 2', 'bowl')) as robot:
        robot.say('Point at the cup and put the cup in box 1.', 'Ana')
        outcome = robot.say('cup 2', 'Ana')
    assert outcome.performed == ()
    assert 'more than once' in outcome.said
