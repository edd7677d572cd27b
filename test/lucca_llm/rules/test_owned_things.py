"""Somebody's things, whatever they are called."""

import pytest
from conversation import ask


@pytest.mark.parametrize('thing', ['duckling', 'lolly', 'apple'])
def test_whose_it_is_is_looked_up_though_it_may_end_like_an_adverb(thing: str) -> None:
    table = f'Objects on the table: {thing} (red), red cube\nIn box 1: none'
    assert ask(f"put Ben's {thing} in box 1", table=table) == f'<recall(Ben {thing})>'


def test_women_s_shoes_are_a_kind_and_the_women_s_shoes_are_somebody_s() -> None:
    table = 'Objects on the table: red shoe, blue shoe, red cube\nIn box 1: none'
    assert '<recall(' not in ask("put women's shoes in box 1", table=table)
    assert ask("put the women's shoes in box 1", table=table) == '<recall(women shoes)>'
