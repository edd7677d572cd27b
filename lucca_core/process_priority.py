"""Priority of processes and threads, and a garbage collector that does not delay them."""

import gc
import os
import shutil
from collections.abc import Iterable, Sequence

URGENT_NICE = -10
"""On Linux, this gives nine times the CPU share of an ordinary process, and a core sooner after waking up."""
ORDINARY_NICE = 0
_CALLING = 0


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
            return f'nice {URGENT_NICE} was refused ({error}); a limit for nice in /etc/security/limits.d allows it'
    return ''


def reset_priority() -> None:
    """Resets the priority of the calling thread to the ordinary one, for long computations in an urgent process."""
    if os.getpriority(os.PRIO_PROCESS, _CALLING) < ORDINARY_NICE:
        os.setpriority(os.PRIO_PROCESS, _CALLING, ORDINARY_NICE)


def at_ordinary_priority(command: Sequence[str]) -> list[str]:
    """A command line that runs at ordinary priority instead of inheriting a raised one from the calling thread."""
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
