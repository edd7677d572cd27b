"""`lucca attack`: tries to break a promise of the stack with many random inputs."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from lucca_cli.exit_codes import EXIT_FAILED, telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_lab.attack.attack import Attack
from lucca_lab.attack.campaign import Report, run_campaign
from lucca_lab.attack.registry import NEED_ROS, PARTS, find_part
from lucca_lab.dds_domains import own_domain

app = typer.Typer()


@app.command()
def attack(
    name: Annotated[str, typer.Argument(metavar='PART', help='What to attack; --list shows the names.')] = '',
    count: Annotated[int, typer.Option(min=0, help='Trials; 0: as many as the soak makes.')] = 0,
    seed: Annotated[int, typer.Option(min=0, help='Seed of the first trial; the others follow.')] = 0,
    list_parts: Annotated[bool, typer.Option('--list', help='List the parts with their promises.')] = False,
    as_json: Json = False,
) -> None:
    """Tries one promise with drawn inputs; ends with 1 if any of them broke it.

    It has a DDS domain of its own on this machine: nothing that it sends reaches a robot or a stack that runs.
    """
    show = Output(as_json=as_json)
    if list_parts:
        for part_name, place in PARTS.items():
            show.line(f'{part_name}  {_promise(place, part_name)}')
        return
    try:
        part = find_part(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    wanted = count or part.count
    with telling_errors(show), own_domain(), tempfile.TemporaryDirectory(prefix='lucca-attack-') as folder:
        report = _with_progress(part, Path(folder), wanted, seed, show)
    if as_json:
        show.json(report.as_json())
    else:
        show.line(f'{part.name}: {part.promise}')
        show.line(
            f'tried {report.tried}, broke {report.broke}; '
            + ', '.join(f'{name} {total}' for name, total in report.counts.items())
        )
        for text in report.notes:
            show.line(f'  {text}')
        for text in report.told:
            show.line(f'  {text}', 'red')
    if report.broke:
        raise typer.Exit(EXIT_FAILED)


def _with_progress(part: Attack, folder: Path, count: int, seed: int, show: Output) -> Report:
    with Progress(console=show.console, transient=True, disable=not show.console.is_terminal) as progress:
        bar = progress.add_task(part.name, total=count)
        return run_campaign(
            part, folder, count=count, seed=seed, on_trial=lambda tried, broke: progress.update(bar, completed=tried)
        )


def _promise(place: str, name: str) -> str:
    try:
        return find_part(name).promise
    except ImportError as error:
        return f'cannot be tried here: {error}' if place.startswith(NEED_ROS) else str(error)
