"""Pacing of simulated time against wall time, periodic triggers, and waiting for perception."""

import math
import threading

_CATCH_UP_S = 0.25
"""Longest delay that is made up for, in s of wall time."""
_NEVER = (0.0, -math.inf)
CATCH_UP_SPEED = 1.5
"""Speed while a delay is made up for, as a multiple of the usual one. In a burst, a command that a node sends a tenth
of a simulated second ahead would arrive behind its own start, and the arm would jump after it."""
FASTEST = 8.0
"""Speed of a burst when no speed is given: such a command then has 19 ms to arrive."""
CLOCK_LAG_S = 0.06
"""Simulated time between two clock messages above which more than the usual number per wall second are sent."""
_MOST_CLOCK_HZ = 250.0
"""Clock messages per wall second in any case."""


class Pace:
    """Computes waits so that simulated time runs `speed` times as fast as wall time; 0: as it can, up to FASTEST.

    A short delay is made up for a little faster, and a long one is not.
    """

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._next_speed = speed
        self._start: tuple[float, float] | None = None
        self._last = _NEVER

    @property
    def speed(self) -> float:
        """Simulated seconds per wall second; may be set from another thread, and applies from the next wait on."""
        return self._next_speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._next_speed = speed

    def wait_s(self, simulated_s: float, wall_s: float) -> float:
        """Wall time in s to wait behind the step that ends at `simulated_s`. To be asked after each step."""
        if self._speed != self._next_speed:
            self._speed, self._start, self._last = self._next_speed, None, _NEVER
        before_s, went_on_s = self._last
        least = went_on_s + (simulated_s - before_s) / (self._speed * CATCH_UP_SPEED or FASTEST)
        goes_on_s = max(wall_s, self._due_s(simulated_s, wall_s), least)
        self._last = (simulated_s, goes_on_s)
        return goes_on_s - wall_s

    def _due_s(self, simulated_s: float, wall_s: float) -> float:
        """Wall time at which the next step is due."""
        if self._speed == 0:
            return wall_s
        if self._start is None:
            self._start = (simulated_s, wall_s)
        due = self._start[1] + (simulated_s - self._start[0]) / self._speed
        if wall_s - due > _CATCH_UP_S:
            self._start = (simulated_s, wall_s)
            return wall_s
        return due


class Every:
    """A periodic trigger, due at whole multiples of a period; missed periods are not made up for."""

    def __init__(self, rate_hz: float) -> None:
        self._rate_hz = rate_hz
        self._last = -1

    def due(self, time_s: float) -> bool:
        """True once per period, from time 0 on."""
        count = math.floor(time_s * self._rate_hz + 1e-6)
        if count <= self._last:
            return False
        self._last = count
        return True


class ClockRate:
    """When the clock is published: `rate_hz` times per simulated second, but at most `wall_rate_hz` per wall second.

    At a high speed there are more, so that the time that a node reads is not late by more than CLOCK_LAG_S.
    """

    def __init__(self, rate_hz: float, wall_rate_hz: float) -> None:
        self._simulated = Every(rate_hz)
        self._wall = Every(wall_rate_hz)
        self._most = Every(_MOST_CLOCK_HZ)
        self._published_s = -math.inf

    def due(self, simulated_s: float, wall_s: float) -> bool:
        """Whether to publish the clock now. To be asked after each step."""
        if not self._simulated.due(simulated_s):
            return False
        is_late = simulated_s - self._published_s > CLOCK_LAG_S - 1e-6
        if not self._wall.due(wall_s) and not (is_late and self._most.due(wall_s)):
            return False
        self._published_s = simulated_s
        return True


class Leash:
    """Keeps the simulation from running ahead of an observer (perception): simulated time slows down on a busy machine.

    The observer reports the stamps that it has processed with `seen`; `wait` blocks while the simulation is more than
    `length_s` of simulated time ahead of them. An observer counts as absent if it has never reported, or not within
    `patience_s` of wall time. Simulated time then runs at most as fast as wall time, because controllers could not
    follow a burst.
    """

    def __init__(self, length_s: float, *, patience_s: float = 0.5) -> None:
        self._length_s = length_s
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._seen_s: float | None = None
        self._last_s = 0.0

    def seen(self, stamp_s: float) -> None:
        """Reports that the observer has processed the data of `stamp_s` (simulated time)."""
        with self._changed:
            self._seen_s = stamp_s
            self._changed.notify_all()

    def wait(self, simulated_s: float) -> None:
        """Blocks until the observer is near enough; without one, until wall time has caught up with simulated time."""
        if self._length_s == 0:
            return
        with self._changed:
            passed_s, self._last_s = max(0.0, simulated_s - self._last_s), simulated_s
            if self._seen_s is not None and not self._near_within(self._patience_s, simulated_s):
                self._seen_s = None
            if self._seen_s is None:
                self._near_within(min(passed_s, self._patience_s), simulated_s)

    def _near_within(self, timeout_s: float, simulated_s: float) -> bool:
        return self._changed.wait_for(lambda: self._is_near(simulated_s), timeout_s)

    def _is_near(self, simulated_s: float) -> bool:
        return self._seen_s is not None and simulated_s - self._seen_s <= self._length_s
