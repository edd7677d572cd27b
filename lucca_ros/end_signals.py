"""SIGINT and SIGTERM, which tell a node to end: a thread of their own shuts its context down."""

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
    """Shuts a context down when the process is told to end, which has to be gone `end_s` (wall time, s) later.

    Used in the main thread. Children are to be spawned, not forked: these would share what it listens to.

    Instead of rclpy's handlers. Their thread goes through the guard conditions of all executors, and the first of these
    wakes the main thread, which destroys the others meanwhile: now and then that ended a process with signal 11. They
    also raise KeyboardInterrupt in the middle of whatever the main thread does, which a library may take for an error.
    """

    def __init__(self, context: Context, end_s: float) -> None:
        self._context = context
        self._end_s = end_s
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._thread = threading.Thread(target=self._wait, name='signals', daemon=True)

    def install(self) -> None:
        """Listens from now on."""
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in SIGNALS:
            # The number is written to the pipe, whatever the main thread does; nothing is left to be done there.
            signal.signal(number, lambda *_: None)
        self._thread.start()

    def close(self) -> None:
        """Waits for a shutdown that has begun, so that what it wakes may be destroyed. Later signals do nothing."""
        signal.set_wakeup_fd(-1)
        os.write(self._write, _CLOSED)
        self._thread.join()
        os.close(self._read)
        os.close(self._write)

    def _wait(self) -> None:
        while (told := os.read(self._read, 1)) != _CLOSED:
            if told[0] not in SIGNALS or not self._context.ok():
                continue
            # Says where it hangs, and ends it; nothing else would while a node loads a model.
            set_exit_deadline(self._end_s)
            try:
                self._context.try_shutdown()
            except InvalidHandle:
                # An executor ended while it was to be woken. The others look at the context ten times a second.
                continue
