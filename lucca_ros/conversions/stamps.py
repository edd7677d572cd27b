"""Conversions of time stamps: seconds of the ROS clock, and datetimes in UTC."""

import math
from datetime import UTC, datetime, timedelta

from builtin_interfaces.msg import Time

from lucca_ros.conversions.conversion import Field

_EPOCH = datetime.fromtimestamp(0, UTC)


def time_to_msg(stamp_s: float) -> Time:
    """Seconds as a ROS time stamp, to the nanosecond that a float holds."""
    seconds = math.floor(stamp_s)
    nanoseconds = round((stamp_s - seconds) * 1e9)
    if nanoseconds == 1_000_000_000:
        seconds, nanoseconds = seconds + 1, 0
    return Time(sec=seconds, nanosec=nanoseconds)


def time_from_msg(msg: Time) -> float:
    """A ROS time stamp in seconds."""
    return float(msg.sec) + msg.nanosec / 1e9  # divided, for 1e-9 is no number of a float


def moment_to_msg(moment: datetime | None) -> Time:
    """A moment in UTC, to the microsecond; 0 where there is none."""
    if moment is None:
        return Time()
    microseconds = (moment - _EPOCH) // timedelta(microseconds=1)
    return Time(sec=microseconds // 1_000_000, nanosec=microseconds % 1_000_000 * 1_000)


def moment_from_msg(msg: Time) -> datetime | None:
    """The moment, to the microsecond below; None for 0.

    Raises:
        ValueError: it is before 1970, or its nanoseconds are a second or more.
    """
    if msg.sec < 0 or msg.nanosec >= 1_000_000_000:
        raise ValueError(f'a stamp must be from 1970 on with less than 10^9 ns, got {msg.sec} s and {msg.nanosec} ns')
    if not msg.sec and not msg.nanosec:
        return None
    return _EPOCH + timedelta(seconds=msg.sec, microseconds=msg.nanosec // 1_000)


def seconds(value_name: str) -> Field:
    """A field that holds a ROS time stamp; seconds in the value."""
    return Field(time_to_msg, time_from_msg, value_name)


def moment(value_name: str = '') -> Field:
    """A field that holds a moment in UTC, or 0; a datetime or None in the value."""
    return Field(moment_to_msg, moment_from_msg, value_name)
