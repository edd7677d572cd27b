"""Detection of joint motion from measured joint positions."""

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime

AT_REST_RAD = 0.002
"""A joint rests while it stays this close to the last position at which it moved (rad; m for sliding joints). Slow
motion is thus found too."""


class JointMotion:
    """The wall times at which measurements showed that a joint had moved. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at: dict[str, float] = {}
        self._moved: list[float] = []
        self.heard = 0

    def measured(self, time_s: float, positions: Mapping[str, float]) -> None:
        """Adds positions that were received at a wall time."""
        with self._lock:
            self.heard += 1
            if any(abs(value - self._at.setdefault(name, value)) > AT_REST_RAD for name, value in positions.items()):
                self._moved.append(time_s)
                self._at.update(positions)

    def take(self) -> tuple[float, ...]:
        """The times of motion since the last call."""
        with self._lock:
            moved, self._moved = tuple(self._moved), []
            return moved


def motion_outside(
    moved_s: Sequence[float], windows: Sequence[tuple[datetime, datetime]], late_s: float
) -> tuple[float, ...]:
    """The times that lie in no window. A measurement may arrive up to `late_s` after it was made, but never before."""
    spans = [(begin.timestamp(), end.timestamp() + late_s) for begin, end in windows]
    return tuple(time_s for time_s in moved_s if not any(begin <= time_s <= end for begin, end in spans))
