"""Writing of the stop marker in a thread of its own, so that neither the disk nor the arms wait for the other."""

import logging
import threading
import time
from collections.abc import Callable

from action_node.stop.stop_marker import StopMarker

_LOG = logging.getLogger(__name__)

RETRY_S = 0.05
_LATER_S = 1.0
_QUICK_TRIES = 20
"""Number of failed tries after which writing is tried only once a second, because the disk is full or gone."""


class StopKeeper:
    """Sets and clears a stop marker in a thread of its own. Safe to call from any thread.

    The last request counts. A stop that cannot be written is retried until it can be.
    """

    def __init__(self, marker: StopMarker) -> None:
        self._marker = marker
        self._news = threading.Condition()
        self._asked = 0
        self._done = 0
        self._waits_since_s = 0.0
        self._set_wanted = False
        self._fault = ''
        self._fault_of_set = False
        self._kept = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name='stop keeper', daemon=True)
        self._thread.start()

    def set(self) -> None:
        """Requests that the stop be written, and returns at once."""
        with self._news:
            self._ask(set_wanted=True)

    @property
    def idle(self) -> bool:
        """True if nothing that was asked for is still to be written, and no stop failed to be."""
        with self._news:
            return self._done == self._asked and not (self._set_wanted and self._fault)

    @property
    def fault(self) -> str:
        """Why the last stop could not be written so far; empty if it was written, or was not tried yet."""
        with self._news:
            return self._fault if self._set_wanted and self._fault_of_set else ''

    @property
    def waits_s(self) -> float:
        """Wall time in s for which a stop has not been written; 0 if none waits."""
        with self._news:
            waits = self._set_wanted and self._done != self._asked
            return time.monotonic() - self._waits_since_s if waits else 0.0

    def wait(self, timeout_s: float) -> str:
        """Returns an empty text once the stop is safe on the disk, or the fault after `timeout_s` of wall time."""
        with self._news:
            if self._news.wait_for(lambda: self._done == self._asked, timeout_s):
                return self._fault
            return self.fault or f'the disk has not answered for {timeout_s:g} s'

    def clear(self, timeout_s: float, unless: Callable[[], bool]) -> str:
        """Removes the stop from the disk. Returns an empty text once it is gone for good, else the fault.

        Args:
            timeout_s: longest wait, in s of wall time.
            unless: checked when no other stop can intervene; if it returns true, nothing is done.
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
        """Ends the thread after one last try. Later requests are carried out by the calling thread."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._thread.join(timeout_s)

    def _ask(self, *, set_wanted: bool) -> None:
        if self._done == self._asked or not self._set_wanted:
            self._waits_since_s = time.monotonic()
        self._asked += 1
        self._set_wanted = set_wanted
        self._news.notify_all()
        if self._closed:
            self._fault, self._fault_of_set = self._carried_out(set_wanted), set_wanted
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
            # Logged because whoever stopped the robot by a message is not told.
            if set_wanted and fault and not tries:
                _LOG.error('the stop is not on the disk yet; writing it is tried again: %s', fault)
            elif set_wanted and tries and not fault:
                _LOG.warning('the stop is on the disk now')
            with self._news:
                self._fault, self._fault_of_set = fault, set_wanted
                if last or not (fault and set_wanted):
                    # Clearing is not retried: a robot that stays stopped is safe.
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
                # A stop button held down repeats many times a second; writing each time would wear on the disk.
                if not (self._kept and self._marker.is_set()):
                    self._kept = False
                    self._marker.set()
                    self._kept = True
            else:
                self._kept = False
                self._marker.clear()
        except Exception as error:  # noqa: BLE001 - any fault is reported, and the next stop is still written
            return f'{type(error).__name__}: {error}'
        return ''
