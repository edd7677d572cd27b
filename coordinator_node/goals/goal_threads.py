"""Threads that serve goals, and report the end of each exactly once."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from coordinator_node.interfaces import TaskResult
from lucca_core.protocol.goals import GoalFeedback, OnFeedback, Status

_log = logging.getLogger(__name__)


class Giver(Protocol):
    """Whoever gave a goal."""

    def hear(self, event: GoalFeedback) -> None:
        """Receives feedback."""

    def tell(self, result: TaskResult) -> None:
        """Receives the result of the goal. Returns at once; the result may still be on its way."""

    def wait_told(self, timeout_s: float) -> None:
        """Waits until the result has been handed over, for at most `timeout_s` of wall time."""


class GoalThreads:
    """The threads of all goals of one activation. Safe to use from any thread.

    Each thread reports the end of its goal. For a goal that outlasts `join`, the waiting thread reports it instead, and
    the goal's own thread reports nothing.
    """

    def __init__(self, told_s: float) -> None:
        """`told_s`: longest wait until a result has been handed over, in s of wall time."""
        self._told_s = told_s
        self._lock = threading.Lock()
        self._closed = False
        self._untold: dict[threading.Thread, Giver] = {}
        self._threads: set[threading.Thread] = set()

    def start(self, name: str, serve: Callable[[OnFeedback], TaskResult], giver: Giver) -> None:
        """Serves a goal in a new thread and reports its result to the giver.

        Args:
            name: name of the thread.
            serve: passes on events and returns the result; if it raises, the result is FAILED.
            giver: receives feedback and result.

        Raises:
            RuntimeError: these threads are closed, or no more can be started; nothing is reported.
        """

        def hear(event: GoalFeedback) -> None:
            with self._lock:
                heard = thread in self._untold
            if heard:
                giver.hear(event)

        def run() -> None:
            result = TaskResult(status=Status.FAILED, reason='serving the goal broke off; see the log')
            try:
                result = serve(hear)
            except Exception as error:
                result = replace(result, reason=f'bug: {type(error).__name__}: {error}')
                with self._lock:
                    outlasted = self._closed and thread not in self._untold
                if not outlasted:
                    raise
                # The parts that it works with may have been destroyed since its end was reported.
                _log.warning('%s outlasted its node and broke off: %s', name, result.reason)
            finally:
                try:
                    if self._take(thread):
                        giver.tell(result)
                        giver.wait_told(self._told_s)
                finally:
                    with self._lock:
                        self._threads.discard(thread)

        thread = threading.Thread(target=run, name=name, daemon=True)
        with self._lock:
            if self._closed:
                raise RuntimeError('no goal is taken any more')
            thread.start()
            self._untold[thread] = giver
            self._threads.add(thread)

    def close(self) -> None:
        """Accepts no more goals."""
        with self._lock:
            self._closed = True

    def join(self, timeout_s: float, late: TaskResult | None) -> None:
        """Waits for the running goals.

        Args:
            timeout_s: limit for all of them together, in s of wall time; results being handed over have `told_s` more.
            late: reported for goals that do not end in time; None reports nothing.
        """
        end_s = time.monotonic() + timeout_s
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, end_s - time.monotonic()))
        told: list[Callable[[float], None]] = []
        for thread in filter(threading.Thread.is_alive, threads):
            giver = self._take(thread)
            if giver is None:
                told.append(thread.join)
            elif late is not None:
                try:
                    giver.tell(late)
                except Exception:  # noqa: BLE001 - the others are to be told all the same
                    _log.exception('the end of %s could not be told', thread.name)
                else:
                    told.append(giver.wait_told)
        told_by_s = time.monotonic() + self._told_s
        for wait in told:
            wait(max(0.0, told_by_s - time.monotonic()))

    def _take(self, thread: threading.Thread) -> Giver | None:
        with self._lock:
            return self._untold.pop(thread, None)
