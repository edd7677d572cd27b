"""A watch that ends a node's process after an unexpected error in any thread, with a report in `diagnostics`.

A node with a dead thread looks alive, does half of its work, and is not restarted. So expected errors are handled where
they occur, and every other error ends the process here. Its exit status is never 0.
"""

import logging
import threading
import traceback

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.duration import Duration
from rclpy.node import Node

from lucca_ros.diagnostics import DIAGNOSTICS, ERROR, diagnostic_msg
from lucca_ros.exit_deadline import set_exit_deadline
from lucca_ros.rclpy_internals import is_of_an_end

_LOG = logging.getLogger(__name__)

_TOLD_S = 1.0
_LONGEST = 300

_watch: 'CrashWatch | None' = None


class CrashWatch:
    """Ends the process of one node if any of its threads ends with an unexpected error."""

    def __init__(self, node: Node, end_s: float) -> None:
        """
        Args:
            node: publishes the report; its context is shut down, which ends the spinning.
            end_s: if the process has not ended this long afterwards, it exits with 1; wall time, in s.
        """
        self._node = node
        self._end_s = end_s
        self._lock = threading.Lock()
        self._first: BaseException | None = None
        # Made early, so that subscribers have found it by the time of an error.
        self._publisher = node.create_publisher(DiagnosticArray, DIAGNOSTICS, 10)

    @property
    def crashed(self) -> bool:
        """Whether the process is ending because of an unexpected error."""
        return self._first is not None

    def install(self) -> None:
        """Starts to watch all threads of the process."""
        global _watch
        _watch = self
        threading.excepthook = self._of_thread

    def tell(self, error: BaseException, where: str) -> None:
        """Starts to end the process. Only the first error is reported in `diagnostics`; all are logged."""
        if is_of_an_end(error) and not self._node.context.ok():
            return  # the context was shut down just before a thread used it: an ordinary end
        _LOG.critical('%s crashed', where, exc_info=error)
        with self._lock:
            if self._first is not None:
                return
            self._first = error
        set_exit_deadline(self._end_s)
        telling = threading.Thread(target=self._publish, args=(error, where), name='last-words', daemon=True)
        telling.start()
        telling.join(2 * _TOLD_S)
        self._node.context.try_shutdown()

    def _publish(self, error: BaseException, where: str) -> None:
        name = self._node.get_name()
        said = f'{name} has ended: {where} crashed with {type(error).__name__}: {error}'
        frames = traceback.extract_tb(error.__traceback__)
        msg = diagnostic_msg(
            name,
            _plain(said),
            {
                'thread': _plain(where),
                'error': type(error).__name__,
                'line': f'{frames[-1].filename}:{frames[-1].lineno}' if frames else '',
            },
            stamp=self._node.get_clock().now().to_msg(),
            level=ERROR,
            hardware_id=where,
        )
        try:
            self._publisher.publish(msg)
            self._publisher.wait_for_all_acked(Duration(seconds=_TOLD_S))
        except Exception as lost:
            if not is_of_an_end(lost):
                raise
            _LOG.warning('the crash could not be reported in diagnostics: %s', lost)

    def _of_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is None:
            return
        thread = args.thread.name if args.thread is not None else 'a thread'
        self.tell(args.exc_value, f'thread {thread}')


def tell_crash(error: BaseException, where: str) -> bool:
    """Ends the node's process because of an unexpected error. Returns False if no node is watched."""
    if _watch is None:
        return False
    _watch.tell(error, where)
    return True


def _plain(text: str) -> str:
    """The text on one line, in valid UTF-8 and cut to a maximum length, as a message can hold it."""
    return ' '.join(text.split())[:_LONGEST].encode(errors='replace').decode()
