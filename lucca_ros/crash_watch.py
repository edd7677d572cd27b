"""A watch that ends a node's process on any unexpected error in any thread, reported in `diagnostics`; never with 0.

A node with one dead thread looks alive, does half of its work, and is not restarted. So expected errors are handled
where they occur, and every other error ends the process here.
"""

import logging
import threading
import traceback

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.duration import Duration
from rclpy.node import Node

from lucca_ros.exit_deadline import set_exit_deadline
from lucca_ros.rclpy_internals import is_of_an_end

_LOG = logging.getLogger(__name__)

_TOLD_S = 1.0
_LONGEST = 300

_watch: 'CrashWatch | None' = None


class CrashWatch:
    """Ends the process of one node when any of its threads breaks off."""

    def __init__(self, node: Node, end_s: float) -> None:
        """
        Args:
            node: tells it, and its context is shut down, which ends the spinning.
            end_s: a process that has not gone so long after is ended with 1; wall time, in s.
        """
        self._node = node
        self._end_s = end_s
        self._lock = threading.Lock()
        self._first: BaseException | None = None
        # Made now, so that whoever listens has found it by then.
        self._publisher = node.create_publisher(DiagnosticArray, 'diagnostics', 10)

    @property
    def crashed(self) -> bool:
        """Whether the process ends because of something that nobody expected."""
        return self._first is not None

    def install(self) -> None:
        """Watches all threads of the process from now on."""
        global _watch
        _watch = self
        threading.excepthook = self._of_thread

    def tell(self, error: BaseException, where: str) -> None:
        """Begins the end of the process. Only the first is told in `diagnostics`; all are logged."""
        if is_of_an_end(error) and not self._node.context.ok():
            return  # the context went away between a thread's look at it and its use of it: an end like any other
        _LOG.critical('%s broke off', where, exc_info=error)
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
        said = f'{name} has ended: {where} broke off with {type(error).__name__}: {error}'
        frames = traceback.extract_tb(error.__traceback__)
        status = DiagnosticStatus(
            name=f'lucca: {name}', hardware_id=where, level=DiagnosticStatus.ERROR, message=_plain(said)
        )
        status.values = [
            KeyValue(key='thread', value=_plain(where)),
            KeyValue(key='error', value=type(error).__name__),
            KeyValue(key='line', value=f'{frames[-1].filename}:{frames[-1].lineno}' if frames else ''),
        ]
        msg = DiagnosticArray(status=[status])
        msg.header.stamp = self._node.get_clock().now().to_msg()
        try:
            self._publisher.publish(msg)
            self._publisher.wait_for_all_acked(Duration(seconds=_TOLD_S))
        except Exception as lost:
            if not is_of_an_end(lost):
                raise
            _LOG.warning('what broke could not be told in diagnostics: %s', lost)

    def _of_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is None or isinstance(args.exc_value, SystemExit):
            return
        thread = args.thread.name if args.thread is not None else 'a thread'
        self.tell(args.exc_value, f'thread {thread}')


def tell_crash(error: BaseException, where: str) -> bool:
    """Ends the process of the node because of an error that nobody expected; False where no node is watched."""
    if _watch is None:
        return False
    _watch.tell(error, where)
    return True


def _plain(text: str) -> str:
    """A text as a message can hold it, and of bounded length."""
    return ' '.join(text.split())[:_LONGEST].encode(errors='replace').decode()
