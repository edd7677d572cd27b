"""Functions that end a process together with the process that started it, however the latter ends."""

import ctypes
import os
import signal

PARENT = 'LUCCA_PARENT'
"""Environment variable with the id of the process that nodes end with; not set for nodes started by hand."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def request_death_signal() -> None:
    """Makes the kernel send SIGTERM when the thread that started this process ends. This survives an exec."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def end_with_parent() -> None:
    """Makes this process end with its parent, if `LUCCA_PARENT` names it.

    Raises:
        SystemExit: the process named there is already gone.
    """
    text = os.environ.get(PARENT, '')
    if not (text.isascii() and text.isdigit()):
        return
    parent = int(text)
    if os.getppid() == parent:
        request_death_signal()
    # The parent may have died between the two calls. Under a debugger, the parent is another process.
    if os.getppid() != parent and not _is_there(parent):
        raise SystemExit(f'process {parent}, which started this one, is gone')


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
