"""The latch that cancels an action."""

import threading


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
