"""The state of a simulated hand: open, closing or closed. Only a closing hand can take an object.

Friction between the simulator's spheres, boxes and capsules holds objects poorly, so a grasp is a weld. It is made only
when a closing hand touches an object, never by a command or at a distance, and it is released when the hand opens.
"""

import math
from dataclasses import dataclass
from enum import Enum


class Grip(Enum):
    """The state of a hand; only a closing hand takes objects."""

    OPEN = 'open'
    CLOSING = 'closing'
    CLOSED = 'closed'


@dataclass(frozen=True, slots=True, kw_only=True)
class HandReading:
    """How far one hand is closed at one moment, from 0 (open) to 1.

    `asked` is the least commanded value, and `measured` the mean actual value, over the joints that differ between the
    open and the closed posture.
    """

    asked: float
    measured: float
    time_s: float


class GripTracker:
    """Follows the grip of one hand.

    Closing begins when every finger is commanded beyond the threshold, and ends `settle_s` after the last command that
    closed the hand further. A hand that closed before it touches an object does not take it, but pushes it.
    """

    def __init__(self, closed_above: float, settle_s: float = 1.0) -> None:
        self._closed_above = closed_above
        self._settle_s = settle_s
        self._asked = 0.0
        self._changed_s = 0.0
        self.grip = Grip.OPEN

    def update(self, reading: HandReading) -> Grip:
        """Updates the grip with a reading. A pointing hand counts as open, because one of its fingers is open."""
        if reading.asked > self._asked + 1e-6:
            self._changed_s = reading.time_s
        elif reading.asked < self._asked - 1e-6:
            self._changed_s = -math.inf
        self._asked = reading.asked
        if reading.asked <= self._closed_above:
            self.grip = Grip.OPEN
        elif reading.time_s - self._changed_s > self._settle_s:
            self.grip = Grip.CLOSED
        elif reading.measured > 0.5 * self._closed_above:
            self.grip = Grip.CLOSING
        return self.grip
