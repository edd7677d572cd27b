"""Priority of processes and threads, and a garbage collector that does not delay them."""

import gc
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

URGENT_NICE = -10
"""On Linux, this gives nine times the CPU share of an ordinary process, and a core sooner after waking up."""
ORDINARY_NICE = 0
_CALLING = 0
_HOW_TO_ALLOW = 'a limit for nice in /etc/security/limits.d allows it'
_AUTOGROUP = Path('/proc/self/autogroup')
_GROUP_RETRY_S = 0.11
"""Linux accepts a change of any session's priority by an ordinary user only every 0.1 s."""
_GROUP_TRIES = 10


def raise_priority(threads: Iterable[int] = (_CALLING,)) -> str:
    """Raises the priority of threads, by default the calling thread. Threads that they start later inherit it.

    Needs root, CAP_SYS_NICE or a limit for `nice` (RLIMIT_NICE) of -10 or less.

    Returns:
        Why it failed; empty on success.
    """
    for thread in threads:
        try:
            os.setpriority(os.PRIO_PROCESS, thread, URGENT_NICE)
        except ProcessLookupError:
            # The thread has ended.
            continue
        except OSError as error:
            return f'nice {URGENT_NICE} was refused ({error}); {_HOW_TO_ALLOW}'
    return ''


def raise_session_priority() -> str:
    """Raises the priority of the session that the calling process leads; does nothing in a process that leads none.

    Where Linux groups processes by session (autogroup, the default of Ubuntu and Debian), `nice` only counts among the
    processes of one session, and a node that was started in a session of its own is alone there. This gives all its
    threads, and processes that it starts in that session, URGENT_NICE against other sessions.

    Returns:
        Why it failed; empty on success.
    """
    if os.getsid(0) != os.getpid() or not _AUTOGROUP.exists():
        return ''
    for _ in range(_GROUP_TRIES):
        try:
            _AUTOGROUP.write_text(str(URGENT_NICE))
        except BlockingIOError:
            time.sleep(_GROUP_RETRY_S)
        except OSError as error:
            return f'priority {URGENT_NICE} of its session was refused ({error}); {_HOW_TO_ALLOW}'
        else:
            return ''
    return f'priority {URGENT_NICE} of its session was not accepted within {_GROUP_TRIES * _GROUP_RETRY_S:.1f} s'


def leave_session_priority() -> None:
    """Moves the calling process to a session of its own, at ordinary priority: for long computations."""
    if os.getsid(0) != os.getpid():
        os.setsid()


def reset_priority() -> None:
    """Resets the priority of the calling thread to the ordinary one, for long computations in an urgent process."""
    if os.getpriority(os.PRIO_PROCESS, _CALLING) < ORDINARY_NICE:
        os.setpriority(os.PRIO_PROCESS, _CALLING, ORDINARY_NICE)


def at_ordinary_priority(command: Sequence[str]) -> list[str]:
    """A command line that runs at ordinary priority instead of inheriting a raised one from the calling thread.

    Where Linux groups processes by session, start it in a session of its own as well.
    """
    ahead = ORDINARY_NICE - os.getpriority(os.PRIO_PROCESS, _CALLING)
    nice = shutil.which('nice')
    return [nice, '-n', str(ahead), *command] if ahead > 0 and nice is not None else list(command)


def freeze_current_objects() -> None:
    """Excludes all current objects, such as modules and models, from garbage collection.

    A full collection stops all threads of the process at unpredictable times; with the libraries of an action node, for
    80 ms or more. After this call, collections visit only newer objects.
    """
    gc.collect()
    gc.freeze()
