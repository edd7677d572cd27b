"""A stop that no action node answered, left on the disk for one that hangs or is about to start again."""

import os
from pathlib import Path

from lucca_core.namespace import own_path
from lucca_core.regular_file import open_regular, sync_folder

_NAME = 'unheard-stop'


class UnheardStop:
    """A file from a stop that nobody answered until the action node carries it out.

    It is for one domain: stacks of several domains may share the folder, and such a stop is for one of them.

    Args:
        folder: folder of the file; created with the first stop.
        namespace: that of the robot.
        domain: the ROS domain.
    """

    def __init__(self, folder: Path, namespace: str, domain: int) -> None:
        self._file = own_path(folder / f'{_NAME}-{domain}', namespace)

    @property
    def file(self) -> Path:
        """The path of the file."""
        return self._file

    def called_ns(self) -> int:
        """When the stop was called for, in ns since 1970; 0 if none waits.

        A file that cannot be checked counts as none: the marker of a stop that was carried out, `StopMarker`, decides
        then.
        """
        try:
            return os.lstat(self._file).st_mtime_ns
        except OSError:
            return 0

    def is_set(self) -> bool:
        """True from `set` until `clear`, in any process; see `called_ns`."""
        return self.called_ns() != 0

    def set(self) -> None:
        """Writes the file and returns when it is safe on the disk.

        Raises:
            OSError: the file could not be written.
        """
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(open_regular(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 'w', encoding='utf-8') as file:
            file.write('The robot is to be stopped: no action node answered `lucca stop`.\n')
            file.flush()
            os.fsync(file.fileno())
        sync_folder(self._file.parent)

    def clear(self) -> None:
        """Removes the file and returns when it is gone for good.

        Raises:
            OSError: the file could not be removed.
        """
        try:
            self._file.unlink()
        except FileNotFoundError:
            return
        sync_folder(self._file.parent)
