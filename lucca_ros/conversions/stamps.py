"""Conversions of time stamps: to seconds of the ROS clock, and to datetimes in UTC."""

import math
from datetime import UTC, datetime, timedelta

from builtin_interfaces.msg import Time

from lucca_ros.conversions.conversion import Field

_EPOCH = datetime.fromtimestamp(0, UTC)


def time_to_msg(stamp_s: float) -> Time:
    """Converts seconds to a ROS time stamp, rounded to the nanosecond as far as a float can hold it."""
    seconds = math.floor(stamp_s)
    nanoseconds = round((stamp_s - seconds) * 1e9)
    if nanoseconds == 1_000_000_000:
        seconds, nanoseconds = seconds + 1, 0
    return Time(sec=seconds, nanosec=nanoseconds)


def time_from_msg(msg: Time) -> float:
    """Converts a ROS time stamp to seconds."""
    return float(msg.sec) + msg.nanosec / 1e9  # divided, because a float cannot hold 1e-9 exactly


def moment_to_msg(moment: datetime | None) -> Time:
    """Converts a datetime to a stamp, to the microsecond; None becomes 0."""
    if moment is None:
        return Time()
    microseconds = (moment - _EPOCH) // timedelta(microseconds=1)
    return Time(sec=microseconds // 1_000_000, nanosec=microseconds % 1_000_000 * 1_000)


def moment_from_msg(msg: Time) -> datetime | None:
    """Converts a stamp to a datetime in UTC, rounded down to the microsecond; 0 becomes None.

    Raises:
        ValueError: it is before 1970, or its nanoseconds are a second or more.
    """
    if msg.sec < 0 or msg.nanosec >= 1_000_000_000:
        raise ValueError(f'a stamp must be from 1970 on with less than 10^9 ns, got {msg.sec} s and {msg.nanosec} ns')
    if not msg.sec and not msg.nanosec:
        return None
    return _EPOCH + timedelta(seconds=msg.sec, microseconds=msg.nanosec // 1_000)


def seconds(value_name: str) -> Field:
    """A field that holds a ROS time stamp; in the value, it is in seconds."""
    return Field(time_to_msg, time_from_msg, value_name)


def moment(value_name: str = '') -> Field:
    """A field of a message with a moment in UTC, or 0 for none. In the value, it is a datetime or None."""
    return Field(moment_to_msg, moment_from_msg, value_name)
