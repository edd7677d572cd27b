"""The lock of the state folder: one action node at a time keeps its stop and its prohibitions there."""

import fcntl
import logging
import os
from pathlib import Path

from lucca_core.errors import StackError
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
        StackError: another process holds the lock; the message names it.
    """

    def __init__(self, folder: Path, namespace: str, who: str) -> None:
        self._lock = -1
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = open_regular(own_path(folder / LOCK_FILE, namespace), os.O_RDWR | os.O_CREAT)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._lock, _MOST_CHARS, 0).decode('utf-8', 'replace').strip() or 'a process'
            self.release()
            raise StackError(
                f'the state folder {folder} is in use by another action node of namespace {absolute(namespace)} '
                f'({holder}): two robots would share a stop; give each one a LUCCA_STATE_DIR or a namespace of its own'
            ) from error
        except OSError as error:
            # A stop cannot be kept there either, which each stop says; the arms are held all the same.
            _LOG.warning('the state folder %s cannot be locked: %s', folder, error)
            self.release()
            return
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
