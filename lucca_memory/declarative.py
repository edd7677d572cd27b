"""Declarative memory: one log file a task, in which nothing that was acknowledged is ever lost.

A log is text: a header with the task's true name, then entries (entry.py), each closed by a check line over its text
and the check before it. It is only ever appended to, in one write, and synced before anybody is told. So a crash can
leave at most one unacknowledged piece at the end: that piece is set aside, never guessed at. Anything else that fails
its check was changed by somebody or something else, and is an error.
"""

import contextlib
import errno
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_core.regular_file import new_file, open_regular, read_regular, reading, sync_folder
from lucca_memory.data_folder import DataFolder, file_name
from lucca_memory.entry import Entry, entry_from_text, entry_to_text
from lucca_memory.escaping import escape_line, unescape
from lucca_memory.replay import TaskLogState, advance, replay

FORMAT = 1

FORGOTTEN = 'forgotten'
"""In the names of logs whose tasks were forgotten."""

_HEADER = 'Declarative log of lucca, format '
_TASK = 'Task: '
_CHECK = b'Check: '


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """What the bytes of a log hold: the complete entries, and the torn piece after them (usually empty)."""

    task: str
    entries: tuple[Entry, ...]
    torn: bytes
    check: int
    size: int
    """Bytes of header and complete entries."""


def header_of(task: str) -> bytes:
    """The first block of a task's log."""
    return _closed(f'{_HEADER}{FORMAT}\n{_TASK}{escape_line(task)}\n', 0)[0]


def entry_block(entry: Entry, check: int) -> tuple[bytes, int]:
    """The bytes by which an entry is appended after a block with this check, and its own check."""
    return _closed(f'\n{entry_to_text(entry)}', check)


def parse_log(data: bytes, name: str) -> ParsedLog:
    """The complete entries of a log's bytes.

    Args:
        data: the whole file.
        name: what errors call it.

    Raises:
        LogDamagedError: a block before the end fails its check, or the last one was changed; names entry and line.
        MemoryFault: the log was written by a newer version.
    """
    task: str | None = None
    entries: list[Entry] = []
    check, start, line = 0, 0, 1
    while start < len(data):
        closing = _check_line(data, start)
        what = 'the header' if task is None else f'entry {len(entries) + 1}'
        if closing is None and _is_single(data[start:]):
            return ParsedLog(task or '', tuple(entries), data[start:], check, start)
        at, end = closing or (len(data), len(data))
        text, written = data[start:at], data[at + len(_CHECK) : end - 1]
        computed = zlib.crc32(text, check)
        if written != b'%08x' % computed:
            if b'\0' in text and end == len(data) and _is_single(text):
                # After a power cut a file system may leave zeros where the last write should be.
                return ParsedLog(task or '', tuple(entries), data[start:], check, start)
            raise LogDamagedError(
                f'{name}: {what} (line {line}) fails its check: it or what stood before it was changed after writing; '
                f'move the file away to begin a new log'
            )
        check = computed
        try:
            if task is None:
                task = _task_of(text.decode('utf-8'), name)
            else:
                entries.append(_entry_of(text.decode('utf-8'), len(entries) + 1))
        except ValueError as error:
            raise LogDamagedError(f'{name}: {what} (line {line}) cannot be read: {error}') from error
        line += data.count(b'\n', start, end)
        start = end
    return ParsedLog(task or '', tuple(entries), b'', check, start)


def log_text(data_dir: Path, task: str) -> str:
    """The log of a task as it stands in a data folder, for people; needs no lock.

    Raises:
        LogDamagedError: the log fails its checks.
        MemoryFault: the folder or the log is not there or cannot be read.
    """
    with DataFolder.open(data_dir, write=False) as folder:
        path = folder.tasks_path / f'{file_name(task)}.log'
        if not path.exists():
            known = ', '.join(LogStore(folder).tasks()) or 'none'
            raise MemoryFault(f'there is no log of {task[:80]!r} in {data_dir}; logs: {known}')
        return ''.join(f'{entry_to_text(entry)}\n' for entry in TaskLog(folder, task).entries)


def utc_now() -> datetime:
    """Wall time, for entries."""
    return datetime.now(UTC)


class TaskLog:
    """The log of one task, open for reading and, in a folder that holds the lock, for appending.

    Not thread-safe: whoever writes serialises.
    """

    def __init__(self, folder: DataFolder, task: str, now: Callable[[], datetime] = utc_now) -> None:
        """Reads the log. In a writable folder a torn tail is set aside and cut off.

        Raises:
            LogDamagedError: entries before the tail fail their check, or the file holds the log of another task.
            MemoryFault: the file cannot be read, or is of a newer version.
        """
        self.task = task
        self.path = folder.tasks_path / f'{file_name(task)}.log'
        self._folder = folder
        self._now = now
        self._broken = ''
        try:
            data = read_regular(self.path)
        except FileNotFoundError:
            data = b''
        except OSError as error:
            raise MemoryFault(f'{self.path} cannot be read: {error}') from error
        parsed = parse_log(data, str(self.path))
        if parsed.size and parsed.task != task:
            raise LogDamagedError(f'{self.path} should be the log of {task[:80]!r}, is that of {parsed.task[:80]!r}')
        self._entries = list(parsed.entries)
        self._check, self._size = parsed.check, parsed.size
        self._state = replay(self._entries)
        self.torn = parsed.torn
        if parsed.torn and folder.writable:
            self._set_aside(parsed.torn)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first."""
        return tuple(self._entries)

    @property
    def state(self) -> TaskLogState:
        """`replay` of the entries."""
        return self._state

    def last(self, count: int) -> tuple[Entry, ...]:
        """The newest entries, at most `count`, oldest first."""
        return tuple(self._entries[-count:]) if count > 0 else ()

    def append(self, entry: Entry) -> Entry:
        """Writes an entry, and returns it with its number and time once it is safe on the disk.

        Raises:
            MemoryFault: it is not (disk full, lock lost, no right); the log is as it was before.
        """
        if self._broken:
            raise MemoryFault(self._broken)
        self._folder.check_lock()
        numbered = replace(entry, entry_id=len(self._entries) + 1, time=self._now())
        block, check = entry_block(numbered, self._check)
        if self._size == 0:
            header = header_of(self.task)
            block, check = entry_block(numbered, int(header[-9:-1], 16))
            block = header + block
        try:
            self._write(block)
        except OSError as error:
            raise MemoryFault(f'{self.path} could not be written: {error}; nothing was recorded') from error
        self._entries.append(numbered)
        self._check, self._size = check, self._size + len(block)
        self._state = advance(self._state, numbered)
        return numbered

    def _write(self, block: bytes) -> None:
        """Appends to the file that is there under this name, if it has nothing that is not known.

        Raises:
            MemoryFault: somebody else has changed it.
            OSError: the block is not safe on the disk; what was written of it has been taken back.
        """
        created = self._size == 0 and not self.path.exists()
        how = os.O_WRONLY | os.O_APPEND | (os.O_CREAT | os.O_EXCL if created else 0)
        # Opened for each entry: it costs little beside the sync, and there may be more tasks than open files allowed.
        descriptor = open_regular(self.path, how)
        try:
            if os.fstat(descriptor).st_size != self._size:
                raise MemoryFault(f'{self.path} was changed by somebody else; restart the worker to read it anew')
            try:
                written = os.write(descriptor, block)
                if written != len(block):
                    raise OSError(errno.ENOSPC, f'only {written} of {len(block)} bytes were taken')
                os.fsync(descriptor)
            except OSError:
                self._take_back(descriptor)
                raise
        finally:
            os.close(descriptor)
        if created:
            sync_folder(self.path.parent)

    def _take_back(self, descriptor: int) -> None:
        """Cuts off what a failed write may have left; where that fails too, nothing more is written."""
        try:
            if os.fstat(descriptor).st_size > self._size:
                os.ftruncate(descriptor, self._size)
                os.fsync(descriptor)
        except OSError as error:
            self._broken = f'{self.path} could not be restored after a failed write: {error}; restart the worker'

    def _set_aside(self, torn: bytes) -> None:
        stamp = self._now().strftime('%Y%m%dT%H%M%S.%fZ')
        aside = self.path.with_name(f'{self.path.name}.torn-{stamp}')
        try:
            with new_file(aside) as stream:
                stream.write(torn)
            sync_folder(aside.parent)
            with open(open_regular(self.path, os.O_RDWR), 'r+b') as stream:
                stream.truncate(self._size)
                os.fsync(stream.fileno())
        except OSError as error:
            raise MemoryFault(f'the torn tail of {self.path} could not be set aside: {error}') from error


class LogStore:
    """The logs of a data folder, opened when first asked for."""

    def __init__(self, folder: DataFolder, now: Callable[[], datetime] = utc_now) -> None:
        self._folder = folder
        self._now = now
        self._logs: dict[str, TaskLog] = {}

    def log(self, task: str) -> TaskLog:
        """The log of a task; without a file it is empty, and made by its first entry.

        Raises:
            LogDamagedError, MemoryFault: as TaskLog.
        """
        if task not in self._logs:
            self._logs[task] = TaskLog(self._folder, task, self._now)
        return self._logs[task]

    def set_aside(self, task: str) -> Path | None:
        """Takes the log of a task out of use: it stays in the folder under another name, which is returned; None if there is
        none. The next entry begins a new log.

        Raises:
            MemoryFault: it could not be done.
        """
        self._folder.check_lock()
        path = self._folder.tasks_path / f'{file_name(task)}.log'
        ending = f'.{FORGOTTEN}-{self._now():%Y%m%dT%H%M%S.%fZ}'
        try:
            beside = [item for item in path.parent.glob(f'{path.name}.*') if not _is_aside(item.name, path.name)]
            # What is told of the log goes first: a log alone is whole, what is told of none is not.
            for item in (*sorted(beside), *([path] if path.exists() else [])):
                item.rename(item.with_name(f'{item.name}{ending}'))
            sync_folder(path.parent)
        except OSError as error:
            raise MemoryFault(f'{path} could not be set aside: {error}') from error
        finally:
            self._logs.pop(task, None)
        aside = path.with_name(f'{path.name}{ending}')
        return aside if aside.exists() else None

    def tasks(self) -> tuple[str, ...]:
        """The tasks that have a log, by their true names, sorted. Logs without a readable header are left out."""
        names = set()
        for path in self._folder.tasks_path.glob('*.log'):
            with contextlib.suppress(MemoryFault, OSError):
                if task := _task_in(path):
                    names.add(task)
        return tuple(sorted(names))


def _is_aside(name: str, log: str) -> bool:
    return name.startswith((f'{log}.torn-', f'{log}.{FORGOTTEN}-')) or f'.{FORGOTTEN}-' in name


def _task_in(path: Path) -> str:
    with reading(path) as stream:
        head = b''.join(stream.readline() for _ in range(3))
    return parse_log(head, str(path)).task


def _closed(text: str, check: int) -> tuple[bytes, int]:
    body = text.encode('utf-8')
    own = zlib.crc32(body, check)
    return b'%s%s%08x\n' % (body, _CHECK, own), own


def _check_line(data: bytes, start: int) -> tuple[int, int] | None:
    """Where the check line of the block that begins at `start` begins and ends; None if it is not whole."""
    at = data.find(b'\n' + _CHECK, start)
    end = data.find(b'\n', at + 1)
    return None if at < 0 or end < 0 else (at + 1, end + 1)


def _is_single(piece: bytes) -> bool:
    """True if no second entry begins in a piece: a crash tears one at most, so two are damage."""
    return piece.find(b'\nEntry ', 1) < 0


def _task_of(text: str, name: str) -> str:
    lines = text.split('\n')
    if len(lines) != 3 or not lines[0].startswith(_HEADER) or not lines[1].startswith(_TASK):
        raise ValueError(f'it should begin with "{_HEADER}{FORMAT}" and "{_TASK}NAME"')
    number = int(lines[0].removeprefix(_HEADER))
    if number > FORMAT:
        raise MemoryFault(f'{name} has format {number} of a newer lucca; this one knows {FORMAT}: update lucca')
    return unescape(lines[1].removeprefix(_TASK))


def _entry_of(text: str, expected_id: int) -> Entry:
    if not text.startswith('\n'):
        raise ValueError('an empty line should stand before it')
    entry = entry_from_text(text[1:])
    if entry.entry_id != expected_id:
        raise ValueError(f'it should have number {expected_id}, has {entry.entry_id}')
    return entry
