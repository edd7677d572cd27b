"""What tests of the declarative logs share."""

import re
from datetime import UTC, datetime
from pathlib import Path

from lucca_core.protocol.entries import EntryKind
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import TaskLog

NOW = datetime(2026, 3, 9, tzinfo=UTC)
TASK = 'sorting'


def append(log: TaskLog, count: int, note: str = 'pear') -> None:
    for _ in range(count):
        log.append(Entry(kind=EntryKind.RESUMED, note=note, on_table=('pear', 'apple')))


def head_path(log: TaskLog) -> Path:
    return log.path.with_suffix('.head')


def whole_sizes(log: TaskLog) -> list[int]:
    data = log.path.read_bytes()
    return [found.end() for found in re.finditer(rb'Check: [0-9a-f]{8}\n', data)]


def states_of_a_crash(before: tuple[bytes, bytes], after: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """What may be on the disk, as (log, head), if power fails while an entry is appended.

    That is each prefix of what was written and not synced, or zeros in its place.
    """
    (log, head), (log_then, head_then) = before, after
    states = [(log_then[:cut], head) for cut in range(len(log), len(log_then) + 1)]
    states += [(log + bytes(cut - len(log)), head) for cut in range(len(log) + 1, len(log_then) + 1)]
    changed = [at for at in range(len(head)) if head[at] != head_then[at]]
    begin, end = changed[0], changed[-1] + 1
    assert begin // 4096 == end // 4096
    for cut in range(begin, end + 1):
        states.append((log_then, head[:begin] + head_then[begin:cut] + head[cut:]))
        states.append((log_then, head[:begin] + head_then[begin:cut] + bytes(end - cut) + head[end:]))
    return states
