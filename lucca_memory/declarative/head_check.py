"""Checks that a log and its head agree: states that a crash may leave are repaired, everything else is damage.

The order of writing limits what a crash can leave: a head is created before its log, and an entry is written before the
head that counts it. So at most one complete entry is newer than the head, and an incomplete entry can only be the last.
"""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_core.regular_file import read_regular, sync_folder
from lucca_memory.declarative.blocks import ParsedLog, header_check, parse_log
from lucca_memory.declarative.head import SUFFIX, Head, HeadFile, Slots
from lucca_memory.declarative.signature import LogKey, entry_message, head_message

_SIGNED = 'signed by the key of the logs'


@dataclass(frozen=True, slots=True)
class HeadVerdict:
    """Result for a log that may be continued.

    Attributes:
        head: what its head should contain.
        odd: a sentence about something that a crash cannot explain, although no entry was lost; usually empty.
        kept: the slot that agrees with the log, if any.
    """

    head: Head
    odd: str = ''
    kept: Head | None = None


def check(
    parsed: ParsedLog, there: bool, slots: Slots | None, task: str, name: str, *, in_use: bool = False
) -> HeadVerdict:
    """Compares a log with its head.

    Args:
        parsed: the log; empty if there is none.
        there: the log file exists.
        slots: of its head; None if there is no head file.
        task: name of the task.
        name: of the file, for error messages.
        in_use: another process may be writing the log, so the end after the counted entries may be incomplete.

    Raises:
        LogDamagedError: written entries are missing, or that cannot be ruled out; the message says what to do.
    """
    count = len(parsed.entries)
    head = replace(head_of(parsed), task=header_check(task))
    if slots is None and not there:
        return HeadVerdict(head)
    known = slots.newest if slots is not None else None
    if known is None:
        what = 'is not there' if slots is None else 'cannot be read'
        if parsed.torn or not parsed.checks:
            raise _damaged(
                name, task, count, f'its head {what}, and its own end cannot be read: one entry may be lost, or many'
            )
        return HeadVerdict(head, f'its head {what}; missing entries at the end of the log cannot be detected')
    assert slots is not None
    other, epoch = slots.other, known.epoch
    if other is not None and other.epoch != known.epoch and not _reaches(parsed, known) and _reaches(parsed, other):
        # The log was about to be rewritten but was not.
        known, epoch = other, epoch + 1
    head = replace(head, epoch=epoch)
    if not _reaches(parsed, known):
        raise _damaged(name, task, count, _what_is_missing(parsed, there, known))
    newer = count - known.count
    if in_use:
        return HeadVerdict(head, kept=known)
    if parsed.torn and newer:
        raise _damaged(name, task, count, f'its head counts {known.count} entries, and what follows {count} is torn')
    if parsed.torn and slots.is_damaged:
        raise _damaged(name, task, count, f'a part of its head cannot be read, and what follows entry {count} is torn')
    if newer > 1:
        return HeadVerdict(head, f'its head counts only {known.count} of {count} entries', known)
    if slots.is_damaged and not newer:
        return HeadVerdict(head, 'a part of its head cannot be read', known)
    return HeadVerdict(head, kept=known)


def check_signed(parsed: ParsedLog, data: bytes, kept: Head | None, key: LogKey, task: str, name: str) -> None:
    """Verifies the signatures of a log: the head's for the entries it counts, the entries' own for newer ones.

    Args:
        parsed: the log.
        data: its bytes.
        kept: the slot of its head that agrees with it; None if there is none.
        key: public or private.
        task: name of the task.
        name: of the file, for error messages.

    Raises:
        LogDamagedError: a signature is wrong or missing; names the first such entry.
    """
    count = len(parsed.entries)
    if kept is None and not parsed.checks:
        return
    if kept is not None and not key.is_signed(head_message(kept, data), kept.signature):
        raise _damaged(name, task, count, f'its head, or what it counts, is not {_SIGNED}')
    # Without a head, the last entry's signature covers everything before it.
    for number in range(kept.count if kept is not None else max(count - 1, 0), max(count, 1)):
        size, signature = parsed.signatures[number] if number < count else (0, '')
        if count and not key.is_signed(entry_message(hashlib.sha256(data[:size]).digest()), signature):
            raise _damaged(name, task, count, f'entry {number + 1} is not {_SIGNED}')


def head_of(parsed: ParsedLog) -> Head:
    """The head that a log should have, as far as the log can be read."""
    count = len(parsed.entries)
    size, check = (parsed.size, parsed.check) if count else (0, 0)
    return Head(task=parsed.checks[0] if parsed.checks else 0, count=count, size=size, check=check)


def take_over_logs(tasks_path: Path) -> None:
    """Creates the missing heads of logs written before heads were introduced. Damaged or newer logs are left alone.

    Raises:
        OSError, MemoryFault: a log cannot be read, or its head cannot be written.
    """
    if not tasks_path.exists():
        return
    for path in sorted(tasks_path.glob('*.log')):
        try:
            parsed = parse_log(read_regular(path), str(path))
            if not parsed.checks:
                # Not even its first entry was ever acknowledged.
                path.replace(path.with_name(f'{path.name}.torn-before-heads'))
                continue
            HeadFile(path, parsed.task).make(head_of(parsed))
        except MemoryFault:
            continue
        except OSError as error:
            raise MemoryFault(f'{path} could not be given a head: {error}') from error
    sync_folder(tasks_path)


def settle_copies(tasks_path: Path) -> None:
    """Makes logs and heads agree that were copied during writing: incomplete writes are cut off, damage is kept.

    Raises:
        OSError, MemoryFault: one cannot be read or written.
    """
    for path in sorted(tasks_path.glob('*.log')):
        if not path.with_suffix(SUFFIX).exists():
            continue
        try:
            parsed = parse_log(data := read_regular(path), str(path))
            file = HeadFile(path, parsed.task)
            verdict = check(parsed, True, file.read(), parsed.task, path.name, in_use=True)
        except LogDamagedError:
            continue
        if verdict.kept is not None and verdict.kept.signature:
            # Without the key, nothing beyond the copied head can be signed.
            path.write_bytes(data[: verdict.kept.size or parsed.ends[0]])
            continue
        if parsed.torn:
            path.write_bytes(data[: parsed.size])
        file.make(verdict.head)


def way_out(task: str) -> str:
    """What to do about a damaged log."""
    return f'check it with: lucca log {_quoted(task)} --verify; continue with what can be read of it: --accept'


def _reaches(parsed: ParsedLog, head: Head) -> bool:
    """True if the log contains exactly what the head counts."""
    if len(parsed.entries) < head.count:
        return False
    return not head.count or (parsed.checks[head.count] == head.check and parsed.ends[head.count] == head.size)


def _what_is_missing(parsed: ParsedLog, there: bool, head: Head) -> str:
    count = len(parsed.entries)
    if not there:
        return f'the file is missing; it had {head.count} entries'
    if count < head.count:
        torn = f', and what follows entry {count} is torn' if parsed.torn else ''
        return (
            f'entries {count + 1} to {head.count} are missing at its end{torn}'
            if head.count - count > 1
            else (f'entry {head.count}, its last one, is {"damaged" if parsed.torn else "missing"}')
        )
    return f'entry {head.count} is not the one that was written: the file was replaced by another log'


def _damaged(name: str, task: str, count: int, what: str) -> LogDamagedError:
    readable = f'{count} entries can be read' if count else 'no entry can be read'
    return LogDamagedError(f'{name}: {what}; {readable}; {way_out(task)}')


def _quoted(task: str) -> str:
    return repr(task[:80])
