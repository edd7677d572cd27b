"""The time by which a process that ends has to be gone."""

import faulthandler
import threading

_lock = threading.Lock()
_set = False


def set_exit_deadline(end_s: float) -> None:
    """Ends the process with 1 and the stacks of its threads if it still lives `end_s` (wall time, s) later.

    The first call counts, so that no later step of an end puts it off. It holds for the interpreter's own end too,
    which waits for threads; nothing takes it back.
    """
    global _set
    with _lock:
        if _set:
            return
        _set = True
    faulthandler.dump_traceback_later(end_s, exit=True)
