"""Stop words and stop commands in typed text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.stop_command import (
    STOP_WORDS,
    after_stop,
    asks_more,
    begins_with_stop,
    has_stop_word,
    is_stop,
    is_typed_stop,
    stop_and_rest,
    without_words,
)


@pytest.mark.parametrize('word', STOP_WORDS)
@pytest.mark.parametrize(
    'around',
    [
        '{}',
        '{}!!',
        ' {}.',
        'please {} now',
        'Lucca, {}',
        'oh no, {} it',
        'okay, {} right there',
        '{}, I said',
        'Yes, {}.',
        'yeah, {} it',
        '{} moving your arms',
        '{}\r',
        'emergency {}!',
    ],
)
def test_a_line_that_only_says_stop_is_a_stop(word, around):
    wide = ''.join(chr(ord(letter) + 0xFEE0) for letter in word)
    for said in (word, word.upper(), word.title(), wide, wide.upper()):
        assert is_stop(around.format(said))
        assert has_stop_word(around.format(said))


@pytest.mark.parametrize('text', ['stop the tower', "don't stop", 'halt the sorting, build a tower'])
def test_a_line_that_says_more_has_a_stop_word_but_is_not_a_stop(text):
    assert has_stop_word(text)
    assert not is_stop(text)


@pytest.mark.parametrize('text', ['', 'please', 'stopper', 'nonstop', 'unfreeze', 'halting', 'go on', 'st op', 'now'])
def test_a_word_that_contains_a_stop_word_is_not_one(text):
    assert not has_stop_word(text)
    assert not is_stop(text)


@given(before=st.text(), word=st.sampled_from(STOP_WORDS), after=st.text())
def test_a_stop_word_is_found_between_any_other_text(before, word, after):
    assert has_stop_word(f'{before} {word} {after}')


@given(text=st.text())
def test_a_stop_has_a_stop_word(text):
    assert has_stop_word(text) or not is_stop(text)


def test_the_name_of_the_robot_may_be_said_beside_a_stop():
    assert not is_stop('Rosie May, stop!')
    assert is_stop('Rosie May, stop!', 'Rosie May')
    assert begins_with_stop('Rosie May, stop the tower', 'Rosie May')


@given(text=st.lists(st.sampled_from(['please', 'stop', 'Freeze', 'now', 'Rosie'])).map(' '.join))
def test_whatever_the_name_of_the_robot_is_a_stop_begins_with_a_stop(text):
    for name in ('Rosie', 'Freeze', 'Please Stop'):
        assert begins_with_stop(text, name) or not is_stop(text, name)


@pytest.mark.parametrize(
    'text', ['stop', 'please stop the tower', 'Lucca, halt the sorting', 'no, freeze the arm there']
)
def test_a_text_may_ask_for_a_stop_before_anything_else(text):
    assert begins_with_stop(text)


@pytest.mark.parametrize('text', ['', "don't stop", 'the bus stop', 'build a tower and stop', 'did you stop?'])
def test_a_text_that_begins_with_something_else_does_not(text):
    assert not begins_with_stop(text)


def test_the_words_of_another_text_are_left_out():
    assert without_words('Stop the tower-building, now!', 'tower building') == 'stop the now'


@pytest.mark.parametrize('text', ['e-stop', 'E-STOP!', 'e stop', 'E stop, now!', 'estop now', 'emergency stop'])
def test_an_emergency_stop_is_a_stop(text):
    assert has_stop_word(text)
    assert is_stop(text)


@pytest.mark.parametrize(
    'text',
    [
        'Rosie, stop!',
        'rosie: halt',
        'Rosie May, please stop now',
        'stop',
        'Lucca! Stop.',
        'R2D2, stop!',
        'Rosie. Stop!',
        'Rosie stop',
        'r2-d2 freeze now',
        'Stop, Rosie!',
        'Stop it, R2-D2',
        'e stop',
        'E stop!',
        'C-3PO; halt',
        'Rosie stop!',
        'Rosie freeze.',
        'rosie stop!!!',
        'Rosie stop, please',
        'Rosie e-stop!',
        'Rosie—stop!',
    ],
)
def test_whoever_is_called_a_typed_stop_is_a_stop(text):
    assert is_typed_stop(text)


@pytest.mark.parametrize('text', ['R2D2, stop!', 'Rosie. Stop!', 'C 3PO: halt', 'Thanks. Stop.'])
def test_a_name_may_have_digits_and_end_as_a_sentence(text):
    assert is_typed_stop(text)


@pytest.mark.parametrize(
    'text',
    [
        "don't, stop",
        'stop the tower',
        'Rosie, do not stop',
        'the bus stop',
        "don't stop",
        'Never stop',
        'bus stop',
        'Stop, the tower',
        'Rosie, stop the tower',
        'stop and then go',
        "Rosie, don't stop",
        'Rosie never stop',
        'after you stop',
        'next stop',
        'unless you stop',
        'deep freeze',
    ],
)
def test_what_says_more_is_no_typed_stop(text):
    assert not is_typed_stop(text)


@pytest.mark.parametrize(
    ('text', 'stop', 'rest'),
    [
        ('Stop.', 'Stop.', ''),
        ('Stop. Now!', 'Stop. Now!', ''),
        ('Stop! Give me the pear.', 'Stop!', 'Give me the pear.'),
        ('Oh no, stop, put it down', 'Oh no, stop,', 'put it down'),
        ('Freeze and give me the pear', 'Freeze', 'and give me the pear'),
        ('Put it down. Stop.', '', 'Put it down. Stop.'),
        ('stop the tower', '', 'stop the tower'),
    ],
)
def test_a_stop_ends_where_something_else_is_said(text, stop, rest):
    assert stop_and_rest(text, is_stop) == (stop, rest)


@pytest.mark.parametrize(
    ('text', 'rest'),
    [
        ('No. Stop that thing. Give me the pear.', 'Give me the pear.'),
        ('Cancel that. Thanks.', 'Thanks.'),
        ('Cancel the tower and give me the pear', 'and give me the pear'),
        ('Forget the tower, I would rather have the pear', 'I would rather have the pear'),
        ('Enough. I said stop the tower! Put it in box 1.', 'Put it in box 1.'),
        ('Abort the tower, then cancel the sorting', 'then cancel the sorting'),
        ('Please cancel the tower, please', ''),
        ('Give me the pear. Stop.', ''),
        ('Never move the pear. It is mine.', ''),
    ],
)
def test_what_is_said_behind_a_stop_in_any_words(text, rest):
    assert after_stop(text, 'tower') == rest


@pytest.mark.parametrize('rest', ['', 'Thank you.', 'thanks so much!', 'Sorry, my mistake', 'now, please'])
def test_thanks_behind_a_stop_ask_for_nothing(rest):
    assert not asks_more(rest)


@pytest.mark.parametrize('rest', ['give me the pear', 'Thanks for the pear, and now the cup', 'go on'])
def test_anything_else_behind_a_stop_may_ask_for_more(rest):
    assert asks_more(rest)


@pytest.mark.parametrize('text', ['Stoooop!', 'STPO', 'sotp the arm please', 'freeeeze', 'haaalt now'])
def test_a_stop_word_with_a_slip_of_the_keyboard_is_a_stop(text):
    assert begins_with_stop(text)
    assert has_stop_word(text)


@pytest.mark.parametrize('text', ['stoop', 'spot', 'post', 'a shop', 'salt', 'frieze', "don't stpo"])
def test_another_word_or_a_denied_one_is_none(text):
    assert not begins_with_stop(text)


@pytest.mark.parametrize('text', ['stopp', 'sstop!', 'haltt', 'stp', 'freze', 'stpo'])
def test_a_mistyped_stop_is_a_stop(text: str) -> None:
    assert is_stop(text)


@pytest.mark.parametrize('text', ['stoop', 'top', 'salt', 'shop'])
def test_another_word_is_none(text: str) -> None:
    assert not has_stop_word(text)
