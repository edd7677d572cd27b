"""A process that ends with the one that started it, however that ends."""

import ctypes
import os
import signal

PARENT = 'LUCCA_PARENT'
"""Environment variable: the id of the process that nodes end with. Who starts nodes sets it; by hand there is none."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def ask_for_death_signal() -> None:
    """Has the kernel send this process a SIGTERM when the thread that started it ends. It outlives an exec."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def end_with_parent() -> None:
    """Ends with the process that `LUCCA_PARENT` names, where that is the parent.

    Raises:
        SystemExit: it is gone already.
    """
    text = os.environ.get(PARENT, '')
    if not (text.isascii() and text.isdigit()):
        return
    parent = int(text)
    if os.getppid() == parent:
        ask_for_death_signal()
    # Between the two lines it may have died. With a debugger in between the parent is another one, and looks after itself.
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
