"""How much of a message tells something rather than asks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.retrieval.messages import telling_share


@pytest.mark.parametrize(
    'text',
    [
        'Where do I keep the spare key?',
        'where do I keep the spare key',
        'What did we say about the trip? Which campsites were on the list?',
        'Please tell me what I said about the boat.',
        'Okay, remind me of our plan for Sunday.',
        'gym hours',
        'config.yaml path',
        'v1.2 release notes',
        'I need to know where my key is',
        'I wonder what we said about the trip.',
        'GHA secrets config',
        '',
    ],
)
def test_who_asks_tells_nothing(text):
    assert telling_share(text) == 0


@pytest.mark.parametrize(
    'text',
    [
        "The flights are booked. Let's look at the campsites.",
        'I have sent the letter',
        'We settled on Thursday instead.',
    ],
)
def test_who_goes_on_with_something_tells(text):
    assert telling_share(text) == 1


def test_a_message_may_do_both():
    told = 'My sister is well again.'
    assert telling_share(f'{told} What comes next?') == pytest.approx(len(told) / len(f'{told} What comes next?'))


@given(st.text(max_size=200))
def test_it_is_a_share(text):
    assert 0 <= telling_share(text) <= 1
