"""Limits on the size and number of the log files that ROS writes for each node (`~/.ros/log`, ROS_LOG_DIR)."""

import os
import threading
from collections.abc import Sequence

from rclpy.logging import get_logger, get_logging_directory

from lucca_core.rotating_file import cut_when_long, keep_newest

KEPT = 20
"""Log files kept for each kind of node."""
MOST_BYTES = 5_000_000
_EVERY_S = 5.0


class NodeLogs:
    """The log files of one kind of node: at most KEPT, each with about MOST_BYTES and as much again in a second file.

    They are trimmed in a separate thread, because the folder may hold a hundred thousand files or be on a disk that
    hangs, and a stop must not wait for that.
    """

    def __init__(self, kind: str) -> None:
        self._prefix = f'lucca_{kind}'
        self._ending = threading.Event()
        self._warned = False

    def arguments(self, given: Sequence[str]) -> list[str]:
        """The arguments of a process, with the name of its log file appended unless they already have one."""
        words = list(given)
        if '--log-file-name' in words:
            self._prefix = words[words.index('--log-file-name') + 1]
            return words
        return [*words, '--ros-args', '--log-file-name', self._prefix, '--']

    def start(self) -> None:
        """Trims and removes files now, and then every few seconds until `close`."""
        threading.Thread(target=self._look_after, name='node logs', daemon=True).start()

    def close(self) -> None:
        """Tells the thread to end; does not wait for it."""
        self._ending.set()

    def _look_after(self) -> None:
        self._look()
        while not self._ending.wait(_EVERY_S):
            self._look()

    def _look(self) -> None:
        try:
            folder = get_logging_directory()
            for file in folder.glob(f'{self._prefix}_{os.getpid()}_*.log'):
                cut_when_long(file, MOST_BYTES)
            keep_newest(folder, f'{self._prefix}_*.log', KEPT)
            keep_newest(folder, f'{self._prefix}_*.log.1', KEPT)
        except OSError as error:
            if not self._warned:
                self._warned = True
                get_logger(self._prefix).warning(f'old logs could not be removed: {error}')
