"""The data folder, in which all memory is stored, and the lock that allows one writing worker at a time.

    DATA/format             format of the folder, one line
    DATA/lock               held (flock) by the worker that writes; contains its process id
    DATA/tasks/NAME.log     declarative memory, one file per task; see declarative/log.py
    DATA/tasks/NAME.head    how far the log reaches; see declarative/head.py
    DATA/tasks/NAME.log.torn-TIME, .damaged-TIME   an incomplete last entry or a damaged log, set aside
    DATA/tasks/NAME.log.forgotten-TIME   the log of a forgotten task; see task_forgetting.py
    DATA/taught/NAME.json   tasks taught at run time; see taught_tasks.py
    DATA/taught_tasks.yaml  the same, as earlier versions wrote it
    DATA/memories.json      which of the following should exist; see manifest.py
    DATA/people.sqlite      what people said; see people/
    DATA/network.sqlite     concepts and statements; see semantic/
    DATA/network.id         identity of the network, if it is on a server instead
    DATA/index/, DATA/facts.sqlite   derived; see retrieval/ and facts/
    DATA/backups/           see backup.py

Folders have mode 0700 and files 0600, since memory is private.
"""

import hashlib
import logging
import os
import stat
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from lucca_core.errors import FolderInUseError, MemoryFault
from lucca_core.file_lock import lock_at_once
from lucca_core.regular_file import open_regular, read_regular, replacing, sync_folder
from lucca_memory.declarative.head_check import take_over_logs
from lucca_memory.declarative.signature import LogKey
from lucca_memory.format_number import format_number

FORMAT = 2
"""The newest format that this code reads and writes. Opening a folder of format 1 (logs without heads) converts it."""

INDEX_FOLDER = 'index'
"""Derived files in a data folder: may be deleted at any time, and are not backed up."""

RECORDINGS = 'recordings'
"""Recordings of sessions in a data folder. They are not backed up: forgetting could not reach into an archive."""

_FORMAT_LINE = 'lucca data folder, format '
_LONGEST_NAME = 150
_KEPT_OF_LONG_NAME = 80
_LOOK_S = 0.02

_log = logging.getLogger(__name__)


class DataFolder:
    """An open data folder. Closing it releases the lock."""

    def __init__(self, path: Path, lock: int | None, number: int = FORMAT, log_key: LogKey | None = None) -> None:
        self.path = path
        self.log_key = log_key
        self._lock = lock
        self._format = number

    @classmethod
    def open(cls, path: Path, *, write: bool, log_key: LogKey | None = None) -> Self:
        """Opens the folder. With `write`, creates it if it is missing and takes its lock.

        Args:
            path: the folder.
            write: open for writing.
            log_key: signs and verifies the logs.

        Raises:
            MemoryFault: the folder cannot be created, is locked by another worker, is not a data folder, is missing
                (when reading) or was written by a newer version. The message says what to do.
        """
        if not write:
            return cls(path, None, _format_of(path), log_key)
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_is_ours(path)
            if log_key is not None and not log_key.can_sign:
                raise MemoryFault(f'writing to {path} needs the private key of its logs; the given key is public')
            folder = cls(path, _take_lock(path), log_key=log_key)
        except OSError as error:
            raise MemoryFault(f'data folder {path} cannot be used: {error}') from error
        try:
            folder._prepare()
        except OSError as error:
            folder.close()
            raise MemoryFault(f'data folder {path} cannot be used: {error}') from error
        except BaseException:
            folder.close()
            raise
        return folder

    def _prepare(self) -> None:
        _restrict(self.path)
        known = _format_of(self.path) if os.path.lexists(self.path / 'format') else None
        if known is not None and known < FORMAT:
            take_over_logs(self.tasks_path)
        if known != FORMAT:
            self.write_atomically('format', f'{_FORMAT_LINE}{FORMAT}\n')
        self.tasks_path.mkdir(mode=0o700, exist_ok=True)
        sync_folder(self.path)

    @staticmethod
    def is_in_use(path: Path) -> bool:
        """True while a process holds the folder's write lock."""
        return bool(DataFolder.user_of(path))

    @staticmethod
    def user_of(path: Path) -> str:
        """The process that holds the folder's write lock, in words; empty if there is none."""
        try:
            lock = open_regular(path / 'lock', os.O_RDONLY)
        except OSError:
            return ''
        try:
            # A shared lock, held briefly, so that two processes that check do not see each other.
            return '' if lock_at_once(lock, shared=True) else _holder(lock)
        except OSError:
            return ''  # where nothing can be locked, no worker has opened the folder for writing
        finally:
            os.close(lock)

    @property
    def writable(self) -> bool:
        """True while this object holds the lock."""
        return self._lock is not None

    @property
    def has_heads(self) -> bool:
        """True if the folder's format requires a head for each log."""
        return self._format >= 2

    @property
    def tasks_path(self) -> Path:
        """The folder of the task logs."""
        return self.path / 'tasks'

    def check_lock(self) -> None:
        """Checks that the lock is still held, and that the lock file was not replaced.

        Raises:
            MemoryFault: the lock was lost; nothing may be written any more.
        """
        if self._lock is None:
            raise MemoryFault(f'data folder {self.path} is not open for writing')
        try:
            held, there = os.fstat(self._lock), os.stat(self.path / 'lock')
        except OSError as error:
            raise MemoryFault(f'lock of data folder {self.path} is gone: {error}; restart the worker') from error
        if (held.st_dev, held.st_ino) != (there.st_dev, there.st_ino):
            raise MemoryFault(f'lock of data folder {self.path} was replaced; restart the worker')

    def write_atomically(self, name: str, text: str) -> None:
        """Replaces a file. A crash leaves either the old text or the new text.

        Raises:
            MemoryFault: the file could not be written (disk full, no permission); the old one is unchanged.
        """
        self.check_lock()
        target = self.path / name
        try:
            with replacing(target) as stream:
                stream.write(text.encode('utf-8'))
        except OSError as error:
            raise MemoryFault(f'{target} could not be written: {error}') from error

    def close(self) -> None:
        """Releases the lock; closing twice is harmless."""
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def file_name(name: str) -> str:
    """A file name for any text: at most 255 bytes, and different for different texts.

    Lower-case letters, digits, `-` and `_` are kept; everything else becomes `%` and hexadecimal digits, so that the
    name cannot leave the folder and is safe on case-insensitive file systems. Long names are cut and end with a hash.
    """
    encoded = ''.join(
        chr(byte) if chr(byte) in 'abcdefghijklmnopqrstuvwxyz0123456789-_' else f'%{byte:02x}'
        for byte in name.encode('utf-8', 'surrogatepass')
    )
    if len(encoded) > _LONGEST_NAME:
        digest = hashlib.sha256(encoded.encode()).hexdigest()
        return f'{encoded[:_KEPT_OF_LONG_NAME]}~{digest}'
    return encoded or '%'


LEAST_FREE_MB = 50
"""Below this, whoever uses the folder is warned."""
NEEDED_MB = 5
"""Below this, no stack is started: its memory would fail in the middle of a task."""


def check_room(path: Path, least_free_mb: int = LEAST_FREE_MB) -> int:
    """The free space of a folder, or of the one in which it would be created, in MB.

    Raises:
        MemoryFault: it is less than `least_free_mb`, or the file system is read-only.
        OSError: the folder cannot be looked at.
    """
    usage = os.statvfs(_existing(path))
    if usage.f_flag & os.ST_RDONLY:
        raise MemoryFault(f'the file system of {path} is read-only: mount it for writing')
    free_mb = usage.f_bavail * usage.f_frsize // 2**20
    if free_mb < least_free_mb:
        raise MemoryFault(f'only {free_mb} MB are free for {path}; at least {least_free_mb} MB are needed')
    return free_mb


def _existing(path: Path) -> Path:
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())


def check_folder(path: Path, least_free_mb: int = LEAST_FREE_MB) -> str:
    """Checks, without changing anything, that memory can be stored in a folder; returns a sentence about its state.

    Raises:
        MemoryFault: it cannot; the message says why.
    """
    there = _existing(path)
    if not there.is_dir() or not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        raise MemoryFault(f'{there} is not a folder that this user can write to')
    free_mb = check_room(path, least_free_mb)
    if not path.exists():
        return f'{path} will be created, {free_mb} MB free'
    _check_is_ours(path)
    if os.path.lexists(path / 'format'):
        _format_of(path)
    return f'{path}, {len(list(path.glob("tasks/*.log")))} task logs, {free_mb} MB free'


def _check_is_ours(path: Path) -> None:
    if os.path.lexists(path / 'format') or all(item.name in ('lock', 'format.new') for item in path.iterdir()):
        return
    raise MemoryFault(f'{path} contains other files but no lucca data; choose an empty or new folder as data_dir')


def _format_of(path: Path) -> int:
    try:
        text = read_regular(path / 'format').decode('utf-8')
    except FileNotFoundError as error:
        raise MemoryFault(f'{path} is not a lucca data folder: it has no file "format"') from error
    except (OSError, UnicodeDecodeError) as error:
        raise MemoryFault(f'data folder {path} cannot be read: {error}') from error
    number = format_number(text.strip().removeprefix(_FORMAT_LINE))
    if not text.startswith(_FORMAT_LINE) or number is None:
        raise MemoryFault(f'{path / "format"} should read "{_FORMAT_LINE}{FORMAT}", reads {text[:80]!r}')
    if number > FORMAT:
        raise MemoryFault(
            f'data folder {path} has format {number} of a newer lucca; this one knows {FORMAT}: update lucca'
        )
    return number


def _take_lock(path: Path) -> int:
    lock = open_regular(path / 'lock', os.O_RDWR | os.O_CREAT)
    try:
        _flock(lock, path)
        os.ftruncate(lock, 0)
        os.pwrite(lock, f'{os.getpid()}\n'.encode(), 0)
    except BaseException:
        # If it stayed open, the lock would be held until this process ends.
        os.close(lock)
        raise
    return lock


def _flock(lock: int, path: Path) -> None:
    if not lock_at_once(lock):
        # The lock may be held for a moment by a process that only checks it (is_in_use).
        time.sleep(_LOOK_S)
        if not lock_at_once(lock):
            raise in_use(path, _holder(lock))


def in_use(path: Path, user: str) -> FolderInUseError:
    """The error for a second writer of a data folder; `user` is the first one."""
    return FolderInUseError(
        f'data folder {path} is in use by another worker ({user}); stop it or choose another data_dir'
    )


def _holder(lock: int) -> str:
    return f'process {os.pread(lock, 32, 0).decode("ascii", "replace").strip() or "unknown"}'


def _restrict(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        _log.warning('data folder %s had mode %04o; set to 0700', path, mode)
        path.chmod(0o700)
