"""JSON from outside is read, or refused with a ValueError."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.json_text import parse_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_what_json_wrote_is_read(value):
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize('bracket', ['[', '{"a":'])
def test_brackets_without_end_are_a_value_error(bracket):
    with pytest.raises(ValueError, match='nests too deeply'):
        parse_json(bracket * 100_000)


@pytest.mark.parametrize('text', ['', '{', 'nul', b'\xff', '"\x00"'])
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the json module says
        parse_json(text)
