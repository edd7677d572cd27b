"""A window onto the table, where there is a display."""

import os
from typing import Any

from lucca_sim.robot_at_table import RobotAtTable


def has_display() -> bool:
    """Whether a window can be opened at all."""
    return bool(os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY'))


class Window:
    """MuJoCo's passive viewer; it never moves anything."""

    def __init__(self, table: RobotAtTable) -> None:
        import mujoco.viewer  # loads a window toolkit, which is not everywhere

        self._viewer: Any = mujoco.viewer.launch_passive(
            table.model, table.data, show_left_ui=False, show_right_ui=False
        )

    def refresh(self) -> None:
        """Shows the present state, as long as nobody has closed the window."""
        if self._viewer.is_running():
            self._viewer.sync()

    def close(self) -> None:
        """Closes the window."""
        self._viewer.close()
