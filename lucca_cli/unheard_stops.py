"""Stops that no action node answered: left on the disk, where the action node of this machine finds them."""

import os
from pathlib import Path

from action_node.stop.unheard_stop import UnheardStop
from lucca_core.claim import STACK, environment_of, holder, holders_everywhere, owner_of
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
    for folder, owner in folders.items():
        stop = UnheardStop(folder, namespace, domain)
        try:
            _leave(stop, owner)
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


def _leave(stop: UnheardStop, owner: tuple[int, int] | None) -> None:
    """Leaves a stop, with folders that belong to `owner`, so that the stack of another user can take it away again.

    Raises:
        OSError: it cannot be left.
    """
    made = [part for part in (stop.file, *stop.file.parents) if not os.path.lexists(part)]
    stop.set()
    if owner is not None and os.geteuid() == 0:
        for part in made:
            os.chown(part, *owner, follow_symlinks=False)


def _folders(domain: int, namespace: str) -> tuple[dict[Path, tuple[int, int] | None], list[str]]:
    """The state folders to leave a stop in, with user and group of their stack; and what could not be found out."""
    folders: dict[Path, tuple[int, int] | None] = {default_state_dir(): None}
    unknown = []
    for kind in _KINDS:
        try:
            environment, owner = environment_of(kind, domain, namespace), owner_of(kind, domain, namespace)
        except OSError as error:
            unknown.append(f'where {holder(kind, domain, namespace) or kind} looks is not known: {error.strerror}')
            continue
        if environment is not None:
            folders[default_state_dir(environment)] = owner
    return folders, unknown


def _elsewhere() -> str:
    """Where action nodes run on this machine that this stop was not for."""
    others = [
        f'ROS_DOMAIN_ID={domain} LUCCA_NAMESPACE={namespace} lucca stop'
        for domain, namespace in holders_everywhere('action')
    ]
    return f'. An action node runs elsewhere on this machine; to stop it: {", or ".join(others)}' if others else ''
