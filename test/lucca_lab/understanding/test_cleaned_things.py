"""To clean things away is to put them somewhere; to clean them is nothing that the robot can do."""

import pytest

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.stack import stack_on_table

CUBES = ('red cube', 'blue cube', 'green cube')
TOOLS = ('apple (red)', 'hammer (grey)', *CUBES)


def said(objects, text):
    with stack_on_table(sample_objects(objects), ('box 1', 'box 2', USERS_SIDE)) as robot:
        return robot.say(text, 'Ana')


@pytest.mark.parametrize(
    'text',
    [
        'Clean away the hammer into box 1.',
        'Clean the hammer away into box 1.',
        'Clean up the grey hammer into box 1.',
        'Clean the grey hammer up into box 1.',
        'Clean the hammer out of the way into box 1.',
        'Clean out of the way the hammer into box 1.',
        'Clean off the hammer into box 1.',
    ],
)
def test_to_clean_a_thing_away_is_to_put_it_somewhere(text):
    outcome = said(TOOLS, text)
    assert outcome.performed == ('<move_to_box_1(hammer)>',)


def test_to_clean_all_up_is_to_put_them_somewhere():
    outcome = said(TOOLS, 'Clean all the cubes up into box 1.')
    assert outcome.performed == tuple(f'<move_to_box_1({cube})>' for cube in CUBES)


@pytest.mark.parametrize(
    'text',
    ['Clean the hammer, then put it away into box 1.', 'Clean the hammer and put it away.', 'Clean away the hammer.'],
)
def test_to_clean_a_thing_and_put_it_away_is_not_to_put_it_away(text):
    outcome = said(TOOLS, text)
    assert outcome.performed == ()
