"""A name is found however it is written, and never as a part of another word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.people.name_eraser import NameEraser


@pytest.mark.parametrize(
    ('name', 'text', 'left'),
    [
        ('王小明', '王小明喜欢茶。', 'somebody喜欢茶。'),
        ('さくら', '昨日さくらが来た。', '昨日somebodyが来た。'),
        ('สมชาย', 'วันนี้สมชายมา', 'วันนี้somebodyมา'),
        ("O'Brien", 'O’Brien likes tea, OʼBRIEN too.', 'somebody likes tea, somebody too.'),
        ('Jean-Luc', 'Jean‑Luc and jean–luc', 'somebody and somebody'),
        ('D’Angelo', "d'angelo called", 'somebody called'),
        ('Anna\\', 'Anna\\ called', 'somebody called'),
    ],
)
def test_a_name_is_found_in_other_signs_and_in_scripts_without_spaces(name, text, left):
    assert NameEraser(name).clean(text) == left


@pytest.mark.parametrize(
    ('name', 'text'),
    [
        ('Anna', 'Hannah and Annas'),
        ('明', '明天见。'),
        ('Jean-Luc', 'Jean Luc'),
        ('Anna', 'Annä'),
        ('Дарья', 'Дарьяна'),
    ],
)
def test_other_words_stay(name, text):
    assert NameEraser(name).clean(text) == text


@given(st.text(min_size=1, max_size=12), st.text(max_size=30), st.text(max_size=30))
def test_what_was_cleaned_has_no_name_left(name, before, after):
    eraser = NameEraser(name)
    text = f'{before} {name} {after}'
    cleaned = eraser.clean(text)
    assert not eraser.occurs_in(cleaned) or eraser.occurs_in('somebody')
    assert eraser.count_in(cleaned) == 0 or eraser.occurs_in('somebody')
