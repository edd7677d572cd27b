"""Spinning an executor in a thread, and ending it without a race."""

import logging
import threading
from collections.abc import Callable
from types import TracebackType

from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException

from lucca_ros.crash_watch import tell_crash
from lucca_ros.rclpy_internals import RCLError, join_callbacks

_LOG = logging.getLogger(__name__)

_LOOK_S = 0.1
_MOST_IN_A_ROW = 100
_CALLBACKS_S = 5.0


class SpinThread:
    """Spins an executor until `close`, or as a context manager.

    Jazzy's executors may be shut down while another thread spins them, but that destroys what the spinning thread and
    the callbacks still wait for: it raises there, or never ends. So the spinning ends first, then the callbacks, and
    only then the executor.
    """

    def __init__(self, executor: Executor, name: str = 'spin') -> None:
        self._executor = executor
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._spin, name=name, daemon=True)

    def start(self) -> None:
        """Begins to spin."""
        self._thread.start()

    def close(self) -> None:
        """Ends the spinning and shuts the executor down. The second call does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        if self._thread.ident is not None:
            self._executor.wake()
            self._thread.join()
        end_executor(self._executor, _CALLBACKS_S)

    def __enter__(self) -> 'SpinThread':
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _spin(self) -> None:
        try:
            spin_while(self._executor, lambda: not self._closing.is_set())
        except Exception as error:
            # Nothing would be heard any more, and nobody would notice: better the process ends, and is started again.
            if not tell_crash(error, f'a callback of {self._thread.name}'):
                _LOG.exception('%s broke off', self._thread.name)
                self._executor.context.try_shutdown()
            raise


def spin_while(executor: Executor, wanted: Callable[[], bool]) -> None:
    """Spins an executor until it is not wanted any more or its context is shut down; looks at least every 0.1 s.

    Jazzy's own `spin` ends with an exception when a subscription, service or timer is destroyed in one thread while the
    executor looks at it in another. Nothing is lost by that but the look, so this goes on.
    """
    in_a_row = 0
    while wanted() and executor.context.ok():
        try:
            executor.spin_once(timeout_sec=_LOOK_S)
            in_a_row = 0
        except ExternalShutdownException:
            return
        except InvalidHandle as error:
            in_a_row += 1
            _LOG.warning('something was destroyed while it was waited for: %s', error)
            if in_a_row > _MOST_IN_A_ROW:
                raise
        except RCLError:
            # The context went away between the executor's look at it and its use of it.
            if executor.context.ok():
                raise


def end_executor(executor: Executor, timeout_s: float) -> None:
    """Shuts down an executor that no thread spins, after waiting up to `timeout_s` for its running callbacks."""
    join_callbacks(executor, timeout_s)
    executor.shutdown()
