"""What the desk answers as messages, and times from them; `from_msg` refuses bad input by raising ValueError."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from builtin_interfaces.msg import Time
from lucca_interfaces.msg import Memory

from lucca_memory.retrieval.values import Recollection

_EPOCH = datetime.fromtimestamp(0, UTC)


def stamp_to_msg(time: datetime | None) -> Time:
    """A moment in UTC, to the microsecond; 0 where there is none."""
    if time is None:
        return Time()
    microseconds = (time - _EPOCH) // timedelta(microseconds=1)
    return Time(sec=microseconds // 1_000_000, nanosec=microseconds % 1_000_000 * 1_000)


def stamp_from_msg(msg: Time) -> datetime | None:
    """The moment, to the microsecond below; None for 0.

    Raises:
        ValueError: it is before 1970, or its nanoseconds are a second or more.
    """
    if msg.sec < 0 or msg.nanosec >= 1_000_000_000:
        raise ValueError(f'a stamp must be from 1970 on with less than 10^9 ns, got {msg.sec} s and {msg.nanosec} ns')
    if not msg.sec and not msg.nanosec:
        return None
    return _EPOCH + timedelta(seconds=msg.sec, microseconds=msg.nanosec // 1_000)


def memory_to_msg(item: Recollection) -> Memory:
    """Something remembered."""
    first, last = item.lines or (0, 0)
    return Memory(
        kind=item.kind,
        id=item.item_id,
        text=item.text,
        speaker=item.speaker,
        conversation=item.group if item.kind in ('said', 'task') else '',
        stamp=stamp_to_msg(item.time),
        valid_to=stamp_to_msg(item.valid_to),
        partly=item.partly,
        newer=stamp_to_msg(item.newer),
        source=item.source,
        file=item.group if item.kind == 'fact' else '',
        first_line=first,
        last_line=last,
        score=item.score,
        why=list(item.why),
    )


def memories_to_msg(items: Iterable[Recollection]) -> list[Memory]:
    """Several, in order."""
    return [memory_to_msg(item) for item in items]
