"""An exit deadline: a process that is still alive then prints its threads' stacks and ends with exit code 1."""

import faulthandler
import threading

_lock = threading.Lock()
_set = False


def set_exit_deadline(end_s: float) -> None:
    """Ends the process if it is still alive `end_s` (wall time, s) later: prints its threads' stacks, exits with 1.

    The first call counts; later calls do not postpone the deadline. The deadline also covers the end of the
    interpreter, which waits for threads. It cannot be cancelled.
    """
    global _set
    with _lock:
        if not _set:
            # Only a deadline that was set counts: if this raises, the next step of the end tries again.
            faulthandler.dump_traceback_later(end_s, exit=True)
            _set = True
