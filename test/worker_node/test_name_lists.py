"""Answers are read strictly, and every name that was shown can be answered."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lucca_llm.prompt_text import shown_name
from worker_node.name_lists import NoList, read_list


def test_names_are_read_in_order_and_once() -> None:
    read = read_list(' pear, Red  Cube, pear ,unicorn. ', ['red cube', 'pear', 'cup'])
    assert read.names == ('pear', 'red cube')
    assert read.unknown == ('unicorn.',)


@pytest.mark.parametrize('answer', ['none', 'None.', ' NONE \n'])
def test_none_is_an_empty_list(answer: str) -> None:
    assert read_list(answer, ['pear']).names == ()


@pytest.mark.parametrize('answer', ['', ' \n ', 'pear\ncup', 'pear,,cup', 'pear,', 'x' * 10_000_000])
def test_what_is_no_list_is_refused(answer: str) -> None:
    with pytest.raises(NoList, match=r'it (was|had)'):
        read_list(answer, ['pear', 'cup'])


@given(st.lists(st.text(st.characters(exclude_categories=('Cs',)), max_size=12), min_size=1, max_size=5))
def test_any_shown_names_are_read_back(names: list[str]) -> None:
    seen = [shown_name(name) for name in names]
    assume(all(seen) and len({name.casefold() for name in seen}) == len(names))
    assume(not any(name.rstrip('.').casefold() == 'none' or '.' in name for name in seen))
    read = read_list(', '.join(seen), names)
    assert read.names == tuple(names)
    assert read.unknown == ()


@given(st.text(max_size=200))
def test_any_answer_gives_names_that_were_shown_or_is_refused(answer: str) -> None:
    try:
        read = read_list(answer, ['pear', 'red cube'])
    except NoList:
        return
    assert set(read.names) <= {'pear', 'red cube'}
