"""Quiet periods for background work: nobody waits for memory, and no action is under way.

The worker is one Python process. A background step may hold the interpreter for its whole length, so that a call of the
recorder has to wait for it after every disk access. Therefore steps wait until memory is not in use.
"""

import threading
import time
from collections.abc import Callable


class QuietPeriods:
    """Tracks when memory was last used, and says when a background step may run. Safe to use from several threads."""

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
            calm_s: background work may run when the last call is this long ago.
            longest_action_s: an intent blocks background work until its outcome, but at most for this long.
            busy_step_s: even while memory is in use, one step is let through in this time, so that nothing starves.
            share: the largest share of the time that steps may take, above 0 and up to 1; sets the rest after a step.
            clock: monotonic wall time in s.
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
        """Notes that somebody uses memory now."""
        with self._lock:
            self._disturbed()

    def acting(self, task: str, *, under_way: bool) -> None:
        """Notes that an action of a task begins (`under_way`) or has ended."""
        with self._lock:
            now = self._disturbed()
            if under_way:
                self._intents[task] = now + self._longest_action_s
            else:
                self._intents.pop(task, None)

    def wait_s(self) -> float:
        """How long the next step has to wait, in s; 0 if it may run now. Ask again after waiting."""
        with self._lock:
            now = self._clock()
            return max(0.0, max(self._rested_at, min(self._until(), self._step_at)) - now)

    @property
    def in_use(self) -> bool:
        """True while somebody uses memory or an action is under way."""
        with self._lock:
            return self._clock() < self._until()

    def now_s(self) -> float:
        """The time by which steps are measured, in s."""
        return self._clock()

    def worked(self, began_s: float) -> None:
        """Notes the end of a step that began at `began_s`."""
        with self._lock:
            now = self._clock()
            self._step_at = now + self._busy_step_s
            self._rested_at = now + self._rest * (now - began_s)

    def _disturbed(self) -> float:
        now = self._clock()
        if now >= self._until():
            # A busy period begins: from here on, count how long steps have to wait.
            self._step_at = max(self._step_at, now + self._busy_step_s)
        self._calm_at = now + self._calm_s
        return now

    def _until(self) -> float:
        return max([self._calm_at, *self._intents.values()])
