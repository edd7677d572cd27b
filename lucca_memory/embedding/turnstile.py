"""A lock that is given in the order in which it was asked for."""

import threading
from collections import deque
from types import TracebackType


class Turnstile:
    """Lets one caller in at a time, first come, first served.

    A `threading.Lock` may be taken again by the one who has just released it while others wait: whoever embeds a thousand
    passages in the background would keep a question waiting for all of them. Not reentrant.
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
        """Takes back a wait that was broken off, by Ctrl-C above all."""
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
