"""Estimated tokens of texts."""

from hypothesis import given
from hypothesis import strategies as st

from lucca_llm.limits.tokens import MESSAGE_OVERHEAD, estimate_prompt_tokens, estimate_tokens
from lucca_llm.model import Message

texts = st.text(max_size=200)


def test_nothing_costs_nothing():
    assert estimate_tokens('') == 0


def test_english_prose_costs_about_what_tokenizers_say():
    text = 'The robot puts the yellow banana into the first box, and then it waits for the next instruction.'
    assert 18 <= estimate_tokens(text) <= 26  # 19 to 21 with common tokenizers


@given(texts, texts)
def test_a_text_made_longer_by_a_line_costs_more(one, other):
    assert estimate_tokens(f'{one}\n{other}') >= estimate_tokens(one)


@given(texts)
def test_an_estimate_is_bounded_by_the_characters(text):
    assert 0 <= estimate_tokens(text) <= len(text)


@given(st.lists(texts, max_size=5))
def test_a_chat_costs_its_messages_and_their_frames(contents):
    messages = [Message('user', content) for content in contents]
    expected = sum(estimate_tokens(content) + MESSAGE_OVERHEAD for content in contents)
    assert estimate_prompt_tokens(messages) == expected


def test_few_texts_are_kept_since_a_prompt_is_long() -> None:
    assert estimate_tokens.cache_parameters()['maxsize'] <= 1_000
