"""Spinning of an executor in a thread, and its end without a race."""

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType

from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException

from lucca_ros.crash_watch import tell_crash
from lucca_ros.rclpy_internals import RCLError, join_callbacks

_LOG = logging.getLogger(__name__)

_CHECK_S = 1.0
_LOST_PASSES_S = 2.0
_YIELD_S = 0.001
_CALLBACKS_S = 5.0


class SpinThread:
    """Spins an executor until `close`, or within a `with` block.

    Jazzy's executors may be shut down while another thread spins them, but this destroys objects that the spinning
    thread and the callbacks are still waiting for: they raise an error or never end. So the spinning ends first, then
    the callbacks, and only then the executor.
    """

    def __init__(self, executor: Executor, name: str = 'spin') -> None:
        self._executor = executor
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._spin, name=name, daemon=True)

    def start(self) -> None:
        """Starts to spin."""
        self._thread.start()

    def close(self) -> None:
        """Ends the spinning and shuts the executor down. A second call does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        if self._thread.ident is not None:
            end_wait(self._executor)
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
            # Without this thread the node would receive nothing, and nobody would notice. It is better that the process
            # ends and is restarted.
            if not tell_crash(error, f'a callback of {self._thread.name}'):
                _LOG.exception('%s crashed', self._thread.name)
                self._executor.context.try_shutdown()
            raise


def end_wait(executor: Executor) -> None:
    """Makes `spin_while` check at once whether it shall go on. May be called from any thread."""
    # A task ends the wait; `wake` would only begin it anew.
    executor.create_task(_nothing)


def _nothing() -> None:
    pass


def spin_while(executor: Executor, wanted: Callable[[], bool]) -> None:
    """Spins an executor while `wanted` returns true and its context is not shut down; checks at least every second.

    Jazzy's own `spin` raises an exception if one thread destroys a subscription, service or timer while the executor is
    looking at it in another. Only the passes until the executor no longer knows it are lost, so this function goes on.
    Passes lost for two seconds in a row are no such race, and raise.
    """
    lost_since_s: float | None = None
    while wanted() and executor.context.ok():
        try:
            executor.spin_once(timeout_sec=_CHECK_S)
            lost_since_s = None
        except ExternalShutdownException:
            return
        except InvalidHandle as error:
            # In time, not in passes: a thread that is kept from its turn loses hundreds of them.
            now_s = time.monotonic()
            if lost_since_s is None:
                lost_since_s = now_s
                _LOG.info('something was destroyed while the executor waited for it: %s', error)
            elif now_s - lost_since_s > _LOST_PASSES_S:
                raise
            # The thread that destroys it gets its turn.
            time.sleep(_YIELD_S)
        except RCLError:
            # The context was shut down between the executor's check of it and its use.
            if executor.context.ok():
                raise


def end_executor(executor: Executor, timeout_s: float) -> None:
    """Shuts down an executor that no thread spins, after waiting up to `timeout_s` for its running callbacks."""
    join_callbacks(executor, timeout_s)
    executor.shutdown()
