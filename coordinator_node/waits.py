"""Waiting that a flag ends at once: pauses, and retries while a part of the stack is away."""

import time
from collections.abc import Callable
from typing import TypeVar

from coordinator_node.interfaces import Flag
from lucca_core.errors import LuccaError, MemoryFault, StackError

T = TypeVar('T')

_SLICE_S = 0.02
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 0.5


class Interrupted(Exception):
    """Waiting ended because the flag was raised."""


class Waits:
    """The clock and the sleep for all waiting of the task loop. Tests pass their own."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.clock = clock
        self._sleep = sleep

    def pause(self, pause_s: float, interrupted: Flag) -> None:
        """Sleeps for `pause_s`.

        Raises:
            Interrupted: the flag is raised; at most 20 ms later.
        """
        end_s = self.clock() + pause_s
        while True:
            if interrupted():
                raise Interrupted
            left_s = end_s - self.clock()
            if left_s <= 0:
                return
            self._sleep(min(_SLICE_S, left_s))

    def patiently(
        self,
        call: Callable[[], T],
        *,
        limit_s: float,
        interrupted: Flag,
        on_wait: Callable[[LuccaError], None] = lambda _: None,
    ) -> T:
        """The result of `call`, which is retried for at most `limit_s` while it raises StackError or MemoryFault.

        `on_wait` is called with the first error, and whenever another one takes its place.

        Raises:
            Interrupted: the flag was raised.
            StackError, MemoryFault: the last error, after `limit_s`.
        """
        end_s = self.clock() + limit_s
        pause_s = _FIRST_PAUSE_S
        told = ''
        while True:
            if interrupted():
                raise Interrupted
            try:
                return call()
            except (StackError, MemoryFault) as error:
                if interrupted():
                    raise Interrupted from error
                if self.clock() + pause_s >= end_s:
                    raise
                if str(error) != told:
                    told = str(error)
                    on_wait(error)
            self.pause(pause_s, interrupted)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
