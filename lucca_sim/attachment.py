"""When a hand holds: a weld made only while the hand closes and touches an object, and dropped when it opens.

Friction alone holds poorly between the spheres, boxes and capsules of a simulator, so a grasp is declared. What declares it is
touch, never a command: no message asks for a weld, and none is made at a distance.
"""

from dataclasses import dataclass
from enum import Enum


class Grip(Enum):
    """What a hand can do for an object now."""

    OPEN = 'open'
    CLOSING = 'closing'
    CLOSED = 'closed'


@dataclass(frozen=True, slots=True, kw_only=True)
class HandReading:
    """One hand at one moment. `asked` and `measured` are how far each moving joint is closed, 0 open to 1 closed: the
    least and the mean over the joints that differ between the two postures."""

    asked: float
    measured: float
    time_s: float


class GripTracker:
    """Follows one hand: closing begins when every finger is asked to close past the threshold, and touch counts until the
    fingers have had time to arrive. A fist that was closed before it touches takes nothing: it pushes."""

    def __init__(self, closed_above: float, settle_s: float = 1.0) -> None:
        self._closed_above = closed_above
        self._settle_s = settle_s
        self._asked = 0.0
        self._changed_s = 0.0
        self.grip = Grip.OPEN

    def update(self, reading: HandReading) -> Grip:
        """The grip after a reading. A pointing hand counts as open, because one finger is."""
        if reading.asked > self._asked + 1e-6:
            self._changed_s = reading.time_s
        self._asked = reading.asked
        if reading.asked <= self._closed_above:
            self.grip = Grip.OPEN
        elif reading.time_s - self._changed_s > self._settle_s:
            self.grip = Grip.CLOSED
        elif reading.measured > 0.5 * self._closed_above:
            self.grip = Grip.CLOSING
        return self.grip
