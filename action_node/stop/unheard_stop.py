"""A stop that no action node answered, left on the disk for one that hangs or is about to start again."""

import os
from pathlib import Path

from action_node.stop.stop_marker import StopMarker


class UnheardStop(StopMarker):
    """A file from a stop that nobody answered until the action node carries it out.

    It is for one domain: stacks of several domains may share the folder, and such a stop is for one of them.

    Args:
        folder: folder of the file; created with the first stop.
        namespace: that of the robot.
        domain: the ROS domain.
    """

    _text = 'The robot is to be stopped: no action node answered `lucca stop`.\n'

    def __init__(self, folder: Path, namespace: str, domain: int) -> None:
        super().__init__(folder, namespace, f'unheard-stop-{domain}')

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
