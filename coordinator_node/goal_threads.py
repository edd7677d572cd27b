"""Goals served in threads of their own, the end of each told exactly once."""

import logging
import threading
import time
from collections.abc import Callable

from coordinator_node.ports import Flag, Status, TaskResult

_log = logging.getLogger(__name__)

Tell = Callable[[TaskResult], None]
"""Tells the end of a goal to whoever asked for it."""


class GoalThreads:
    """The threads of all goals of one activation. Safe to use from any thread.

    The end of a goal is told by its thread; of one that outlasts `join` by who waits for it, and then its thread tells nothing more.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._untold: dict[threading.Thread, Tell] = {}
        self._threads: set[threading.Thread] = set()

    def start(self, name: str, serve: Callable[[Flag], TaskResult], tell: Tell) -> None:
        """Serves a goal in a new thread and tells its result.

        Args:
            name: of the thread.
            serve: returns how the goal ended; the flag it is given is true as long as somebody listens.
            tell: how it ended; told FAILED where `serve` raised.

        Raises:
            RuntimeError: these threads were closed, or there can be no further one; `tell` is not called.
        """

        def listened_to() -> bool:
            with self._lock:
                return thread in self._untold

        def run() -> None:
            result = TaskResult(status=Status.FAILED, reason='serving the goal ended by a bug; see the log')
            try:
                result = serve(listened_to)
            finally:
                try:
                    self._tell(thread, result)
                finally:
                    with self._lock:
                        self._threads.discard(thread)

        thread = threading.Thread(target=run, name=name, daemon=True)
        with self._lock:
            if self._closed:
                raise RuntimeError('no goal is taken any more')
            thread.start()
            self._untold[thread] = tell
            self._threads.add(thread)

    def close(self) -> None:
        """Takes no more goals."""
        with self._lock:
            self._closed = True

    def join(self, timeout_s: float, late: TaskResult | None) -> None:
        """Waits for the goals that run.

        Args:
            timeout_s: for all of them together; wall time, in s.
            late: told of those that do not end in time; None: nothing is told of them.
        """
        end_s = time.monotonic() + timeout_s
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, end_s - time.monotonic()))
            if not thread.is_alive():
                continue
            try:
                self._tell(thread, late)
            except Exception:  # noqa: BLE001 - the others are to be told all the same
                _log.exception('the end of %s could not be told', thread.name)

    def _tell(self, thread: threading.Thread, result: TaskResult | None) -> None:
        with self._lock:
            tell = self._untold.pop(thread, None)
        if tell is not None and result is not None:
            tell(result)
