"""Which process goes first where there are more of them than cores, and what it does not stop to look at."""

import gc
import os
import shutil
from collections.abc import Iterable, Sequence

URGENT_NICE = -10
"""On Linux nine times the share of an ordinary process, and the core sooner after waking up."""
ORDINARY_NICE = 0
_CALLING = 0


def go_first(threads: Iterable[int] = (_CALLING,)) -> str:
    """Lets these threads, by default the calling one, and those that they begin from now on go before ordinary ones.

    It takes root, CAP_SYS_NICE, or a limit for `nice` (RLIMIT_NICE) of -10 or less.

    Returns:
        Why they do not; empty: they do.
    """
    for thread in threads:
        try:
            os.setpriority(os.PRIO_PROCESS, thread, URGENT_NICE)
        except ProcessLookupError:
            # It ended meanwhile.
            continue
        except OSError as error:
            return f'nice {URGENT_NICE} was refused ({error}); a limit for nice in /etc/security/limits.d allows it'
    return ''


def go_with_the_others() -> None:
    """Takes it back for the calling thread: what computes long begins with this in a process of who goes first."""
    if os.getpriority(os.PRIO_PROCESS, _CALLING) < ORDINARY_NICE:
        os.setpriority(os.PRIO_PROCESS, _CALLING, ORDINARY_NICE)


def as_the_others(command: Sequence[str]) -> list[str]:
    """A command that goes with the others even where the calling thread goes first: a program has the priority of who starts it."""
    ahead = ORDINARY_NICE - os.getpriority(os.PRIO_PROCESS, _CALLING)
    nice = shutil.which('nice')
    return [nice, '-n', str(ahead), *command] if ahead > 0 and nice is not None else list(command)


def keep_what_is_here() -> None:
    """Has the garbage collector leave alone all that there is now: modules, models, what was configured.

    A full collection holds up every thread of a process, with the libraries of an action node for 80 ms and more, and comes
    at any time. Behind this it looks only at what has been made since.
    """
    gc.collect()
    gc.freeze()


def own_threads() -> list[int]:
    """The threads of this process now, as the kernel numbers them."""
    return [int(name) for name in os.listdir('/proc/self/task')]
