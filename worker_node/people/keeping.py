"""What is done for memory while nobody waits for it, in a thread of its own."""

import logging
import threading
from collections.abc import Callable, Sequence

from lucca_core.errors import LuccaError

Chore = Callable[[], bool]
"""Does some of its work; False where there was none to do."""

_END_S = 5.0
_log = logging.getLogger(__name__)


class Keeper:
    """Does chores when woken, one after the other, until there is nothing left to do."""

    def __init__(self, chores: Sequence[Chore], retry_s: float) -> None:
        """`retry_s`: after a failure, so long is waited for the next try of everything; wall time in s."""
        self._chores = chores
        self._retry_s = retry_s
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name='memory-keeper', daemon=True)

    def start(self) -> None:
        """Begins with everything that is due."""
        self._due.set()
        self._thread.start()

    def wake(self) -> None:
        """There may be something to do."""
        self._due.set()

    @property
    def stopping(self) -> threading.Event:
        """Set when chores should end soon."""
        return self._stopping

    def close(self) -> None:
        """Ends; what was under way is done anew after the next start. Closing twice is harmless."""
        self._stopping.set()
        self._due.set()
        if self._thread.ident is not None:
            self._thread.join(_END_S)

    def _run(self) -> None:
        wait_s: float | None = None
        while not self._stopping.is_set():
            self._due.wait(wait_s)
            self._due.clear()
            failed = [chore for chore in self._chores if not self._done(chore)]
            wait_s = self._retry_s if failed else None

    def _done(self, chore: Chore) -> bool:
        try:
            while not self._stopping.is_set() and chore():
                pass
        except LuccaError as error:
            if not self._stopping.is_set():
                _log.warning('memory is tended again later: %s', error)
            return False
        return True
