"""The tasks of a stack, with those that nobody carries out any more although memory lists them as running."""

from dataclasses import replace
from typing import TYPE_CHECKING

from lucca_core.errors import StackError
from lucca_core.protocol.tasks import INTERRUPTED, TaskState

if TYPE_CHECKING:
    from lucca_cli.client import StackClient

PATIENCE_S = 3.0
"""Time after which a coordinator that does not report what it does counts as gone, in s of wall time."""
_RUNNING, _IDLE = 'running ', 'idle'


def tasks_at_work(client: 'StackClient', timeout_s: float = 8.0) -> tuple[TaskState, ...]:
    """The state of each task, `interrupted` where it is running by the log but not for the coordinator.

    Its coordinator died, hangs or was started again in the middle of it.

    Raises:
        StackError: the worker does not answer.
    """
    known = client.tasks(timeout_s)
    if not (listed := _running(known)):
        return known
    doing = _doing(client)
    known = client.tasks(timeout_s)  # a goal may have ended since the first answer
    if doing.strip() == _RUNNING.strip():
        return known  # a text that is still being read
    left = listed & _running(known) - {doing.removeprefix(_RUNNING)}
    return tuple(replace(item, status=INTERRUPTED) if item.task in left else item for item in known)


def _running(tasks: tuple[TaskState, ...]) -> set[str]:
    return {item.task for item in tasks if item.status == 'running'}


def _doing(client: 'StackClient') -> str:
    try:
        return client.said_by('coordinator', PATIENCE_S)
    except StackError:
        return _IDLE
