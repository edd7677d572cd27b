"""The status line of `lucca up`: what the robot is doing, below the output of its nodes."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.text import Text

from lucca_cli.output import Output
from lucca_cli.tasks_at_work import tasks_at_work
from lucca_core.errors import StackError
from lucca_core.protocol.tasks import INTERRUPTED, TaskState

if TYPE_CHECKING:
    from lucca_cli.client import StackClient

_EVERY_S = 1.0


def status_text(tasks: Iterable[TaskState]) -> str:
    """What the robot is doing, in one line."""
    known = tuple(tasks)
    parts = [
        f'{task.task}: {len(task.actions_done)} done' + (f', {len(task.left)} to go' if task.left else '')
        for task in known
        if task.status == 'running'
    ]
    waiting = [task.task for task in known if task.status == 'suspended']
    broken_off = [task.task for task in known if task.status == INTERRUPTED]
    undone = [task.task for task in known if task.undone]
    return ' · '.join(
        (
            *(parts or ['nothing is being done']),
            *([f'suspended: {", ".join(waiting)}'] if waiting else []),
            *([f'interrupted, as nobody reports working on it: {", ".join(broken_off)}'] if broken_off else []),
            *([f'no longer so: {", ".join(undone)}'] if undone else []),
        )
    )


@contextmanager
def status_line(show: Output, client: 'StackClient') -> Iterator[None]:
    """Shows the line for the block, updated once a second; shows nothing if the output is not a terminal."""
    if not show.console.is_terminal:
        yield
        return
    ended = threading.Event()
    with show.in_place() as draw:

        def keep() -> None:
            while not ended.wait(_EVERY_S):
                try:
                    text = status_text(tasks_at_work(client, timeout_s=_EVERY_S))
                except (StackError, ValueError):
                    text = 'the worker does not answer'
                draw(Text(text, style='cyan', no_wrap=True, overflow='ellipsis'))

        thread = threading.Thread(target=keep, name='status line', daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
