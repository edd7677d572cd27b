"""A plain video of what the robot's camera sees, without any marks."""

from pathlib import Path

import cv2

from lucca_sim.robot_at_table import RobotAtTable

VIDEO_FILE = 'camera.mp4'
_FRAMES_PER_S = 10.0


class CameraVideo:
    """Adds a picture to a video every `every_s` seconds of simulated time. Call `look` after each sample."""

    def __init__(self, table: RobotAtTable, file: Path, every_s: float = 1.0) -> None:
        self._table = table
        self._every_s = every_s
        self._next_s = 0.0
        size = (table.camera_info.width, table.camera_info.height)
        self._video = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*'mp4v'), _FRAMES_PER_S, size)

    def look(self) -> None:
        """Adds the current picture if one is due."""
        if self._table.time_s >= self._next_s:
            self._next_s = self._table.time_s + self._every_s
            rgb, _ = self._table.render()
            self._video.write(cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR))

    def close(self) -> None:
        """Finishes the file and frees the table's graphics context."""
        self._video.release()
        self._table.close()
