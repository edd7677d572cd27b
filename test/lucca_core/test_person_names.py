"""Names of people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.person_names import MOST_NAME_CHARS, check_name


@pytest.mark.parametrize(
    'name', ['Anna', 'Jean-Luc', "O'Neil", 'José', '王伟', 'محمد', 'Nguyễn Văn An', 'Dr. Ada (Bob)', 'R2-D2']
)
def test_real_names_are_accepted(name):
    assert check_name(f'  {name}\n') == name


def test_two_spellings_of_one_name_become_one():
    assert check_name('Jose\u0301') == check_name('Jos\u00e9')
    assert check_name('Anna   Lena') == 'Anna Lena'


@pytest.mark.parametrize(
    ('name', 'reason'),
    [
        ('', 'needs a letter or a digit'),
        ('...', 'needs a letter or a digit'),
        ('x' * 81, 'at most 80 characters, got 81'),
        ('x' * 2_000_000, 'at most 80 characters, got 2000000'),
        ('An\u200bna', 'must not hold an invisible character such as U\\+200B'),
        ('\u202eannA', 'must not hold an invisible character such as U\\+202E'),
        ('An\x1bna', 'must not hold a control character such as U\\+001B'),
        ('An\ud800na', 'must not hold a control character such as U\\+D800'),
        ('An\u3164na', 'such as U\\+3164'),
        ('An\ufe0fna', 'such as U\\+FE0F'),
        ('<stop()>', "must not hold '<'"),
        ('a' + '\u0300' * 9, 'at most 3 accents on a letter'),
    ],
)
def test_a_bad_name_is_refused_with_its_reason(name, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        check_name(name)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


@given(st.text(max_size=100))
def test_a_checked_name_is_its_own_normal_form(name):
    try:
        checked = check_name(name)
    except ValueError:
        return
    assert check_name(checked) == checked
    assert checked.isprintable()
    assert 0 < len(checked) <= MOST_NAME_CHARS
