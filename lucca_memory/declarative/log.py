"""Task logs: one append-only file per task that never loses an acknowledged entry.

An entry is appended as text (blocks.py) in one write and synced before it is acknowledged; then its head (head.py)
counts it and is synced too. So a crash can leave at most one unacknowledged piece at the end, which is set aside, never
guessed at. Any other failed check, or a counted entry that is missing, means that the log was changed from outside,
and is an error (head_check.py).
"""

import contextlib
import errno
import hashlib
import logging
import os
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_core.regular_file import new_file, open_regular, read_regular, reading, sync_folder
from lucca_memory.aside_names import free_ending
from lucca_memory.data_folder import DataFolder, file_name
from lucca_memory.declarative.blocks import ParsedLog, entry_block, header_check, header_of, parse_log
from lucca_memory.declarative.entry import Entry, entry_to_text
from lucca_memory.declarative.head import SUFFIX, Head, HeadFile
from lucca_memory.declarative.head_check import HeadVerdict, check, check_signed, head_of, way_out
from lucca_memory.declarative.replay import LogReplay, TaskLogState
from lucca_memory.declarative.signature import KEY_VARIABLE, entry_message, head_message_of

_READS = 2
"""How often a log is read again when another process may just have opened or closed it."""

_AGAIN_S = 0.02

FORGOTTEN = 'forgotten'
"""Part of the file names of logs of forgotten tasks."""

_log = logging.getLogger(__name__)


def log_text(data_dir: Path, task: str) -> str:
    """The log of a task as text; needs no lock.

    Raises:
        LogDamagedError: the log fails its checks.
        MemoryFault: the folder or the log does not exist or cannot be read.
    """
    with DataFolder.open(data_dir, write=False) as folder:
        return ''.join(f'{entry_to_text(entry)}\n' for entry in existing_log(folder, task).entries)


def utc_now() -> datetime:
    """Wall time, for entries."""
    return datetime.now(UTC)


class TaskLog:
    """The log of one task, open for reading and, in a folder that holds the lock, for appending.

    Not thread-safe.
    """

    def __init__(self, folder: DataFolder, task: str, now: Callable[[], datetime] = utc_now) -> None:
        """Reads the log. In a writable folder an incomplete end is set aside and cut off, and the head updated.

        Raises:
            LogDamagedError: entries fail their check or are missing, or the file holds the log of another task.
            MemoryFault: the file cannot be read, or was written by a newer version.
        """
        self.task = task
        self.path = log_path(folder, task)
        self._folder = folder
        self._now = now
        self._broken = ''
        self._head_file = HeadFile(self.path, task)
        try:
            data, parsed, verdict = self._read_until_still()
        except OSError as error:
            raise MemoryFault(f'{self.path} cannot be read: {error}') from error
        self._entries = list(parsed.entries)
        self._check, self._size = parsed.check, parsed.size
        self._digest = hashlib.sha256(data[: parsed.size])
        self._head = self._signed(verdict.head)
        self._replay = LogReplay(self._entries)
        self.torn = parsed.torn
        self.odd = verdict.odd
        """A sentence about something that a crash cannot explain, although no entry was lost; usually empty."""
        if verdict.odd:
            _log.warning('%s: %s', self.path, verdict.odd)
        if folder.writable:
            self._settle(parsed, verdict)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first."""
        return tuple(self._entries)

    @property
    def state(self) -> TaskLogState:
        """`replay` of the entries."""
        return self._replay.state

    def last(self, count: int) -> tuple[Entry, ...]:
        """The newest entries, at most `count`, oldest first."""
        return tuple(self._entries[-count:]) if count > 0 else ()

    def append(self, entry: Entry, tell: Callable[[str], None] = lambda _: None) -> Entry:
        """Writes an entry; returns it with its number and time once it is synced to the disk. `tell` takes its text.

        Raises:
            MemoryFault: it could not be written (disk full, lock lost, no permission); the log is unchanged.
        """
        if self._broken:
            raise MemoryFault(self._broken)
        self._folder.check_lock()
        numbered = replace(entry, entry_id=len(self._entries) + 1, time=self._now())
        before = b'' if self._size else header_of(self.task)
        sign = self._signing(before)
        text = entry_to_text(numbered)
        block, own = entry_block(text, self._check if self._size else header_check(self.task), sign)
        written = before + block
        try:
            self._write(written)
        except OSError as error:
            raise MemoryFault(f'{self.path} could not be written: {error}; nothing was recorded') from error
        self._digest.update(written)
        head = self._signed(replace(self._head, count=numbered.entry_id, size=self._size + len(written), check=own))
        self._write_head(head)
        self._entries.append(numbered)
        self._check, self._size, self._head = own, head.size, head
        self._replay.add(numbered)
        tell(text)
        return numbered

    def _read_until_still(self) -> tuple[bytes, ParsedLog, HeadVerdict]:
        """The log and its verdict; read again if a writer may have been seen halfway."""
        for left in reversed(range(_READS)):
            try:
                return self._read()
            except LogDamagedError:
                if self._folder.writable or not left:
                    raise
                if DataFolder.is_in_use(self._folder.path):
                    time.sleep(_AGAIN_S)
        raise AssertionError('not reached')

    def _read(self) -> tuple[bytes, ParsedLog, HeadVerdict]:
        # The head first: a concurrent writer can then only add entries that it does not count yet.
        slots = self._head_file.read() if self._folder.has_heads else None
        try:
            data, there = read_regular(self.path), True
        except FileNotFoundError:
            data, there = b'', False
        parsed = _parsed(data, self.path, self.task)
        if not self._folder.has_heads:
            return data, parsed, HeadVerdict(head_of(parsed))
        in_use = not self._folder.writable and DataFolder.is_in_use(self._folder.path)
        verdict = check(parsed, there, slots, self.task, str(self.path), in_use=in_use)
        key = self._folder.log_key
        if key is not None and (there or slots is not None):
            check_signed(parsed, data, verdict.kept, key, self.task, str(self.path))
        elif verdict.kept is not None and verdict.kept.signature and self._folder.writable and key is None:
            raise LogDamagedError(
                f'{self.path} is signed, but no key is given; set log_key or {KEY_VARIABLE}, or continue without '
                f'signatures: lucca log {self.task[:80]!r} --accept'
            )
        return data, parsed, verdict

    def _settle(self, parsed: ParsedLog, verdict: HeadVerdict) -> None:
        try:
            if parsed.torn:
                keep_aside(self.path, parsed.torn, 'torn', self._now())
                with open(open_regular(self.path, os.O_RDWR), 'r+b') as stream:
                    stream.truncate(self._size)
                    os.fsync(stream.fileno())
            if self._head_file.exists or parsed.checks:
                self._head_file.settle(self._head, verdict.kept)
        except OSError as error:
            raise MemoryFault(f'{self.path} and its head could not be made to agree: {error}') from error

    def _write(self, block: bytes) -> None:
        """Appends to the file, unless it has grown since it was read.

        Raises:
            MemoryFault: another process has changed it.
            OSError: the block is not on the disk; any part of it has been removed again.
        """
        if not self._head_file.exists:
            # Before the log: a log without a head would mean that the head was lost.
            self._head_file.make(self._head)
        how = os.O_WRONLY | os.O_APPEND | (os.O_CREAT | os.O_EXCL if not self._size and not self.path.exists() else 0)
        # Opened for each entry: cheap compared with the sync, and there may be more tasks than file descriptors.
        descriptor = open_regular(self.path, how)
        try:
            if os.fstat(descriptor).st_size != self._size:
                raise MemoryFault(f'{self.path} was changed by another process; restart the worker to read it again')
            try:
                written = os.write(descriptor, block)
                if written != len(block):
                    full = os.strerror(errno.ENOSPC)
                    raise OSError(errno.ENOSPC, f'{full}: only {written} of {len(block)} bytes were taken')
                os.fsync(descriptor)
                if not self._size:
                    # The file may be new: its folder has to hold it before the entry counts.
                    sync_folder(self.path.parent)
            except OSError:
                self._take_back(descriptor)
                raise
        finally:
            os.close(descriptor)

    def _signing(self, before: bytes) -> Callable[[bytes], str] | None:
        """The signing function for the entry after these bytes; None without a private key."""
        key = self._folder.log_key
        if key is None or not key.can_sign:
            return None
        digest = self._digest.copy()
        digest.update(before)

        def sign(text: bytes) -> str:
            digest.update(text)
            return key.sign(entry_message(digest.digest()))

        return sign

    def _signed(self, head: Head) -> Head:
        key = self._folder.log_key
        if key is None or not key.can_sign or not self._folder.writable:
            return head
        return replace(head, signature=key.sign(head_message_of(head, self._digest.digest())))

    def _write_head(self, head: Head) -> None:
        """Counts a synced entry. After a failure the head may or may not count it, so the entry cannot be removed."""
        try:
            self._head_file.write(head)
        except OSError as error:
            self._broken = (
                f'{self._head_file.path} could not be written: {error}; restart the worker to find out '
                f'whether entry {head.count} was recorded'
            )
            raise MemoryFault(self._broken) from error

    def _take_back(self, descriptor: int) -> None:
        """Cuts off what a failed write may have left; if that fails too, the log refuses further writes."""
        try:
            if os.fstat(descriptor).st_size > self._size:
                os.ftruncate(descriptor, self._size)
                os.fsync(descriptor)
        except OSError as error:
            self._broken = f'{self.path} could not be restored after a failed write: {error}; restart the worker'


class LogStore:
    """The logs of a data folder, opened on first use."""

    def __init__(self, folder: DataFolder, now: Callable[[], datetime] = utc_now) -> None:
        self._folder = folder
        self._now = now
        self._logs: dict[str, TaskLog] = {}

    def log(self, task: str) -> TaskLog:
        """The log of a task; its file is created with the first entry.

        Raises:
            LogDamagedError, MemoryFault: see TaskLog.
        """
        if task not in self._logs:
            self._logs[task] = TaskLog(self._folder, task, self._now)
        return self._logs[task]

    def set_aside(self, task: str) -> Path | None:
        """Renames the log of a task, so that the next entry begins a new one; returns the new path, None without a log.

        Raises:
            MemoryFault: it could not be renamed.
        """
        self._folder.check_lock()
        path = log_path(self._folder, task)
        ending = free_ending((path, path.with_suffix(SUFFIX)), f'.{FORGOTTEN}-{self._now():%Y%m%dT%H%M%S.%fZ}')
        aside = None
        try:
            # The head first: a head without a log is damage, a log without a head is not.
            for item in (path.with_suffix(SUFFIX), path):
                if item.exists():
                    moved = item.rename(item.with_name(item.name + ending))
                    aside = moved if item == path else aside
                    sync_folder(path.parent)
        except OSError as error:
            raise MemoryFault(f'{path} could not be set aside: {error}') from error
        finally:
            self._logs.pop(task, None)
        return aside

    def tasks(self) -> tuple[str, ...]:
        """The names of all tasks that have a log, sorted. Logs without a readable header are left out."""
        names = set()
        for path in self._folder.tasks_path.glob('*.log'):
            with contextlib.suppress(MemoryFault, OSError):
                if task := task_in(path):
                    names.add(task)
        return tuple(sorted(names))


def log_path(folder: DataFolder, task: str) -> Path:
    """The path of a task's log."""
    return folder.tasks_path / f'{file_name(task)}.log'


def existing_log(folder: DataFolder, task: str) -> TaskLog:
    """The log of a task, which must exist.

    Raises:
        LogDamagedError: it fails its checks.
        MemoryFault: it does not exist or cannot be read.
    """
    path = log_path(folder, task)
    if not os.path.lexists(path) and not os.path.lexists(path.with_suffix(SUFFIX)):
        known = ', '.join(LogStore(folder).tasks()) or 'none'
        raise MemoryFault(f'there is no log of {task[:80]!r} in {folder.path}; logs: {known}')
    return TaskLog(folder, task)


def keep_aside(path: Path, data: bytes, why: str, now: datetime) -> Path:
    """Saves bytes of a log in a file beside it; returns its path.

    Raises:
        OSError: it could not be written.
    """
    ending = free_ending((path,), f'.{why}-{now:%Y%m%dT%H%M%S.%fZ}')
    aside = path.with_name(path.name + ending)
    with new_file(aside) as stream:
        stream.write(data)
    sync_folder(aside.parent)
    return aside


def _parsed(data: bytes, path: Path, task: str) -> ParsedLog:
    try:
        parsed = parse_log(data, str(path))
    except LogDamagedError as error:
        raise LogDamagedError(f'{error}; {way_out(task)}') from error
    if parsed.checks and parsed.task != task:
        raise LogDamagedError(
            f'{path} should be the log of {task[:80]!r}, is that of {parsed.task[:80]!r}; {way_out(task)}'
        )
    return parsed


def task_in(path: Path) -> str:
    """The task name in a log's header; empty if the header is incomplete.

    Raises:
        LogDamagedError, MemoryFault, OSError: it cannot be read.
    """
    with reading(path) as stream:
        start = b''.join(stream.readline() for _ in range(3))
    return parse_log(start, str(path)).task
