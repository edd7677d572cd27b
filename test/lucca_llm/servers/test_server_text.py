"""Error messages, retry times and reasoning of servers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_llm.servers.secret import Secret
from lucca_llm.servers.server_text import quoted, retry_after_s, speaks_of_context, without_thinking


@given(st.text(max_size=2000))
def test_a_quote_is_one_bounded_line(text):
    line = quoted(text, Secret(''))
    assert len(line.splitlines()) <= 1
    assert len(line) <= 301


@given(st.text(max_size=40))
def test_no_header_is_misread(text):
    wish_s = retry_after_s({'retry-after': text})
    assert wish_s is None or wish_s >= 0


@pytest.mark.parametrize(('text', 'wish_s'), [('3', 3), ('-3', 0), ('nan', None), ('inf', None), ('', None)])
def test_seconds_to_wait_are_finite_and_not_negative(text, wish_s):
    assert retry_after_s({'retry-after': text}) == wish_s


@pytest.mark.parametrize(
    ('text', 'answer'),
    [
        ('<think>a\nb</think>\n\n<give(pear)>', '<give(pear)>'),
        ('\n<thinking>a</thinking><give(pear)>', '<give(pear)>'),
        ('<give(pear)><think>a</think>', '<give(pear)><think>a</think>'),
        ('<think>never ends', ''),
    ],
)
def test_thoughts_are_dropped_where_they_come_first(text, answer):
    assert without_thinking(text) == answer


def test_a_full_context_is_told_from_other_errors():
    assert speaks_of_context("This model's maximum context length is 8192 tokens.")
    assert speaks_of_context('the request exceeds the available context size, try increasing it')
    assert not speaks_of_context('max_tokens is not supported with this model')
