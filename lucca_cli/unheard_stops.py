"""Stops that no action node answered: left on the disk, where the action node of this machine finds them."""

from action_node.stop.unheard_stop import UnheardStop
from lucca_core.claim import STACK, holder
from lucca_core.paths import default_state_dir


def left_on_disk(domain: int, namespace: str) -> str:
    """Leaves a stop to an action node that hangs or is about to start again, if a stack runs on this machine.

    Returns what to say about it, beginning with its punctuation; an empty text if no stack runs here.
    """
    if not any(holder(kind, domain, namespace) for kind in (STACK, 'action')):
        return ''
    stop = UnheardStop(default_state_dir(), namespace, domain)
    try:
        stop.set()
    except OSError as error:
        return f'; nor could the stop be left on the disk: {error}'
    # Another user, or another LUCCA_STATE_DIR, would look elsewhere.
    return f'. The stop waits in {stop.file}: an action node that looks there holds the arms as soon as it runs again'
