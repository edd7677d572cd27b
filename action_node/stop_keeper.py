"""Keeps a stop on the disk, beside the thread that stops the arms: neither waits for the other, or fails with it."""

import threading
from collections.abc import Callable

from action_node.stop_marker import StopMarker

RETRY_S = 0.05
_LATER_S = 1.0
_QUICK_TRIES = 20
"""After so many tries a disk that fails is tried once a second: it is full or gone, and that is told by then."""


class StopKeeper:
    """Has a marker set and cleared in a thread of its own, which runs from the start; safe to call from any thread.

    What was asked for last is what is done. A stop that cannot be written is tried again until it can be.
    """

    def __init__(self, marker: StopMarker) -> None:
        self._marker = marker
        self._news = threading.Condition()
        self._asked = 0
        self._done = 0
        self._set_wanted = False
        self._fault = ''
        self._kept = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name='stop keeper', daemon=True)
        self._thread.start()

    def set(self) -> None:
        """Asks for the stop to be written, and returns at once."""
        with self._news:
            self._ask(set_wanted=True)

    def wait(self, timeout_s: float) -> str:
        """Returns an empty text once the stop is safe on the disk; after `timeout_s` of wall time what keeps it from there."""
        with self._news:
            if self._news.wait_for(lambda: self._done == self._asked, timeout_s):
                return self._fault
            return self._fault or f'the disk has not answered for {timeout_s:g} s'

    def clear(self, timeout_s: float, unless: Callable[[], bool]) -> str:
        """Takes the stop off the disk. Returns an empty text once it is gone for good, else why it is not.

        Args:
            timeout_s: longest wait, in s of wall time.
            unless: looked at when no stop can come between any more; true: nothing is done.
        """
        with self._news:
            if unless():
                return 'the robot was stopped again'
            self._ask(set_wanted=False)
            number = self._asked
            if not self._news.wait_for(lambda: self._done >= number, timeout_s):
                return f'the disk has not answered for {timeout_s:g} s'
            return self._fault

    def close(self, timeout_s: float) -> None:
        """Ends the thread, after what is asked for was tried once more. What is asked for later is done by who asks."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._thread.join(timeout_s)

    def _ask(self, *, set_wanted: bool) -> None:
        self._asked += 1
        self._set_wanted = set_wanted
        self._news.notify_all()
        if self._closed:
            self._fault = self._carried_out(set_wanted)
            self._done = self._asked

    def _run(self) -> None:
        tries = 0
        while True:
            with self._news:
                self._news.wait_for(lambda: self._closed or self._done != self._asked)
                number, set_wanted, last = self._asked, self._set_wanted, self._closed
            if number == self._done:
                return
            fault = self._carried_out(set_wanted)
            with self._news:
                self._fault = fault
                if last or not (fault and set_wanted):
                    # Nobody tries to clear again by himself: a robot that stays stopped is safe.
                    self._done, tries = number, 0
                else:
                    tries += 1
                self._news.notify_all()
                if tries:
                    self._news.wait_for(
                        lambda number=number: self._closed or self._asked != number,  # type: ignore[misc]
                        RETRY_S if tries < _QUICK_TRIES else _LATER_S,
                    )

    def _carried_out(self, set_wanted: bool) -> str:
        try:
            if set_wanted:
                # A button that is held down says so many times a second, and each time costs a disk's patience.
                if not (self._kept and self._marker.is_set()):
                    self._kept = False
                    self._marker.set()
                    self._kept = True
            else:
                self._kept = False
                self._marker.clear()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and the next stop is written all the same
            return f'{type(error).__name__}: {error}'
        return ''
