"""`lucca log`: shows and verifies declarative logs, and accepts the readable part of a damaged one."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.exit_codes import EXIT_FAILED, EXIT_USAGE
from lucca_cli.options import DataDir, Json
from lucca_cli.output import Output
from lucca_cli.writable_folder import writable_folder
from lucca_core.paths import default_data_dir
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import log_text
from lucca_memory.declarative.repair import accept_log
from lucca_memory.declarative.signature import key_of, make_key
from lucca_memory.declarative.verification import verify_log, verify_logs


def log(
    task: Annotated[str, typer.Argument(help='Name of the task; may be left out with --verify.')] = '',
    verify: Annotated[
        bool, typer.Option('--verify', help='Check whether the log is whole; without TASK, all logs.')
    ] = False,
    accept: Annotated[
        bool,
        typer.Option('--accept', help='Continue a damaged log with what can be read of it; the damaged file is kept.'),
    ] = False,
    key: Annotated[Optional[Path], typer.Option(help='Key of signed logs; LUCCA_LOG_KEY if not given.')] = None,
    make: Annotated[
        Optional[Path],
        typer.Option('--make-key', help="Write a new key that signs logs to this file, for the worker's log_key."),
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Prints the declarative log of a task from the data folder; no stack needs to be running."""
    show = Output(as_json=as_json)
    if accept and verify:
        show.error('--verify and --accept cannot be combined')
        raise typer.Exit(EXIT_USAGE)
    if make is not None and (accept or verify):
        show.error('--make-key cannot be combined with --verify or --accept')
        raise typer.Exit(EXIT_USAGE)
    if make is not None:
        show.line(f'wrote {make}, only for the worker, and {make_key(make)}, for those who verify logs', 'green')
        return
    if not task and not verify:
        show.error('give the name of a task (lucca log --verify lists those that have a log)')
        raise typer.Exit(EXIT_USAGE)
    folder_path = data_dir or default_data_dir()
    log_key = key_of(str(key or ''))
    if accept:
        with writable_folder(folder_path, log_key) as writable:
            done = accept_log(writable, task)
        show.json({'task': task, 'done': done}) if as_json else show.line(done, 'green')
        return
    if not verify:
        text = log_text(folder_path, task)
        show.json({'task': task, 'log': text}) if as_json else sys.stdout.write(text)
        return
    with DataFolder.open(folder_path, write=False, log_key=log_key) as folder:
        found = (verify_log(folder, task),) if task else verify_logs(folder)
    if as_json:
        show.json([asdict(item) for item in found])
    for item in found if not as_json else ():
        show.line(item.sentence(), 'red' if item.damage else 'yellow' if item.odd else 'green')
    if any(item.damage for item in found):
        raise typer.Exit(EXIT_FAILED)
