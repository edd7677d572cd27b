"""`lucca tasks`: the state of each task, and forgetting a taught one."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lucca_cli.client import StackClient
from lucca_cli.exit_codes import EXIT_CANNOT, ended_by_signals
from lucca_cli.options import DataDir, Json
from lucca_cli.output import Output
from lucca_cli.tasks_at_work import tasks_at_work
from lucca_core.errors import ConfigError, FolderInUseError, MemoryFault, StackError
from lucca_core.paths import default_data_dir
from lucca_core.protocol.tasks import TaskState
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore
from lucca_memory.declarative.signature import key_of
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from lucca_memory.task_forgetting import forget_task

_WATCH_S = 0.5

app = typer.Typer()


@app.callback(invoke_without_command=True)
def tasks(
    context: typer.Context,
    as_json: Json = False,
    watch: Annotated[bool, typer.Option('--watch', help='Show changes until Ctrl-C.')] = False,
) -> None:
    """Shows the state of each task: what is done, what is left."""
    if context.invoked_subcommand is not None:
        return
    show = Output(as_json=as_json)
    with ended_by_signals(), StackClient() as client:
        client.require_stack()
        if watch:
            _watch(client, show)
            return
        reports = tasks_at_work(client)
        show.json([report.as_json() for report in reports]) if as_json else show.tasks(reports)


def _watch(client: StackClient, show: Output) -> None:
    """Shows the tasks in place, and again when they change; with --json, one line for each change. Until Ctrl-C."""
    with show.in_place() as draw, suppress(KeyboardInterrupt):
        known: tuple[TaskState, ...] | None = None
        while True:
            try:
                now = tasks_at_work(client)
            except StackError as error:
                # The worker may be restarting, so keep waiting for it.
                draw(Text(f'the tasks are not known now: {error}', style='yellow'))
                known = None
            else:
                if now != known:
                    if show.as_json:
                        show.json_line([report.as_json() for report in now])
                    else:
                        draw(show.task_table(now))
                known = now
            client.wait(_WATCH_S)


@app.command()
def forget(
    task: Annotated[str, typer.Argument(help='Name of the task.')],
    force: Annotated[bool, typer.Option(help='Forget it even if it is running or suspended.')] = False,
    data_dir: DataDir = None,
) -> None:
    """Forgets a taught task, in the running stack or else in the data folder. Its log is set aside, not deleted."""
    show = Output()
    try:
        aside = _forget(task, data_dir, force=force)
    except MemoryFault as error:
        if isinstance(error, FolderInUseError):
            raise
        show.error(str(error))
        raise typer.Exit(EXIT_CANNOT) from error
    show.line(f'{task} is forgotten' + (f'; its log is now tasks/{aside}' if aside else ''), 'green')


def _forget(task: str, data_dir: Path | None, *, force: bool) -> str:
    """Forgets a task; returns the new file name of its log, empty if there was none."""
    if data_dir is None:
        with StackClient() as client:
            if client.is_there():
                return client.forget_task(task, force=force)
    folder_path = data_dir or default_data_dir()
    if not folder_path.is_dir():
        raise ConfigError(f'there is no data folder {folder_path}')
    with DataFolder.open(folder_path, write=True, log_key=key_of('')) as folder:
        actions = load_actions()
        book = TaskBook(load_tasks(None, actions), actions, folder)
        aside = forget_task(book, LogStore(folder), task, force=force)
        return aside.name if aside is not None else ''
