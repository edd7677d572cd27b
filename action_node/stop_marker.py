"""A stop on the disk, so that it outlives the process that was stopped."""

import os
from pathlib import Path

from lucca_core.namespace import own_path

NAME = 'stopped'


class StopMarker:
    """One small file that is there from a stop to the reset after it. For one process, and one thread at a time.

    Args:
        folder: where the file lies; made with the first stop.
        namespace: of the robot. Robots that share the folder have a file each: a reset of one is none of another.
    """

    def __init__(self, folder: Path, namespace: str = '/') -> None:
        self._file = own_path(folder / NAME, namespace)

    @property
    def file(self) -> Path:
        """Where the file is while the robot is stopped."""
        return self._file

    def is_set(self) -> bool:
        """True from `set` to `clear`, in this process or another; what cannot be looked at counts as a stop."""
        try:
            os.lstat(self._file)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True

    def set(self) -> None:
        """Returns when the stop is safe on the disk. A second call does the same again.

        Raises:
            OSError: it could not be written.
        """
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._file.open('w', encoding='utf-8') as file:
            file.write('The robot was stopped. `lucca reset` brings its arms home and removes this file.\n')
            file.flush()
            os.fsync(file.fileno())
        self._sync_folder()

    def clear(self) -> None:
        """Returns when the file is gone for good.

        Raises:
            OSError: it could not be removed.
        """
        try:
            self._file.unlink()
        except FileNotFoundError:
            return
        self._sync_folder()

    def _sync_folder(self) -> None:
        folder = os.open(self._file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
