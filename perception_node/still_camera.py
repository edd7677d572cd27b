"""Notices a camera that sends the same picture again and again, with new stamps, while the robot moves in it."""

import numpy as np

from lucca_core.errors import PerceptionError
from perception_node.camera import Floats
from perception_node.detector import Image, Mask

MOVED_SHARE = 0.005
"""Share of the picture that the robot must have uncovered or covered anew, for a true picture to have changed."""

SURE_S = 0.05
"""Largest distance in time to a measurement of the joints at which it is known where the robot is in the picture."""
_FIRST_ROWS = 48


class StillCamera:
    """Compares each frame with the last one that differed. Not thread-safe.

    A picture that is the same bit by bit says nothing if nothing moved, as in a simulation. If the robot moved in it,
    it is an old one: what a hand has taken away would still be seen, and a person who is there now would not.
    """

    def __init__(self) -> None:
        self._since_s = 0.0
        self._last: tuple[Image, Floats] | None = None
        self._robot: Mask | None = None

    def check(self, stamp_s: float, rgb: Image, depth_m: Floats, robot: Mask, joints_away_s: float = 0.0) -> None:
        """Takes a frame: colour (h, w, 3), depth (h, w) in m and the pixels that the robot covers (h, w).

        `joints_away_s`: distance in time to the measurement by which these pixels are known.

        Raises:
            PerceptionError: the robot moved in the picture, and it did not change.
        """
        last = self._last
        if last is None or not (_same(last[0], rgb) and _same(last[1], depth_m)):
            self._since_s, self._last, self._robot = stamp_s, (rgb, depth_m), None
        if joints_away_s > SURE_S:
            return  # taken for moved by mistake, a table on which nothing happens would be refused for ever
        if self._robot is None:
            self._robot = robot
        moved = float(np.mean(self._robot != robot))
        if moved > MOVED_SHARE:
            raise PerceptionError(
                f'the camera has sent the same picture, bit by bit, for {stamp_s - self._since_s:.1f} s, although the '
                f'robot moved in {moved:.1%} of it; is its driver frozen?'
            )


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two images are equal bit by bit: an unknown depth may be nan, which equals nothing."""
    return one.shape == other.shape and all(
        # Most pictures differ in a few rows already.
        np.array_equal(_bytes(one[::step]), _bytes(other[::step]))
        for step in (_FIRST_ROWS, 1)
    )


def _bytes(image: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(image).view(np.uint8)
