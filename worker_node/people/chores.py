"""Background chores of memory, run in a thread of their own."""

import logging
import threading
from collections.abc import Callable, Sequence

from lucca_core.errors import LuccaError
from worker_node.quiet_periods import QuietPeriods

Chore = Callable[[], bool]
"""Does one short step of its work; False if there was nothing to do."""

_END_S = 5.0
_log = logging.getLogger(__name__)


class ChoreThread:
    """Runs chores when woken, one after the other and step by step, until there is nothing left to do."""

    def __init__(
        self, chores: Sequence[Chore], retry_s: float, calm: QuietPeriods | None = None, again_s: float | None = None
    ) -> None:
        """
        Args:
            chores: the chores to run.
            retry_s: wait after a failure before all chores are tried again, in s of wall time.
            calm: says when a step may run; by default at any time.
            again_s: chores are run this often even if nobody wakes the thread, in s; None: only when woken.
        """
        self._chores = chores
        self._retry_s = retry_s
        self._again_s = again_s
        self._calm = calm or QuietPeriods()
        self._lock = threading.Lock()
        self._due = threading.Event()
        self._idle = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name='memory-keeper', daemon=True)

    def start(self) -> None:
        """Starts the thread, beginning with everything that is due."""
        self.wake()
        self._thread.start()

    def wake(self) -> None:
        """Says that there may be something to do."""
        with self._lock:
            self._idle.clear()
            self._due.set()

    def wait_until_idle(self, timeout_s: float) -> bool:
        """Waits until all that was due is done or has failed; False after `timeout_s`."""
        return self._idle.wait(timeout_s)

    @property
    def stopping(self) -> threading.Event:
        """Set when chores should end soon."""
        return self._stopping

    def close(self) -> None:
        """Ends the thread. Unfinished work is done after the next start. Closing twice is harmless."""
        self._stopping.set()
        self._due.set()
        if self._thread.ident is not None:
            self._thread.join(_END_S)

    def _run(self) -> None:
        wait_s = self._again_s
        while not self._stopping.is_set():
            self._due.wait(wait_s)
            self._due.clear()
            failed = [chore for chore in self._chores if not self._done(chore)]
            wait_s = self._retry_s if failed else self._again_s
            with self._lock:
                if not self._due.is_set():
                    self._idle.set()

    def _done(self, chore: Chore) -> bool:
        try:
            while self._may_work():
                began_s = self._calm.now_s()
                if not chore():
                    break
                self._calm.worked(began_s)
        except LuccaError as error:
            if not self._stopping.is_set():
                _log.warning('memory is tended again later: %s', error)
            return False
        return True

    def _may_work(self) -> bool:
        while not self._stopping.is_set():
            if not (wait_s := self._calm.wait_s()):
                return True
            self._stopping.wait(wait_s)
        return False
