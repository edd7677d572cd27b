"""Quiet periods, in which background work may be done: nobody waits for memory, and no action is under way.

The worker is one process with one interpreter. A background step may hold the interpreter for its whole length, and a
call of the recorder may have to wait for it after every disk access; so steps wait until nobody asks.
"""

import threading
import time
from collections.abc import Callable


class QuietPeriods:
    """Knows when memory was last asked for something. Safe to use from several threads."""

    def __init__(
        self,
        calm_s: float = 0.0,
        longest_action_s: float = 0.0,
        busy_step_s: float = 30.0,
        share: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            calm_s: so long after the last call there is calm.
            longest_action_s: an intent keeps calm away until its outcome, for so long at most.
            busy_step_s: one step in so long is let through all the same, so that nothing starves.
            share: of the time that steps may take, above 0 and up to 1; it sets the rest after a step.
            clock: wall time in s; never runs back.
        """
        self._calm_s = calm_s
        self._longest_action_s = longest_action_s
        self._busy_step_s = busy_step_s
        self._rest = 1 / share - 1
        self._clock = clock
        self._lock = threading.Lock()
        self._calm_at = self._step_at = self._rested_at = clock()
        self._intents: dict[str, float] = {}

    def asked(self) -> None:
        """Somebody waits for memory, or has just been answered."""
        with self._lock:
            self._disturbed()

    def acting(self, task: str, *, under_way: bool) -> None:
        """An action of a task begins or has ended."""
        with self._lock:
            now = self._disturbed()
            if under_way:
                self._intents[task] = now + self._longest_action_s
            else:
                self._intents.pop(task, None)

    def wait_s(self) -> float:
        """How long the next step has to wait, in s; 0 if it may be done now. It may have to wait again after that."""
        with self._lock:
            now = self._clock()
            return max(0.0, max(self._rested_at, min(self._until(), self._step_at)) - now)

    def now_s(self) -> float:
        """The time that steps are measured by."""
        return self._clock()

    def worked(self, began_s: float) -> None:
        """A step was done that began then."""
        with self._lock:
            now = self._clock()
            self._step_at = now + self._busy_step_s
            self._rested_at = now + self._rest * (now - began_s)

    def _disturbed(self) -> float:
        now = self._clock()
        if now >= self._until():
            # From here on it is counted how long steps have been kept waiting.
            self._step_at = max(self._step_at, now + self._busy_step_s)
        self._calm_at = now + self._calm_s
        return now

    def _until(self) -> float:
        return max([self._calm_at, *self._intents.values()])
