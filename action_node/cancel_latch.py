"""The latch that cancels an action, and the latches of all goals in progress."""

import threading
from collections.abc import Callable
from typing import Protocol


class CancelSign(Protocol):
    """What says during a motion whether it has to end."""

    @property
    def is_set(self) -> bool:
        """True from the moment on at which it has to end."""
        ...


class CancelLatch:
    """A flag that is set once and never cleared: a cancelled action stays cancelled. Safe to set from any thread."""

    __slots__ = ('_event',)

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Cancels the action."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """True from the first `set` on."""
        return self._event.is_set()


class CancelLatches:
    """The latches of the goals in progress, by the goal's id. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latches: dict[bytes, CancelLatch] = {}

    def __len__(self) -> int:
        return len(self._latches)

    def of(self, goal: bytes) -> CancelLatch:
        """The latch of a goal; it may be set already, as a cancel may come before the work on the goal begins."""
        with self._lock:
            return self._latches.setdefault(goal, CancelLatch())

    def cancel(self, goal: bytes, is_active: Callable[[], bool]) -> None:
        """Sets the latch of a goal, unless the goal has ended: nobody would remove the latch then."""
        with self._lock:
            if is_active():
                self._latches.setdefault(goal, CancelLatch()).set()

    def forget(self, goal: bytes) -> None:
        """Removes the latch of a goal that has ended."""
        with self._lock:
            self._latches.pop(goal, None)
