"""Names of lines and nodes that come from outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.item_ids import number_of


@pytest.mark.parametrize(
    'item',
    ['said:', 'said:-1', 'said:1.5', 'said:999999999999999999999999', 'said:' + '9' * 5000, 'said:\u0663', '17', ''],
)
def test_what_names_no_line_has_no_number(item):
    assert number_of(item) is None


@given(st.integers(0, 10**18 - 1))
def test_the_number_of_a_line_is_read(number):
    assert number_of(f'said:{number}') == number
    assert number_of(f'node:{number}', 'node:') == number
    assert number_of(f'node:{number}') is None
