"""What was sent to a controller last: a motion, and the hold that brings it to rest."""

import time
from dataclasses import dataclass

import numpy as np

from action_node.stop.joint_path import Array, JointPath
from lucca_core.joint_states import CLOCK_BACK_S

NEAR_RAD = 0.1
"""Distance up to which an arm is where it was told to be, as far as its speed goes."""


@dataclass(frozen=True, slots=True)
class SentMotion:
    """The last trajectory sent to a controller, with its time by ROS and wall clock."""

    joints: tuple[str, ...]
    path: JointPath
    start_s: float
    sent_s: float
    sent_wall_s: float

    def at_s(self, now_s: float | None) -> float:
        """Time since its start, by wall time if the ROS clock fails or has restarted."""
        if now_s is None or now_s < self.sent_s - CLOCK_BACK_S:
            now_s = self.sent_s + time.monotonic() - self.sent_wall_s
        return now_s - (self.start_s or self.sent_s)

    def speeds(self, now_s: float | None, place: Array, before_s: float, after_s: float) -> Array:
        """Greatest speeds (k,) that the joints of an arm, measured at a place (k,), may have around a time.

        They are those of the whole path if the clock fails, if the path has not begun, as an arm may be on its way back
        to it, or if the arm is far from where it was told to be.
        """
        at_s = self.at_s(now_s)
        near = float(np.abs(self.path.at(at_s)[0] - place).max()) <= NEAR_RAD
        if now_s is None or now_s < self.sent_s or at_s < 0 or not near:
            return self.path.greatest_speeds()
        return self.path.greatest_speeds(at_s - before_s, at_s + after_s)


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold, and the motion from which it brings a controller to rest; None if that rested."""

    sent: SentMotion | None
    hold_s: float
    begun_wall_s: float
    begun_s: float | None

    def until_s(self, now_s: float) -> float:
        """ROS time of its end; `now_s` if that has passed."""
        return now_s + max(0.0, self._left_s(now_s))

    def is_over(self, now_s: float | None) -> bool:
        """Whether its time has passed."""
        return self._left_s(now_s) < 0

    def _left_s(self, now_s: float | None) -> float:
        """Time until its end, by wall time if the ROS clock fails, failed at its begin or has restarted."""
        if now_s is None or self.begun_s is None or now_s < self.begun_s:
            return self.begun_wall_s + self.hold_s - time.monotonic()
        return self.begun_s + self.hold_s - now_s
