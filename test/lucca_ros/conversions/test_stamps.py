"""Moments in UTC, to messages and back."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip('rclpy')

from builtin_interfaces.msg import Time

from lucca_ros.conversions.stamps import moment_from_msg, moment_to_msg

pytestmark = pytest.mark.ros

MOMENTS = st.datetimes(datetime(1970, 1, 1, 0, 0, 1), datetime(2037, 12, 31), timezones=st.just(UTC))


@given(MOMENTS)
def test_moments_pass_through_messages_unchanged(moment):
    assert moment_from_msg(moment_to_msg(moment)) == moment
    elsewhere = moment.astimezone(timezone(timedelta(hours=5)))
    assert moment_to_msg(elsewhere) == moment_to_msg(moment)


def test_no_moment_is_zero():
    assert moment_to_msg(None) == Time()
    assert moment_from_msg(Time()) is None
    assert moment_from_msg(Time(sec=1, nanosec=999)) == datetime.fromtimestamp(1, UTC)


@pytest.mark.parametrize('stamp', [Time(sec=-1), Time(sec=1, nanosec=1_000_000_000)])
def test_a_stamp_that_cannot_be_is_refused(stamp):
    with pytest.raises(ValueError, match='a stamp must be from 1970 on'):
        moment_from_msg(stamp)
