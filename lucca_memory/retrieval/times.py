"""Converting times to integer microseconds since 1970 (UTC), which every database and array can hold."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(time: datetime) -> int:
    """Microseconds since 1970 (UTC), exactly."""
    return (time - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    """The inverse of `microseconds`, in UTC."""
    return _EPOCH + count * _MICROSECOND
