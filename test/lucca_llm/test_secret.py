"""Keys that show themselves nowhere."""

import copy
import pickle

import pytest

from lucca_core.errors import ModelUnusable
from lucca_llm.secret import Secret, key_from_environment

KEY = 'sk-0123456789'


def test_no_text_form_or_copy_shows_the_key():
    secret = Secret(KEY)
    assert KEY not in f'{secret} {secret!r} {[secret]} {copy.copy(secret).reveal()} {pickle.dumps(secret)!r}'
    assert secret.reveal() == KEY


def test_a_key_is_taken_out_of_text_and_an_empty_one_takes_out_nothing():
    assert Secret(KEY).hide_in(f'bad {KEY}!') == 'bad [key]!'
    assert Secret('').hide_in('bad') == 'bad'


def test_a_key_is_found_in_what_an_error_came_from():
    error = KeyError('outer')
    error.__cause__ = ValueError(KEY)
    assert Secret(KEY).is_in(error)
    assert not Secret('other').is_in(error)
    assert not Secret('').is_in(error)


def test_the_first_variable_that_is_set_holds_the_key(monkeypatch):
    monkeypatch.setenv('A', ' \n')
    monkeypatch.setenv('B', f' {KEY}\n')
    assert key_from_environment(('A', 'B')).reveal() == KEY
    assert not key_from_environment(('A', 'C'))


@pytest.mark.parametrize('value', ['two words', 'ümlaut-key', 'bell\a'])
def test_a_key_that_no_header_can_carry_is_refused_unseen(monkeypatch, value):
    monkeypatch.setenv('A', value)
    with pytest.raises(ModelUnusable, match='A holds characters') as caught:
        key_from_environment(('A',))
    assert value not in repr(caught.value)
