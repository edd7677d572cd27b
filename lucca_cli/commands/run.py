"""`lucca run`: does named or described tasks, on the running stack or on one started for them."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli import goal_runs
from lucca_cli.exit_codes import EXIT_USAGE, ended_by_signals
from lucca_cli.options import Engine, Json, Llm, Robot, Scene, Seed, WorkerLlm
from lucca_cli.output import Output
from lucca_cli.stack import StackOptions
from lucca_core.protocol.goals import GoalRequest


def run(
    tasks: Annotated[Optional[list[str]], typer.Argument(help='Names of tasks, done one after the other.')] = None,
    describe: Annotated[str, typer.Option(help='A task in words instead of a name.')] = '',
    objects: Annotated[
        str, typer.Option(help='Objects on the table, separated by commas, if a stack is started.')
    ] = '',
    scene: Scene = '',
    robot: Robot = '',
    seed: Seed = None,
    out: Annotated[
        Optional[Path], typer.Option(help='Folder for trace, logs and memory, if a stack is started.')
    ] = None,
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    engine: Engine = '',
    priority: Annotated[int, typer.Option(help='Priority of the tasks; a higher one suspends the running task.')] = 0,
    restart: Annotated[bool, typer.Option(help='Start over instead of resuming.')] = False,
    confirm: Annotated[
        str,
        typer.Option(help='Confirm the one call that the robot waits for, as it names it; valid for one execution.'),
    ] = '',
    as_json: Json = False,
) -> None:
    """Does tasks on the running stack, or on one started for them. A line with "stop" on standard input stops the robot
    meanwhile. Exit code 0: complete; 3: impossible; 4: stopped or suspended."""
    show = Output(as_json=as_json)
    how = GoalRequest(priority=priority, restart=restart, confirmed=confirm)
    requests = [replace(how, task=name) for name in tasks or []]
    if describe:
        requests.append(replace(how, text=describe))
    if confirm and len(requests) > 1:
        show.error('--confirm is for one call of one task; give one task only')
        raise typer.Exit(EXIT_USAGE)
    if not requests:
        show.error('give the name of a task (lucca tasks lists them) or --describe "TEXT"')
        raise typer.Exit(EXIT_USAGE)
    names = tuple(name.strip() for name in objects.split(',') if name.strip())
    options = StackOptions(
        scene=scene, robot=robot, objects=names, seed=seed, llm=llm, worker_llm=worker_llm, engine=engine
    )
    with ended_by_signals():
        may_ask = not as_json and sys.stdin is not None and sys.stdin.isatty()
        result = goal_runs.run_goals(requests, options, out, show, may_ask=may_ask)
        if as_json:
            show.json(result.as_json())
        else:
            show.line(result.sentence(), 'green' if result.succeeded else 'yellow')
        raise typer.Exit(result.exit_code)
