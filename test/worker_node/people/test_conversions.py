"""Messages of the desk and back."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip('rclpy')

from builtin_interfaces.msg import Time

from lucca_memory.retrieval.values import Recollection
from worker_node.people.conversions import memories_to_msg, memory_to_msg, stamp_from_msg, stamp_to_msg

pytestmark = pytest.mark.ros

MOMENTS = st.datetimes(datetime(1970, 1, 1, 0, 0, 1), datetime(2037, 12, 31), timezones=st.just(UTC))


@given(MOMENTS)
def test_moments_pass_through_messages_unchanged(moment: datetime) -> None:
    assert stamp_from_msg(stamp_to_msg(moment)) == moment
    elsewhere = moment.astimezone(timezone(timedelta(hours=5)))
    assert stamp_to_msg(elsewhere) == stamp_to_msg(moment)


def test_no_moment_is_zero() -> None:
    assert stamp_to_msg(None) == Time()
    assert stamp_from_msg(Time()) is None
    assert stamp_from_msg(Time(sec=1, nanosec=999)) == datetime.fromtimestamp(1, UTC)


@pytest.mark.parametrize('stamp', [Time(sec=-1), Time(sec=1, nanosec=1_000_000_000)])
def test_a_stamp_that_cannot_be_is_refused(stamp: Time) -> None:
    with pytest.raises(ValueError, match='a stamp must be from 1970 on'):
        stamp_from_msg(stamp)


def test_a_line_and_a_fact_say_where_they_are_from() -> None:
    said = Recollection(
        kind='said',
        item_id='said:17',
        text='I like tea.',
        source='Anna, 2026-03-02 09:00',
        score=1.5,
        why=('words', 'meaning'),
        speaker='Anna',
        time=datetime(2026, 3, 2, 9, tzinfo=UTC),
        group='c1',
    )
    fact = Recollection(
        kind='fact', item_id='fact:a/gym.md:3', text='Open.', source='a/gym.md:3-4', group='a/gym.md', lines=(3, 4)
    )
    one, other = memories_to_msg([said, fact])
    assert one == memory_to_msg(said)
    assert (one.kind, one.id, one.text, one.speaker, one.conversation) == (
        'said',
        'said:17',
        'I like tea.',
        'Anna',
        'c1',
    )
    assert (one.source, one.score, list(one.why), one.file, one.first_line) == (
        said.source,
        1.5,
        ['words', 'meaning'],
        '',
        0,
    )
    assert stamp_from_msg(one.stamp) == said.time
    assert (other.file, other.first_line, other.last_line, other.conversation) == ('a/gym.md', 3, 4, '')
    assert other.stamp == Time()


def test_what_no_longer_holds_says_since_when() -> None:
    over = datetime(2026, 3, 5, 9, tzinfo=UTC)
    item = Recollection(kind='said', item_id='said:1', text='x', source='Anna', valid_to=over, partly=True)
    [msg] = memories_to_msg([item])
    assert (stamp_from_msg(msg.valid_to), msg.partly) == (over, True)
    assert stamp_from_msg(msg.newer) is None


def test_what_may_be_outdated_says_when_something_newer_was_said() -> None:
    newer = datetime(2026, 3, 5, 9, tzinfo=UTC)
    [msg] = memories_to_msg([Recollection(kind='said', item_id='said:1', text='x', source='Anna', newer=newer)])
    assert stamp_from_msg(msg.newer) == newer
    assert stamp_from_msg(msg.valid_to) is None
