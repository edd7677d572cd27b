"""A message that arrives at several subscriptions is one stop, and whatever is in doubt is a further stop."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_node.stop.stop_copies import COPY_S, Arrival, StopCopies

FIRST = Arrival(subscription=1, sent_ns=10**18, received_ns=10**18 + 200_000)


def after(first: Arrival) -> StopCopies:
    copies = StopCopies()
    assert not copies.is_copy(first)
    copies.note(first)
    return copies


def test_a_message_is_a_copy_once_for_each_further_subscription() -> None:
    copies = after(FIRST)
    for subscription in (2, 3):
        again = replace(FIRST, subscription=subscription, received_ns=FIRST.received_ns + subscription * 10**6)
        assert copies.is_copy(again)
        assert not copies.is_copy(again), 'a subscription delivers a message once'


@pytest.mark.parametrize(
    'other',
    [
        FIRST,
        replace(FIRST, subscription=2, sent_ns=FIRST.sent_ns + 1),
        replace(FIRST, subscription=2, received_ns=0),
        replace(FIRST, subscription=2, received_ns=FIRST.received_ns + int((COPY_S + 0.1) * 1e9)),
        replace(FIRST, subscription=2, received_ns=FIRST.received_ns - int((COPY_S + 0.1) * 1e9)),
    ],
    ids=['the same subscription', 'sent later', 'no time of arrival', 'much later', 'much earlier'],
)
def test_whatever_is_in_doubt_is_a_further_stop(other: Arrival) -> None:
    assert not after(FIRST).is_copy(other)


@pytest.mark.parametrize('unknown', [replace(FIRST, sent_ns=0), replace(FIRST, received_ns=0)])
def test_a_message_without_times_has_no_copies(unknown: Arrival) -> None:
    assert not after(unknown).is_copy(replace(unknown, subscription=2))
    assert not after(unknown).is_copy(replace(FIRST, subscription=2))


def test_a_stop_that_was_not_carried_out_has_no_copies() -> None:
    copies = StopCopies()
    assert not copies.is_copy(FIRST)
    assert not copies.is_copy(replace(FIRST, subscription=2))


@given(order=st.permutations([(word, subscription) for word in range(40) for subscription in (1, 2, 3)]))
def test_in_whatever_order_they_arrive_the_first_of_each_message_is_a_stop(order: list[tuple[int, int]]) -> None:
    copies, stopped = StopCopies(), set()
    for word, subscription in order:
        arrival = Arrival(subscription, FIRST.sent_ns + word, FIRST.received_ns + word)
        copy = copies.is_copy(arrival)
        assert not copy or word in stopped
        if not copy:
            copies.note(arrival)
            stopped.add(word)
    assert len(stopped) == 40
