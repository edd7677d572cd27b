"""Locks on files (flock), which tell a file that another process has locked from one that cannot be locked."""

import contextlib
import errno
import fcntl
import os
import tempfile
from pathlib import Path

_HELD = (errno.EAGAIN, errno.EACCES)
"""What is answered where another process holds the lock. Network file systems make of `flock` a lock of fcntl(2), for
which POSIX allows either."""


def lock_at_once(descriptor: int, *, shared: bool = False) -> bool:
    """Locks an open file without waiting, until it is closed. Returns False if another process holds the lock.

    The file has to be open for writing, or for a shared lock for reading: network file systems refuse others.

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
    """Why files in a folder, or where it would be created, cannot be locked. Leaves no file.

    Empty if they can, or if nothing can be written there.
    """
    with contextlib.suppress(OSError):
        # Below a folder that may not be searched, `exists` raises PermissionError.
        there = next(part for part in (folder.absolute(), *folder.absolute().parents) if part.exists())
        with tempfile.TemporaryFile(dir=there) as file:
            try:
                lock_at_once(file.fileno())
            except OSError as error:
                return os.strerror(error.errno or 0)
    return ''
