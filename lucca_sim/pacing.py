"""Simulated time against wall time, and who is due when."""

import math
import threading


class Pace:
    """Says how long to wait so that simulated time runs `speed` times as fast as wall time; 0 = never wait."""

    def __init__(self, speed: float, *, catch_up_s: float = 0.25) -> None:
        self._speed = speed
        self._next_speed = speed
        self._catch_up_s = catch_up_s
        self._start: tuple[float, float] | None = None

    @property
    def speed(self) -> float:
        """Simulated seconds per wall second; may be set by another thread, and acts with the next wait."""
        return self._next_speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._next_speed = speed

    def wait_s(self, simulated_s: float, wall_s: float) -> float:
        """Wall time in s until `simulated_s` is due. After a hiccup longer than `catch_up_s` it goes on from there,
        because a burst would be worse than a delay."""
        if self._speed != self._next_speed:
            self._speed, self._start = self._next_speed, None
        if self._speed == 0:
            return 0.0
        if self._start is None:
            self._start = (simulated_s, wall_s)
        due = self._start[1] + (simulated_s - self._start[0]) / self._speed
        if wall_s - due > self._catch_up_s:
            self._start = (simulated_s, wall_s)
            return 0.0
        return max(0.0, due - wall_s)


class Every:
    """Due at whole multiples of a period, however irregularly it is asked; missed ones are not made up for."""

    def __init__(self, rate_hz: float) -> None:
        self._rate_hz = rate_hz
        self._last = -1

    def due(self, time_s: float) -> bool:
        """True once in each period, from time 0 on."""
        count = math.floor(time_s * self._rate_hz + 1e-6)
        if count <= self._last:
            return False
        self._last = count
        return True


class Leash:
    """Keeps the simulation from running away from whoever watches it: on a busy machine its time slows down instead.

    Somebody reports the stamps he has dealt with by `seen`; `wait` returns at once while the simulation is at most
    `length_s` of simulated time ahead of them. A watcher that says nothing for `patience_s` of wall time is taken for
    absent, as is one who has never reported: then time goes on no faster than on the wall, for a burst of simulated time
    would be more than any controller could follow.
    """

    def __init__(self, length_s: float, *, patience_s: float = 0.5) -> None:
        self._length_s = length_s
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._seen_s: float | None = None
        self._last_s = 0.0

    def seen(self, stamp_s: float) -> None:
        """The watcher has dealt with what was sent at `stamp_s` of simulated time."""
        with self._changed:
            self._seen_s = stamp_s
            self._changed.notify_all()

    def wait(self, simulated_s: float) -> None:
        """Returns once the watcher is near enough; where there is none, when as much wall time has passed."""
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
