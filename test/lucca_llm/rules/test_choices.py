"""Answers to the question which one is meant."""

import pytest
from conversation import ask

TABLE = 'Objects on the table: red cube, blue cube, cup, cup 2\nIn box 1: none'
CUBES = 'Which one do you mean by "the cube": red cube or blue cube?'
SEEN = 'blue cube (from where I am) or red cube (from where you sit)?)>'
CUPS = 'Which one do you mean by "the cup": cup or cup 2?'


def answered(said, asked, request):
    return ask(said, table=TABLE, before=[request], answers=[f'<do({request})>'], asked=asked, asked_of=request)


@pytest.mark.parametrize(
    ('said', 'done'),
    [
        ('the second one', 'give me the blue cube'),
        ('the first', 'give me the red cube'),
        ('the last one, please', 'give me the blue cube'),
        ('either', 'give me the red cube'),
        ("it doesn't matter", 'give me the red cube'),
        ('both', 'give me the red cube and the blue cube'),
        ('I mean the blue cube', 'give me the blue cube'),
    ],
)
def test_what_is_chosen_is_done(said, done):
    assert answered(said, CUBES, 'give me the cube') == f'<do({done})>'


@pytest.mark.parametrize(
    ('said', 'done'),
    [
        ('cup', 'put the cup 1 in box 1'),
        ('cup 1', 'put the cup 1 in box 1'),
        ('the cup 2', 'put the cup 2 in box 1'),
        ('cup 2 please', 'put the cup 2 in box 1'),
    ],
)
def test_the_first_of_two_of_a_name_can_be_chosen(said, done):
    assert answered(said, CUPS, 'put the cup in box 1') == f'<do({done})>'


@pytest.mark.parametrize('said', ['no', 'the third one', 'neither', 'all four', 'why?', 'not the red one'])
def test_what_chooses_nothing_moves_nothing(said):
    assert '<do(' not in answered(said, CUBES, 'give me the cube')


def test_a_new_request_is_no_choice():
    assert answered('give me the red cube', CUBES, 'put the cube in box 1') == '<do(give me the red cube)>'


def test_without_a_question_nothing_is_chosen():
    assert '<do(' not in ask('the second one', table=TABLE, before=['give me the cube'], answers=['<say(Hello.)>'])


def test_a_side_is_a_choice():
    right = "From the user's left to the right, in cm: red cube (-5); blue cube (20)"
    table = f'{TABLE}\n{right}\nFrom the user to the far side, in cm: red cube (30); blue cube (30)'
    before = {
        'before': ['give me the cube'],
        'answers': ['<do(give me the cube)>'],
        'asked': CUBES,
        'asked_of': 'give me the cube',
    }
    for said in ('the one on my left', 'on my left'):
        assert ask(said, table=table, **before) == '<do(give me the red cube)>'
    for said in ('left', 'the left one'):
        asked = ask(said, table=table, **before)
        assert asked == f'<cannot_do(Which one do you mean by “the cube”: {SEEN}'
        again = {'before': ['give me the cube', said], 'answers': ['<do(give me the cube)>', asked]}
        assert ask('mine', table=table, **again) == '<do(give me the red cube)>'


def test_another_question_is_no_choice():
    assert '<do(' not in answered('either', 'Where shall I put it?', 'give me the cube')
    assert '<do(' not in answered('either', CUBES, 'hello')
    quoted = f'<say(Bob told me: “{CUBES}”)>'
    assert '<do(' not in ask('both', table=TABLE, before=['what did Bob say about the cube?'], answers=[quoted])


def test_the_choice_is_of_the_request_that_was_asked_about():
    before = {
        'before': ['give me the cube', 'Bob, put the cube in box 2'],
        'answers': ['<do(give me the cube)>', '<say(Yes.)>'],
    }
    chosen = ask('the first one', table=TABLE, **before, asked=CUBES, asked_of='give me the cube')
    assert chosen == '<do(give me the red cube)>'
