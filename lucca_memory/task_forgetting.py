"""Forgetting taught tasks: on request, and described ones automatically some time after their end.

The log of a forgotten task is set aside, never deleted. Configured tasks cannot be forgotten.
"""

from datetime import datetime, timedelta
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_memory.declarative.log import LogStore
from lucca_memory.declarative.replay import TaskStatus
from lucca_memory.task_book import TaskBook

_BEGUN = (TaskStatus.RUNNING, TaskStatus.SUSPENDED)


def forget_task(book: TaskBook, logs: LogStore, name: str, *, force: bool = False) -> Path | None:
    """Forgets a taught task and sets its log aside; returns the log's new path, None if there is none.

    Args:
        book: the tasks.
        logs: of the same folder, open for writing.
        name: of the task.
        force: also forget a running or suspended task.

    Raises:
        MemoryFault: it is unknown, configured, running or suspended, or the folder cannot be written; the message says
            which, and nothing was forgotten.
    """
    if book.taught(name) is None:
        if book.is_configured(name):
            raise MemoryFault(f'{name} is configured in config/tasks.yaml; remove it there')
        raise MemoryFault(f'no task is named {name[:80]!r}; known are {book.listed()}')
    state = logs.log(name).state
    if state.open_intent is not None:
        raise MemoryFault(
            f'{state.open_intent.action} of {name} is under way, or nobody has seen yet what came of it; '
            f'go on with {name} or any other task first: lucca run {name}'
        )
    if state.status in _BEGUN and not force:
        raise MemoryFault(f'{name} is {state.status}; finish it, or use --force to forget it anyway')
    # A configured task that was hidden by this one continues with its log.
    aside = None if book.is_configured(name) else logs.set_aside(name)
    book.forget(name)
    return aside


def forget_expired(book: TaskBook, logs: LogStore, now: datetime, kept_for: timedelta) -> tuple[str, ...]:
    """Forgets described tasks that have ended, or never began, and were not used for `kept_for`.

    Raises:
        MemoryFault: the folder cannot be written; tasks forgotten before that stay forgotten.
    """
    gone = []
    for taught in book.described():
        name = taught.spec.name
        if now - taught.used <= kept_for:
            continue
        try:
            log = logs.log(name)
        except MemoryFault:
            continue  # whether it has ended is unknown
        used = max([taught.used, *(entry.time for entry in log.last(1))])
        if now - used <= kept_for or log.state.status in _BEGUN or log.state.open_intent is not None:
            continue
        forget_task(book, logs, name)
        gone.append(name)
    return tuple(gone)
