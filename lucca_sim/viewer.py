"""A viewer window onto the simulated table."""

import os
from typing import Any

from lucca_sim.robot_at_table import RobotAtTable


def has_display() -> bool:
    """Whether there is a display on which a window can be opened."""
    return bool(os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY'))


class ViewerWindow:
    """MuJoCo's passive viewer, which only shows the state."""

    def __init__(self, table: RobotAtTable) -> None:
        import mujoco.viewer  # loads a window toolkit, which is not always installed

        self._viewer: Any = mujoco.viewer.launch_passive(
            table.model, table.data, show_left_ui=False, show_right_ui=False
        )

    def refresh(self) -> None:
        """Shows the present state, unless the window was closed."""
        if self._viewer.is_running():
            self._viewer.sync()

    def close(self) -> None:
        """Closes the window."""
        self._viewer.close()
