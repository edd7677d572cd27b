"""The lock of the state folder: one action node at a time keeps its stop and its prohibitions there."""

import logging
import os
from pathlib import Path

from lucca_core.errors import StackError
from lucca_core.file_lock import cannot_be_locked, lock_at_once
from lucca_core.namespace import absolute, own_path
from lucca_core.regular_file import open_regular

LOCK_FILE = 'action.lock'
"""Not `lock`: that is the one of a data folder, which may be the same folder."""
_LOG = logging.getLogger(__name__)
_MOST_CHARS = 200


class StateLock:
    """A lock on the files of one namespace in a state folder, held until `release` or the end of the process.

    Nodes of one domain and namespace exclude each other already. Those of two domains would share the files, so that
    the reset of one robot would lift the stop that is kept for the other, and each would overwrite the prohibitions of
    the other.

    Args:
        folder: the state folder; created if it is missing.
        namespace: that of the robot.
        who: this process, for the message to another one.

    Raises:
        StackError: another process holds the lock, and the message names it; or the folder's file system has no locks.
    """

    def __init__(self, folder: Path, namespace: str, who: str) -> None:
        self._lock = -1
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = open_regular(own_path(folder / LOCK_FILE, namespace), os.O_RDWR | os.O_CREAT)
        except OSError as error:
            # A stop cannot be kept there either, which each stop says; the arms are held all the same.
            _LOG.warning('the state folder %s cannot be written or locked: %s', folder, error)
            return
        try:
            if not lock_at_once(self._lock):
                holder = os.pread(self._lock, _MOST_CHARS, 0).decode('utf-8', 'replace').strip() or 'a process'
                raise StackError(
                    f'the state folder {folder} is in use by another action node of namespace {absolute(namespace)} '
                    f'({holder}): two robots would share a stop; give each one a LUCCA_STATE_DIR or a namespace of '
                    'its own'
                )
        except OSError as error:
            self.release()
            raise _no_locks(folder, os.strerror(error.errno or 0)) from error
        except StackError:
            self.release()
            raise
        try:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, who.encode()[:_MOST_CHARS], 0)
        except OSError as error:
            _LOG.warning('the lock of the state folder %s does not say who holds it: %s', folder, error)

    def release(self) -> None:
        """Gives up the lock. A second call does nothing."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)


def check_state_folder(folder: Path) -> str:
    """Checks, without leaving a file, that the state folder can be locked, if it can be written. Returns its name.

    Raises:
        StackError: it cannot.
    """
    if why := cannot_be_locked(folder):
        raise _no_locks(folder, why)
    return str(folder)


def _no_locks(folder: Path, why: str) -> StackError:
    return StackError(
        f'the state folder {folder} cannot be locked ({why}), so that nothing keeps a second action node from lifting '
        'the stop of this one; name a folder on a local disk as state_dir or LUCCA_STATE_DIR'
    )
