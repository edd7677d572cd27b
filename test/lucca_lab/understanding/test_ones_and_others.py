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
    ('text', 'done'),
    [
        ('Give me two cubes, the blue one and the red one.', ['blue cube', 'red cube']),
        ('Put two cubes in box 1, the red one and the green one.', ['red cube', 'green cube']),
        ('Put two cubes in box 1. The red one and the green one.', ['red cube', 'green cube']),
        ('Put the cubes in box 1, the red one and the green one.', ['red cube', 'green cube']),
        ('Give me two fruits, the apple and the pear.', ['apple', 'pear']),
        ('Put two fruits in the bowl, the pear and the apple.', ['pear', 'apple']),
        ('Give me a fruit, the pear.', ['pear']),
        ('Stack the blue cube and the red cube, starting with the blue one.', ['blue cube', 'red cube']),
        ('Stack the red cube and the blue cube, starting with the blue one.', ['blue cube', 'red cube']),
        ('Put the apple and the pear in box 1, starting with the pear.', ['pear', 'apple']),
        ('Give me the apple and the pear, but the pear first.', ['pear', 'apple']),
        ('Put the red cube and the blue cube in box 1, ending with the red one.', ['blue cube', 'red cube']),
        ('Put the pear in box 1, then the pear.', ['pear']),
    ],
)
def test_what_is_told_of_objects_that_were_named_adds_none(text, done):
    outcome = said(THINGS, text)
    assert outcome.end is End.DONE, outcome.said
    assert [call[call.index('(') + 1 : -2] for call in outcome.performed] == done


@pytest.mark.parametrize(
    ('text', 'done'),
    [
        ('Put the red cube 2 in box 1.', 'red cube 2'),
        ('Take the red cube 1 and put it in box 1.', 'red cube'),
        ('Put cube 2 in box 1.', 'red cube 2'),
    ],
)
def test_one_of_two_alike_is_told_by_its_number(text, done):
    outcome = said(('red cube', 'blue cube', 'red cube'), text)
    assert outcome.performed == (f'<move_to_box_1({done})>',)


@pytest.mark.parametrize(
    ('answer', 'done'), [('the second one', 'blue cube'), ('the red one', 'red cube'), ('either', 'red cube')]
)
def test_the_question_which_one_is_answered_in_the_next_turn(answer, done):
    with stack_on_table(sample_objects(('red cube', 'blue cube', 'apple')), PLACES) as robot:
        assert robot.say('Put the cube in box 1.', 'Ana').end is End.ASKED
        assert robot.say(answer, 'Ana').performed == (f'<move_to_box_1({done})>',)


@pytest.mark.parametrize(
    'text',
    [
        'Put everything in box 1 without the cube that sings.',
        'Put the cubes in box 1 except two of those on loan.',
        'Give me the cubes not made of tin.',
    ],
)
def test_a_yes_does_nothing_that_was_not_offered(text):
    with stack_on_table(sample_objects(('red cube', 'blue cube', 'apple')), PLACES) as robot:
        assert 'Shall I' not in robot.say(text, 'Ana').said
        assert robot.say('yes', 'Ana').performed == ()


@pytest.mark.parametrize('between', ['what is on the table?', 'stop', 'put the apple in box 1'])
def test_a_question_is_answered_at_once_or_not_at_all(between):
    with stack_on_table(sample_objects(('cup', 'cup', 'apple')), PLACES) as robot:
        robot.say('Put the cup in box 1.', 'Ana')
        robot.say(between, 'Ana')
        assert robot.say('the second one', 'Ana').performed == ()


@pytest.mark.parametrize(
    'text',
    [
        'Put two cubes in box 1, the red one.',
        'Put three cubes in box 1, the red one and the blue one.',
        'Give me a cube: the red one and the blue one.',
        'Give me three fruits, the apple and the pear.',
        'Give me the apple \u2014 no wait, the pear.',
        'Give me the apple - sorry, the pear.',
        'Give me the apple; no, the pear.',
        'Put the apple in box 1, the pear in box 2 and so on.',
        'Put the apple, the pear, etc. in box 1.',
        'Put the apple in box 1 and so forth.',
        'Put the apple in box 1, and the like.',
    ],
)
def test_another_number_and_what_is_not_named_are_asked_about(text):
    outcome = said(THINGS, text)
    assert outcome.end in (End.ASKED, End.REFUSED), outcome
    assert outcome.performed == ()


def test_the_empty_box_is_the_one_with_nothing_in_it_and_else_it_is_asked():
    with stack_on_table(sample_objects(THINGS), PLACES) as robot:
        asked = robot.say('Put the mug in the empty box.', 'Ana')
        assert (asked.end, asked.performed) == (End.ASKED, ())
        assert 'box 1 or box 2?' in asked.said
        assert robot.say('Put the pear in box 1.', 'Ana').end is End.DONE
        assert robot.say('Can you put the mug in the empty box?', 'Ana').performed == ('<move_to_box_2(mug)>',)
        full = robot.say('Put the apple in an empty box.', 'Ana')
        assert (full.performed, 'no box that is empty' in full.said) == ((), True)


@pytest.mark.parametrize(
    'text',
    [
        'Swiftly put the pear in box 1.',
        'First, put the pear in box 1.',
        'Get the pear. Put it in box 1.',
        "Everything that's green goes in box 1.",
    ],
)
def test_manners_and_two_sentences_for_one_step_are_understood(text):
    assert said(('apple (red)', 'pear (green)'), text).performed == ('<move_to_box_1(pear)>',)


@pytest.mark.parametrize(
    'text', ['Now take it out again.', 'Put it back.', 'Make some room by putting the pear in box 1.']
)
def test_what_refers_to_what_was_done_is_not_passed_over(text):
    with stack_on_table(sample_objects(THINGS), PLACES) as robot:
        robot.say('Put the apple in box 1.', 'Ana')
        outcome = robot.say(text, 'Ana')
    assert outcome.end in (End.ASKED, End.REFUSED)
    assert outcome.performed == ()


@pytest.mark.parametrize(
    'text',
    [
        'Bob, hand me the mug.',
        'Bob, can you hand me the mug?',
        'Hey Bob, can you hand me the mug?',
        'Ana, put the pear in box 1 and the apple in box 2.',
        'R2D2, build a tower.',
        'Lucca, hand me the mug. Bob, give me the pear.',
    ],
)
def test_what_somebody_else_is_asked_for_is_not_done(text):
    outcome = said(THINGS, text)
    assert outcome.performed == ()
    assert 'I am Lucca. If you mean me' in outcome.said


@pytest.mark.parametrize(
    'text',
    [
        'Lucca, {}',
        'Luca, {}',
        'Robot, {}',
        'Hey Lucca, can you {}?',
        'Listen, {}',
        'Quickly, {}',
        'Cool, now {}',
        '{}, Lucca',
    ],
)
def test_the_robot_itself_may_be_called(text):
    assert said(THINGS, text.format('hand me the mug')).performed == ('<give(mug)>',)


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


def test_what_is_finished_without_a_kind_that_was_asked_for_says_so():
    outcome = said(THINGS, 'Put all tools in box 1, hats in the bowl and the apple in box 2.')
    assert outcome.performed == ('<move_to_box_2(apple)>',)
    assert outcome.said.endswith(' I saw no tools and no hats.')
