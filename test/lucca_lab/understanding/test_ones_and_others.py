"""`One`, `another one`, `the other` and `the others`: which objects they stand for, and that no more are moved."""

import pytest

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.outcomes import End
from lucca_lab.understanding.stack import stack_on_table

PLACES = ('box 1', 'box 2', 'bowl', 'tower', USERS_SIDE)
THINGS = ('apple (red)', 'pear (green)', 'mug (blue)', 'red cube', 'blue cube', 'green cube')
TWO = ('apple (red)', 'pear (green)', 'red cube', 'blue cube')


def said(objects, text):
    with stack_on_table(sample_objects(objects), PLACES) as robot:
        return robot.say(text, 'Ana')


@pytest.mark.parametrize(
    ('objects', 'text', 'done'),
    [
        (THINGS, 'Give me a blue cube and a red one.', ['give(blue cube)', 'give(red cube)']),
        (THINGS, 'Give me the blue cube and the red one.', ['give(blue cube)', 'give(red cube)']),
        (THINGS, 'Give me a cube and another one.', ['give(red cube)', 'give(blue cube)']),
        (THINGS, 'Give me the red cube and the blue and green ones.', ['(red cube)', '(blue cube)', '(green cube)']),
        (TWO, 'Take two cubes and put one in box 1 and the other in box 2.', ['box_1(red cube)', 'box_2(blue cube)']),
        (TWO, 'Put one cube in box 1 and the other in box 2.', ['box_1(red cube)', 'box_2(blue cube)']),
        (TWO, 'Put one cube in box 1 and the other one in box 2.', ['box_1(red cube)', 'box_2(blue cube)']),
        (THINGS, 'Put one cube in box 1 and the others in box 2.', ['1(red cube)', '2(blue cube)', '2(green cube)']),
        (TWO, 'Put the cubes in box 1 and the others in box 2.', ['red cube', 'blue cube', '2(apple)', '2(pear)']),
    ],
)
def test_they_stand_for_what_was_named_before(objects, text, done):
    outcome = said(objects, text)
    assert outcome.end is End.DONE, outcome.said
    assert len(outcome.performed) == len(done), outcome.performed
    assert all(part in call for part, call in zip(done, outcome.performed, strict=True)), outcome.performed


@pytest.mark.parametrize(
    ('text', 'told'),
    [
        ('Take two cubes and put one in box 1 and the other in box 2.', 'Which one do you mean by "the other"'),
        ('Put the mug in box 1 and the other in box 2.', 'Which one do you mean by "the other"'),
        ('Put the mug in box 1 and the other mug in box 2.', 'there is no such object here: the other mug'),
        ('Give me the mug and another one.', 'there is no such object here: another one'),
        ('Take the apple and the pear, put one in box 1 and the other in box 2.', 'I did not understand'),
    ],
)
def test_nothing_moves_if_it_is_not_clear_or_not_there(text, told):
    outcome = said(THINGS, text)
    assert told in outcome.said
    assert outcome.performed == ()
