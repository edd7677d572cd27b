"""Locks on files (flock), which tell a file that another process has locked from one that cannot be locked."""

import contextlib
import errno
import fcntl
import os
import tempfile
from pathlib import Path

_HELD = (errno.EAGAIN, errno.EACCES)
"""What is answered where another process holds the lock. Network file systems make `flock` a lock of fcntl(2), for which
POSIX allows either."""


def lock_at_once(descriptor: int, *, shared: bool = False) -> bool:
    """Locks an open file without waiting; it is freed when the file is closed. Returns False if another process holds it.

    An exclusive lock needs a file that is open for writing, and a shared one a file that is open for reading: network
    file systems refuse others.

    Raises:
        OSError: the file cannot be locked at all (ENOLCK, EOPNOTSUPP, ...).
    """
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True


def cannot_be_locked(folder: Path) -> str:
    """Why files in a folder, or where it would be created, cannot be locked; empty if they can, or nothing can be
    written there. Leaves no file."""
    there = next(part for part in (folder.absolute(), *folder.absolute().parents) if part.exists())
    with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=there) as file:
        try:
            lock_at_once(file.fileno())
        except OSError as error:
            return os.strerror(error.errno or 0)
    return ''
