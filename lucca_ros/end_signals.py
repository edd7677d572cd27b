"""SIGINT and SIGTERM, which tell a node to end: a separate thread shuts down its context."""

import os
import signal
import threading

from rclpy.context import Context
from rclpy.exceptions import InvalidHandle

from lucca_ros.exit_deadline import set_exit_deadline

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_CLOSED = b'\0'
"""No signal has this number."""


class EndSignals:
    """Shuts down a context when the process is told to end.

    Used in the main thread. The process must have ended `end_s` (wall time, s) after the signal. Child processes must
    be spawned, not forked, because a forked child would share the pipe that this class reads.

    It replaces rclpy's signal handlers. Their thread goes through the guard conditions of all executors; the first one
    wakes the main thread, which destroys the others in the meantime. Now and then that ended a process with signal 11.
    rclpy's handlers also raise KeyboardInterrupt wherever the main thread is, which a library may take for an error.
    """

    def __init__(self, context: Context, end_s: float) -> None:
        self._context = context
        self._end_s = end_s
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._thread = threading.Thread(target=self._wait, name='signals', daemon=True)

    def install(self) -> None:
        """Starts to listen."""
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in SIGNALS:
            # Python writes the number to the pipe whatever the main thread is doing, so the handler itself has nothing
            # to do.
            signal.signal(number, lambda *_: None)
        self._thread.start()

    def close(self) -> None:
        """Waits for the end of a shutdown that has begun, whose parts are destroyed next. Later signals do nothing."""
        signal.set_wakeup_fd(-1)
        os.write(self._write, _CLOSED)
        self._thread.join()
        os.close(self._read)
        os.close(self._write)

    def _wait(self) -> None:
        while (told := os.read(self._read, 1)) != _CLOSED:
            if told[0] not in SIGNALS or not self._context.ok():
                continue
            # Reports where the process hangs, and ends it. Nothing else would while a node loads a model.
            set_exit_deadline(self._end_s)
            try:
                self._context.try_shutdown()
            except InvalidHandle:
                # An executor was destroyed just as it was to be woken. The others check the context every second.
                continue
