"""Unexpected errors of the action node: the first is kept, because its process ends after it."""

import logging
import threading
from dataclasses import dataclass

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InternalError:
    """An error that nobody expected, and where it occurred: `an action`, `a stop`."""

    error: Exception
    where: str

    def __str__(self) -> str:
        return f'internal error {type(self.error).__name__}: {self.error}'


class InternalErrors:
    """Unexpected errors that were turned into an outcome or an answer. Safe to use from any thread.

    After the first one, the process is to end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._first: InternalError | None = None

    @property
    def first(self) -> InternalError | None:
        """The first one; None if there was none."""
        return self._first

    def note(self, error: Exception, where: str) -> str:
        """Logs an error and returns it in words; the first one is kept, and logged with its stack."""
        noted = InternalError(error, where)
        with self._lock:
            is_first = self._first is None
            self._first = self._first or noted
        # The diagnostics may fail once a second until the process ends.
        _LOG.error('%s failed unexpectedly', where, exc_info=error if is_first else None)
        return str(noted)
