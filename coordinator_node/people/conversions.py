"""Messages of the memory of people as values, and back."""

from datetime import UTC, datetime, timedelta
from typing import get_args

from builtin_interfaces.msg import Time
from lucca_interfaces.msg import Memory as MemoryMsg
from lucca_interfaces.srv import Meet

from coordinator_node.people.ports import Kind, Memory, Partner

_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
_EPOCH = datetime.fromtimestamp(0, UTC)


def memory_from_msg(msg: MemoryMsg) -> Memory:
    """Something remembered.

    Raises:
        ValueError: a kind that is none.
    """
    if msg.kind not in _KINDS:
        raise ValueError(f'a memory is of kind {", ".join(_KINDS)}, got {msg.kind!r}')
    return Memory(
        kind=_KINDS[msg.kind],
        item_id=msg.id,
        text=msg.text,
        source=msg.source,
        speaker=msg.speaker,
        group=msg.conversation or msg.file,
        time=_time_from_msg(msg.stamp),
        valid_to=_time_from_msg(msg.valid_to),
        partly=bool(msg.partly),
        newer=_time_from_msg(msg.newer),
    )


def partner_from_msg(msg: Meet.Response) -> Partner:
    """Who was met.

    Raises:
        ValueError: as above.
    """
    return Partner(
        name=msg.person if msg.known else '',
        known=bool(msg.known),
        opening=tuple(map(memory_from_msg, msg.opening)),
        current=tuple(map(memory_from_msg, msg.current)),
    )


def _time_from_msg(stamp: Time) -> datetime | None:
    return _EPOCH + timedelta(seconds=stamp.sec, microseconds=stamp.nanosec // 1000) if stamp.sec else None


def time_to_msg(time: datetime) -> Time:
    """A moment in UTC, to the microsecond."""
    microseconds = (time - _EPOCH) // timedelta(microseconds=1)
    return Time(sec=microseconds // 1_000_000, nanosec=microseconds % 1_000_000 * 1000)
