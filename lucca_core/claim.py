"""Claims: file locks that allow one stack, and one node of each kind, per domain and namespace on this machine.

The kernel frees a lock when its process ends. The lock files are always in /tmp, whatever TMPDIR is, so that all users
of the machine find the same ones. They are never removed, because another process may be about to lock them.
"""

import contextlib
import errno
import os
import re
import socket
import time
from datetime import datetime
from pathlib import Path

from lucca_core.errors import AlreadyRunningError, StackError
from lucca_core.file_lock import lock_at_once
from lucca_core.namespace import absolute, own_path

FOLDER = Path('/tmp')  # noqa: S108 - the names in it are lucca's, and links are not followed
STACK = 'stack'
"""The kind claimed by anything that starts nodes, such as `lucca up` and launch files."""
EXIT_ALREADY_RUNNING = 75
"""Exit status of a node that was refused because another one is running. Restarting it would not help."""

_MOST_CHARS = 200
_LOOKS = 5
_LOOK_S = 0.02
_PROCESS = re.compile(r'process (\d+) on ([^ ,]+),')
"""The beginning of `this_process`."""
_LOCK = re.compile(r'lucca-(?P<domain>[0-9]{1,3})(?P<rest>(-[A-Za-z][A-Za-z0-9_]*)*)\.[a-z]+\.lock')


def domain_id() -> int:
    """The ROS domain, `ROS_DOMAIN_ID`; 0 if it is not set.

    Raises:
        StackError: `ROS_DOMAIN_ID` is not a number.
    """
    text = os.environ.get('ROS_DOMAIN_ID') or '0'
    if not (text.isascii() and text.isdigit()):
        raise StackError(f'ROS_DOMAIN_ID must be a number from 0 to 232, got {text!r}')
    return int(text)


def this_process() -> str:
    """A description of this process, shown to other processes that want the same claim."""
    return f'process {os.getpid()} on {socket.gethostname()}, since {datetime.now().astimezone():%Y-%m-%d %H:%M:%S}'


def already_running(kind: str, domain: int, namespace: str, who: str) -> AlreadyRunningError:
    """The error for a second stack, or a second node of a kind."""
    what = 'a stack' if kind == STACK else f'the node {kind}'
    return AlreadyRunningError(
        f'{what} already runs in domain {domain}, namespace {absolute(namespace)}: {who}; end it first, or choose '
        'another ROS_DOMAIN_ID or namespace'
    )


class Claim:
    """A claim of one kind in a domain and namespace, held until `release` or the end of the process.

    Raises:
        AlreadyRunningError: another process on this machine holds the claim; the message names it.
        StackError: the lock file cannot be used.
    """

    def __init__(self, kind: str, domain: int, namespace: str) -> None:
        file = _file(kind, domain, namespace)
        try:
            self._lock = _open(file)
            try:
                while True:
                    if not _locked(self._lock):
                        raise already_running(kind, domain, namespace, _holder(self._lock))
                    if os.fstat(self._lock).st_nlink:
                        break
                    # A clean-up of /tmp removed the file in the meantime, and the next process would lock a different
                    # one.
                    self.release()
                    self._lock = _open(file)
                os.ftruncate(self._lock, 0)
                os.pwrite(self._lock, this_process().encode()[:_MOST_CHARS], 0)
            except BaseException:
                self.release()
                raise
        except OSError as error:
            raise StackError(f'the lock file {file} cannot be used: {error.strerror}') from error

    def release(self) -> None:
        """Gives up the claim. A second call does nothing."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)


def holder(kind: str, domain: int, namespace: str) -> str:
    """The process on this machine that holds a claim; empty if there is none."""
    try:
        lock = os.open(_file(kind, domain, namespace), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return ''
    try:
        # A shared lock, so that two processes that check at the same time do not block each other.
        return '' if lock_at_once(lock, shared=True) else _holder(lock)
    finally:
        os.close(lock)


def environment_of(kind: str, domain: int, namespace: str) -> dict[str, str] | None:
    """The environment with which the holder of a claim was started; None if there is no holder.

    A relative `LUCCA_STATE_DIR` is resolved in the folder in which the process works.

    Raises:
        OSError: it cannot be read, for example because the process belongs to another user.
    """
    if (process := _folder_of(kind, domain, namespace)) is None:
        return None
    entries = (process / 'environ').read_bytes().decode('utf-8', 'surrogateescape').split('\0')
    environment = dict(entry.split('=', 1) for entry in entries if '=' in entry)
    if (folder := environment.get('LUCCA_STATE_DIR', '')) and not folder.startswith('~'):
        environment['LUCCA_STATE_DIR'] = str((process / 'cwd').readlink() / folder)
    return environment


def owner_of(kind: str, domain: int, namespace: str) -> tuple[int, int] | None:
    """User and group, by number, of the holder of a claim; None if there is no holder.

    Raises:
        OSError: as `environment_of`.
    """
    if (process := _folder_of(kind, domain, namespace)) is None:
        return None
    known = os.stat(process)
    return known.st_uid, known.st_gid


def _folder_of(kind: str, domain: int, namespace: str) -> Path | None:
    """The folder in /proc of the holder of a claim; None if there is no holder."""
    named = _PROCESS.match(holder(kind, domain, namespace))
    if named is None:
        return None
    process = Path('/proc', named.group(1))
    if named.group(2) != socket.gethostname() or not _has_open(process, _file(kind, domain, namespace)):
        raise OSError(errno.ESRCH, 'it runs in another container')
    return process


def _has_open(process: Path, file: Path) -> bool:
    """Whether a process, by its folder in /proc, has a file open. One in a container may have the number of another.

    Raises:
        OSError: it cannot be found out.
    """
    wanted = os.stat(file)
    for entry in (process / 'fd').iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed in the meantime
            if os.path.samestat(os.stat(entry), wanted):
                return True
    return False


def holders_everywhere(kind: str) -> list[tuple[int, str]]:
    """Domain and namespace of every claim of a kind that a process on this machine holds."""
    found = []
    for file in sorted(FOLDER.glob(f'lucca-*.{kind}.lock')):
        if name := _LOCK.fullmatch(file.name):
            domain, namespace = int(name['domain']), absolute(name['rest'].replace('-', '/'))
            if holder(kind, domain, namespace):
                found.append((domain, namespace))
    return found


def _file(kind: str, domain: int, namespace: str) -> Path:
    return own_path(FOLDER / f'lucca-{domain}', namespace).with_suffix(f'.{kind}.lock')


def _open(file: Path) -> int:
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    while True:
        with contextlib.suppress(FileNotFoundError):
            # Without O_CREAT: in a sticky folder such as /tmp, Linux refuses it for another user's file.
            return os.open(file, flags)
        with contextlib.suppress(FileExistsError):
            made = os.open(file, flags | os.O_CREAT | os.O_EXCL, 0o600)
            os.fchmod(made, 0o666)
            return made


def _locked(lock: int) -> bool:
    for _ in range(_LOOKS):
        if lock_at_once(lock):
            return True
        # Another process may hold the lock for a moment, in `holder`.
        time.sleep(_LOOK_S)
    return False


def _holder(lock: int) -> str:
    return os.pread(lock, _MOST_CHARS, 0).decode('utf-8', 'replace').strip() or 'a process that is just starting'
