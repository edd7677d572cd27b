"""Keys that hide themselves."""

import copy
import pickle

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ModelRetryable, ModelUnusable
from lucca_llm.servers.ollama_model import OllamaModel
from lucca_llm.servers.secret import SHORTEST_PIECE, RedactingStream, Secret, key_from_environment
from lucca_llm.servers.server_text import quoted

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


LONG = 'sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8x'
keys = st.text(alphabet='abc01-_[]ky', min_size=8, max_size=24)


@st.composite
def texts_of(draw, key):
    """Texts out of pieces of a key and other words, cut and joined anyhow."""
    cut = st.tuples(st.integers(0, len(key)), st.integers(0, len(key))).map(lambda ends: key[min(ends) : max(ends)])
    return draw(st.lists(st.one_of(cut, st.sampled_from(['', ' ', 'ok', '[key]', key[::-1]]), st.text(max_size=4))))


def _shows(text, key):
    pieces = {key[start : start + SHORTEST_PIECE] for start in range(len(key) - SHORTEST_PIECE + 1)}
    return any(piece in text for piece in pieces)


@given(st.data(), keys)
def test_no_piece_of_a_key_is_left_in_a_text(data, key):
    text = ''.join(data.draw(texts_of(key)))
    assert not _shows(Secret(key).hide_in(text), key)


@given(st.data(), keys)
def test_no_piece_of_a_key_is_left_in_a_stream(data, key):
    pieces = data.draw(texts_of(key))
    shown = []
    stream = RedactingStream(Secret(key), shown.append)
    for piece in pieces:
        stream(piece)
    stream.close()
    if '[' not in key:  # of a key that holds the mark, two marks beside each other may be a piece
        assert not _shows(''.join(shown), key)
    if not _shows(''.join(pieces), key):
        assert ''.join(shown) == ''.join(pieces)


def test_a_key_less_its_last_character_is_hidden():
    assert Secret(LONG).hide_in(f'you sent {LONG[:-1]}') == 'you sent [key]'


def test_a_placeholder_takes_no_letters_out_of_words():
    assert Secret('x').hide_in('<move_to_box_1(pear)>') == '<move_to_box_1(pear)>'


def test_what_is_cut_was_hidden_before():
    said = 'a' * 280 + ' ' + LONG
    assert not _shows(quoted(said, Secret(LONG)), LONG)


@pytest.mark.parametrize(
    ('url', 'name', 'sent'),
    [
        ('https://192.0.2.1', 'OLLAMA_API_KEY', True),
        ('http://192.0.2.1', 'OLLAMA_API_KEY', False),
        ('http://127.0.0.1:1', 'OLLAMA_API_KEY', True),
        ('http://192.0.2.1', 'LUCCA_OLLAMA_API_KEY', True),
    ],
)
def test_a_key_of_ollama_goes_to_another_machine_only_where_that_is_safe_or_wanted(
    monkeypatch, url, name, sent, chat, options
):
    monkeypatch.setenv(name, KEY)
    seen = []

    async def note(request):
        seen.append(request.headers.get('authorization', ''))
        raise httpx.ConnectError('seen')

    monkeypatch.setenv('LUCCA_ALLOW_MODEL_REQUESTS', '1')
    model = OllamaModel('m', url)
    model._client._client.event_hooks['request'].append(note)
    with pytest.raises(ModelRetryable):
        model.chat(chat, options)
    assert seen == [f'Bearer {KEY}' if sent else '']
    model.close()
