"""The latch that cancels an action."""

import threading


class CancelLatch:
    """Set once, never cleared: what was cancelled does not revive. Safe to set from any thread."""

    __slots__ = ('_event',)

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Cancels."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """True from the first `set` on."""
        return self._event.is_set()
