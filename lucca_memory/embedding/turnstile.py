"""A lock that is granted in the order of the requests."""

import threading
from collections import deque
from types import TracebackType


class Turnstile:
    """Lets one caller in at a time, first come, first served.

    A `threading.Lock` may be taken again by the thread that has just released it while others wait: embedding a
    thousand passages in the background would block a question until all are done. Not reentrant.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Lock] = deque()

    def __enter__(self) -> None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            gate = threading.Lock()
            gate.acquire()
            self._waiting.append(gate)
        try:
            gate.acquire()
        except BaseException:
            self._leave(gate)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._guard:
            self._let_next_in()

    def _leave(self, gate: threading.Lock) -> None:
        """Withdraws an interrupted wait, for example after Ctrl-C."""
        with self._guard:
            if gate in self._waiting:
                self._waiting.remove(gate)
            else:
                self._let_next_in()

    def _let_next_in(self) -> None:
        if self._waiting:
            self._waiting.popleft().release()
        else:
            self._taken = False
