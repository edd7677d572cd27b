"""The edit distance of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.edit_distance import edit_distance

WORDS = st.text('abc', max_size=6)


@pytest.mark.parametrize(
    ('a', 'b', 'edits'), [('teh', 'the', 1), ('stak', 'stack', 1), ('gren', 'grey', 1), ('ca', 'abc', 3), ('', 'ab', 2)]
)
def test_a_swap_of_neighbours_is_one_edit(a: str, b: str, edits: int) -> None:
    assert edit_distance(a, b) == edits


@given(WORDS, WORDS)
def test_it_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert edit_distance(a, b) == edit_distance(b, a)
    assert (edit_distance(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= edit_distance(a, b) <= max(len(a), len(b))
