"""The pinch of a simulated hand: the object between its fingers, found from contacts and commands."""

import math
from collections.abc import Collection, Mapping

from lucca_sim.grip_tracker import Grip

OPPOSED_RAD = math.radians(120.0)
"""A pinch begins when the normals at two finger links are this far apart in two successive looks."""

STILL_OPPOSED_RAD = math.radians(90.0)
LOST_S = 0.1
"""A pinch ends when no two normals have been STILL_OPPOSED_RAD apart for this long; a fingertip may lift off."""

_LOOKS_TO_HOLD = 2
_OPENED = 1e-3


class PinchTracker:
    """Tracks what one hand holds.

    A closing hand takes an object that two different finger links touch from opposite sides. It loses the object when
    the contacts end, or when the hand is commanded to open further than it was when it took the object.
    """

    def __init__(self) -> None:
        self.held: int | None = None
        self._asked = 0.0
        self._opposed_s = 0.0
        self._candidate: tuple[int | None, int] = (None, 0)

    def update(
        self, grip: Grip, asked: float, pinched: Mapping[int, float], taken: Collection[int | None], time_s: float
    ) -> int | None:
        """The index of the object held after one look, or None.

        Args:
            grip: state of the hand.
            asked: how far the hand is commanded to close, 0 to 1.
            pinched: widest angle in rad between contact normals, by object index.
            taken: objects held by other hands.
            time_s: time of the look.
        """
        if self.held is not None:
            if pinched.get(self.held, 0.0) >= STILL_OPPOSED_RAD:
                self._opposed_s = time_s
            lost = time_s - self._opposed_s > LOST_S
            if lost or grip is Grip.OPEN or asked < self._asked - _OPENED:
                self.held = None
                self._candidate = (None, 0)
        elif grip is Grip.CLOSING:
            self._take(asked, {index: angle for index, angle in pinched.items() if index not in taken}, time_s)
        else:
            self._candidate = (None, 0)
        return self.held

    def _take(self, asked: float, pinched: Mapping[int, float], time_s: float) -> None:
        opposed = [index for index, angle in pinched.items() if angle >= OPPOSED_RAD]
        if not opposed:
            self._candidate = (None, 0)
            return
        best = max(opposed, key=lambda index: (pinched[index], -index))
        before, looks = self._candidate
        looks = looks + 1 if best == before else 1
        self._candidate = (best, looks)
        if looks >= _LOOKS_TO_HOLD:
            self.held, self._asked, self._opposed_s = best, asked, time_s
