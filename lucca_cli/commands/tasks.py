"""`lucca tasks`: the state of each task, and forgetting one that was taught."""

from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.client import StackClient
from lucca_cli.exit_codes import EXIT_CANNOT
from lucca_cli.options import DataDir, Json
from lucca_cli.output import Output
from lucca_core.errors import ConfigError, FolderInUseError, MemoryFault
from lucca_core.paths import default_data_dir
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore
from lucca_memory.declarative.signature import key_of
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from lucca_memory.task_forgetting import forget_task

app = typer.Typer()


@app.callback(invoke_without_command=True)
def tasks(context: typer.Context, as_json: Json = False) -> None:
    """The state of each task: what is done, what is left."""
    if context.invoked_subcommand is not None:
        return
    show = Output(as_json=as_json)
    with StackClient() as client:
        client.require_stack()
        reports = client.tasks()
        show.json([report.as_json() for report in reports]) if as_json else show.tasks(reports)


@app.command()
def forget(
    task: Annotated[str, typer.Argument(help='Name of the task.')],
    force: Annotated[bool, typer.Option(help='Also one that is running or suspended.')] = False,
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
    """The file name that the log has now; empty if there was none."""
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
