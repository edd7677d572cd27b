"""Output to the terminal: live progress of goals, tables of tasks and objects, and JSON for machines."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from lucca_core.english import cut
from lucca_core.protocol.actions import objects_of
from lucca_core.protocol.goals import GoalFeedback, GoalResult
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import INTERRUPTED, TaskState

T = TypeVar('T')

STATUS_STYLE = {'finished': 'green', 'suspended': 'yellow', INTERRUPTED: 'yellow', 'running': 'cyan'} | dict.fromkeys(
    ('failed', 'refused'), 'red'
)


def _no_longer_so(task: TaskState) -> str:
    """The effects of a task that no longer hold, as a suffix to its status."""
    if not task.undone:
        return ''
    total = len(task.actions_done) + len(task.done_before) + len(task.undone)
    return f'; {len(task.undone)} of {total} no longer so: {", ".join(objects_of(task.undone))}'


class Output:
    """Writes to the terminal. With `as_json`, progress goes to standard error and only the JSON to standard out."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self.console = Console(stderr=as_json, highlight=False, emoji=False)

    def line(self, text: str, style: str = '') -> None:
        """One line of progress; `text` is printed as it is, without markup."""
        self.console.print(escape(text), style=style or None)

    def heading(self, text: str) -> None:
        """A rule across the terminal with a title."""
        self.console.rule(f'[bold]{escape(text)}', align='left')

    def error(self, text: str) -> None:
        """Prints an error to standard error, without line breaks, so that a path in it can be copied."""
        Console(stderr=True, highlight=False).print(f'[bold red]lucca:[/] {escape(text)}', soft_wrap=True)

    def question(self, text: str) -> None:
        """Prints a question to standard error; the answer is typed behind it."""
        Console(stderr=True, highlight=False).print(escape(text), end='')

    def feedback(self, task: str, step: GoalFeedback) -> None:
        """One step of a goal as it happens."""
        if step.phase == 'acting':
            self.console.print(f'  [dim]{escape(task):<12}[/] {escape(step.text):<36} [dim]…[/]')
        elif step.phase == 'acted':
            mark = '[green]done[/]' if step.code == 'done' else f'[yellow]{escape(step.code)}[/]'
            self.console.print(f'  [dim]{escape(task):<12}[/] {escape(step.text):<36} {mark}')
        elif step.phase == 'saying':
            self.console.print(f'  [italic]{escape(step.text)}[/]')
        elif step.phase == 'waiting':
            self.console.print(f'  [dim]waiting {escape(step.text)}[/]')
        elif step.phase == 'understood':
            self.console.print(f'  [dim]I understood: {escape(step.text)}[/]')
        elif step.phase == 'recalled':
            self.console.print(f'  [dim]recalled {escape(step.text)}[/]')

    def answer(self, report: GoalResult, *, told: Sequence[str]) -> None:
        """Prints the result of a goal in words. Sentences that were shown before (`told`) are not repeated."""
        left = report.left_to_say(told)
        if report.finished and not report.actions_done and report.said:
            # For example a stop: nothing was done, so the answer is all there is to show.
            if left:
                self.console.print(f'  [italic]{escape(left)}[/]')
        else:
            self.report(replace(report, said=left))

    def report(self, report: GoalResult) -> None:
        """Prints the result of a goal."""
        style = STATUS_STYLE.get(report.status, '')
        name = report.task or 'goal'
        self.console.print(
            f'  [bold]{escape(name)}[/] [{style or "default"}]{escape(report.status)}[/]'
            + f': {len(report.actions_done)} done'
            + (f', {len(report.done_before)} done before' if report.done_before else '')
            + (f', found undone: {escape(", ".join(objects_of(report.undone)))}' if report.undone else '')
            + (f', left: {escape(", ".join(report.left))}' if report.left else '')
            + (f' ({escape(report.reason)})' if report.reason else '')
        )
        if report.said:
            self.console.print(f'  [italic]“{escape(report.said)}”[/]')

    def tasks(self, tasks: Iterable[TaskState]) -> None:
        """Prints the state of every task."""
        self.console.print(self.task_table(tasks))

    def bar(self, items: Iterable[T], what: str, total: int) -> Iterator[T]:
        """The items, with a progress bar up to `total` if the output is a terminal."""
        shown = self.console.is_terminal
        yield from track(items, what, total=total, console=self.console, transient=True, disable=not shown)

    @contextmanager
    def in_place(self) -> Iterator[Callable[[RenderableType], None]]:
        """For the block, a function that draws over its previous output; without a terminal, line by line."""
        if not self.console.is_terminal:
            yield self.console.print
            return
        with Live(console=self.console, auto_refresh=False) as live:
            yield lambda shown: live.update(shown, refresh=True)

    def task_table(self, tasks: Iterable[TaskState]) -> Table:
        """The state of every task, as a table."""
        table = Table('task', 'status', 'done', 'left', 'open')
        for task in tasks:
            style = STATUS_STYLE.get(task.status, 'default')
            table.add_row(
                escape(f'{task.task}: {cut(task.description, 60)}' if task.described else task.task),
                f'[{style}]{escape(task.status)}[/]{escape(_no_longer_so(task))}',
                escape('\n'.join([*(f'before: {action}' for action in task.done_before), *task.actions_done])),
                escape(', '.join(task.left)),
                escape(task.open_intent),
            )
        return table

    def objects(self, snapshot: Snapshot) -> None:
        """Prints what is on the table."""
        table = Table('object', 'attributes', 'where', 'x m', 'y m', 'z m', 'seen')
        for item in snapshot.objects:
            x, y, z = item.pose_world.position_m
            seen = 'yes' if item.visible else 'inferred' if item.inferred else 'no'
            table.add_row(
                escape(item.name),
                escape(', '.join(item.attributes)),
                escape(item.container),
                f'{x:.3f}',
                f'{y:.3f}',
                f'{z:.3f}',
                seen,
            )
        self.console.print(table)

    def json(self, value: Any) -> None:
        """Prints JSON to standard out."""
        sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + '\n')
        sys.stdout.flush()

    def json_line(self, value: Any) -> None:
        """Prints JSON as one line to standard out, for one of several answers."""
        sys.stdout.write(json.dumps(value, ensure_ascii=False) + '\n')
        sys.stdout.flush()
