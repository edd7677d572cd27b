"""The stop marker: a file that keeps a stop beyond the end of the process."""

import os
from pathlib import Path

from lucca_core.namespace import own_path
from lucca_core.regular_file import is_absent, open_regular, sync_folder


class StopMarker:
    """A small file that exists from a stop until its reset. For one process, and one thread at a time.

    Args:
        folder: folder of the file; created with the first stop.
        namespace: that of the robot. Robots that share the folder have separate files, so that a reset affects only
            one.
        name: of the file.
    """

    _text = 'The robot was stopped. `lucca reset` brings its arms home and removes this file.\n'

    def __init__(self, folder: Path, namespace: str = '/', name: str = 'stopped') -> None:
        self._file = own_path(folder / name, namespace)

    @property
    def file(self) -> Path:
        """The path of the file."""
        return self._file

    def is_set(self) -> bool:
        """True from `set` until `clear`, in this process or another; a file that cannot be checked counts as a stop."""
        try:
            return not is_absent(self._file)
        except OSError:
            return True

    def set(self) -> None:
        """Writes the file and returns when it is safe on the disk.

        Raises:
            OSError: the file could not be written.
        """
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A pipe in its place would block a plain open, and with it every later stop and reset.
        with open(open_regular(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 'w', encoding='utf-8') as file:
            file.write(self._text)
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
