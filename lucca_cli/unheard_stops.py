"""Stops that no action node answered: left on the disk, where the action node of this machine finds them."""

from pathlib import Path

from action_node.stop.unheard_stop import UnheardStop
from lucca_core.claim import STACK, environment_of, holder, holders_everywhere
from lucca_core.english import and_list
from lucca_core.paths import default_state_dir

_KINDS = (STACK, 'action')


def left_on_disk(domain: int, namespace: str) -> str:
    """Leaves a stop to an action node that hangs or is about to start again, if a stack runs on this machine.

    It is left in the state folder of this process, and in those of the processes that run the stack. Returns what to
    say about it, beginning with its punctuation; if no stack runs in this domain and namespace, where others run.
    """
    if not any(holder(kind, domain, namespace) for kind in _KINDS):
        return _elsewhere()
    folders, unknown = _folders(domain, namespace)
    left: list[str] = []
    for folder in folders:
        stop = UnheardStop(folder, namespace, domain)
        try:
            stop.set()
        except OSError as error:
            unknown.append(f'nor could the stop be left on the disk: {error}')
        else:
            left.append(str(stop.file))
    doubts = ''.join(f'; {why}' for why in unknown)
    if not left:
        return doubts
    return (
        f'. The stop waits in {and_list(left)}: an action node that looks there holds the arms as soon as it runs again'
        f'{doubts}'
    )


def _folders(domain: int, namespace: str) -> tuple[list[Path], list[str]]:
    """The state folders to leave a stop in, and what could not be found out of them."""
    folders, unknown = [default_state_dir()], []
    for kind in _KINDS:
        try:
            environment = environment_of(kind, domain, namespace)
        except OSError as error:
            unknown.append(f'where {holder(kind, domain, namespace) or kind} looks is not known: {error.strerror}')
            continue
        if environment is not None and (folder := default_state_dir(environment)) not in folders:
            folders.append(folder)
    return folders, unknown


def _elsewhere() -> str:
    """Where action nodes run on this machine that this stop was not for."""
    others = [
        f'ROS_DOMAIN_ID={domain} LUCCA_NAMESPACE={namespace} lucca stop'
        for domain, namespace in holders_everywhere('action')
    ]
    return f'. An action node runs elsewhere on this machine; to stop it: {", or ".join(others)}' if others else ''
