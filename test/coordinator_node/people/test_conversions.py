from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip('rclpy')

from builtin_interfaces.msg import Time
from lucca_interfaces.msg import Memory as MemoryMsg
from lucca_interfaces.srv import Meet

from coordinator_node.people.conversions import memory_from_msg, partner_from_msg, time_to_msg
from coordinator_node.people.ports import Memory, Partner


def test_a_memory_comes_over_whole():
    msg = MemoryMsg(
        kind='said',
        id='said:17',
        text='My boat is called Petrel.',
        speaker='Ana',
        conversation='cli-1',
        stamp=Time(sec=1_790_000_000, nanosec=250_000_000),
        source='Ana, 2026-09-21 14:13',
    )
    assert memory_from_msg(msg) == Memory(
        kind='said',
        item_id='said:17',
        text='My boat is called Petrel.',
        source='Ana, 2026-09-21 14:13',
        speaker='Ana',
        group='cli-1',
        time=datetime.fromtimestamp(1_790_000_000.25, UTC),
    )


def test_a_fact_has_no_time_and_belongs_to_its_file():
    fact = memory_from_msg(MemoryMsg(kind='fact', id='fact:a.md:3', file='a.md', source='a.md:3'))
    assert (fact.group, fact.time) == ('a.md', None)


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(ValueError, match="got 'order'"):
        memory_from_msg(MemoryMsg(kind='order'))


def test_who_is_not_known_has_no_name_whatever_the_message_says():
    assert partner_from_msg(Meet.Response(person='Ana', known=False)) == Partner()
    assert partner_from_msg(Meet.Response(person='Ana', known=True)).name == 'Ana'


@given(st.datetimes(datetime(1970, 1, 2), datetime(2037, 1, 1)))
def test_a_time_is_exact_to_the_microsecond(naive):
    time = naive.replace(tzinfo=UTC)
    msg = time_to_msg(time)
    assert memory_from_msg(MemoryMsg(kind='said', stamp=msg)).time == time


def test_what_no_longer_holds_says_since_when():
    msg = MemoryMsg(kind='statement', id='node:4', valid_to=Time(sec=1_790_000_000), partly=True)
    memory = memory_from_msg(msg)
    assert (memory.kind, memory.valid_to, memory.partly) == (
        'statement',
        datetime.fromtimestamp(1_790_000_000, UTC),
        True,
    )
    assert memory_from_msg(MemoryMsg(kind='said', id='said:1')).valid_to is None


def test_what_may_be_outdated_says_when_something_newer_was_said():
    memory = memory_from_msg(MemoryMsg(kind='said', id='said:1', newer=Time(sec=1_790_000_000)))
    assert memory.newer == datetime.fromtimestamp(1_790_000_000, UTC)
    assert memory.valid_to is None
    assert memory_from_msg(MemoryMsg(kind='said', id='said:1')).newer is None
