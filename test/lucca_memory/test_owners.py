"""A number names a person, or a line, only together with the store that it is of."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lucca_memory.item_ids import (
    is_entry,
    line_of_source,
    owner_of,
    shown_source,
    source_of_entry,
    source_of_line,
)

UIDS = st.text('0123456789abcdef', min_size=32, max_size=32)


@given(UIDS, UIDS, st.integers(1, 2**40))
def test_a_line_is_found_again_in_its_own_store_only(uid: str, other: str, line: int) -> None:
    assume(uid != other)
    assert line_of_source(uid, source_of_line(uid, line)) == line
    assert line_of_source(other, source_of_line(uid, line)) is None
    assert owner_of(uid, line) != owner_of(other, line)
    assert shown_source(source_of_line(uid, line)) == f'said:{line}'


@given(st.text(max_size=40), st.integers(1, 999))
def test_an_entry_is_no_line_whatever_its_task_is_called(task: str, entry: int) -> None:
    source = source_of_entry(task, entry)
    assert is_entry(source)
    assert line_of_source('f' * 32, source) is None
    assert shown_source(source) == source


@pytest.mark.parametrize('source', ['said:17', 'said:x@f', 'said:@f', '17@f', 'said:17@g'])
def test_what_names_no_line_of_the_store_is_none(source: str) -> None:
    assert line_of_source('f', source) is None


def test_guests_own_nothing() -> None:
    with pytest.raises(ValueError, match='guests own nothing'):
        owner_of('f', -3)
