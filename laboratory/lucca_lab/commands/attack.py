"""`lucca attack`: tries to break a promise of the stack with many random inputs."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress as Bar

from lucca_cli.exit_codes import EXIT_FAILED, telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_lab.attack.attack import Attack
from lucca_lab.attack.campaign import CampaignProgress, Report, begun, run_campaign
from lucca_lab.attack.registry import NEED_ROS, PARTS, find_part
from lucca_lab.dds_domains import own_domain

app = typer.Typer()


@app.command()
def attack(
    name: Annotated[str, typer.Argument(metavar='PART', help='Part to attack; --list shows the names.')] = '',
    count: Annotated[int, typer.Option(min=0, help='Number of trials; 0: as many as in the soak.')] = 0,
    seed: Annotated[int, typer.Option(min=0, help='Seed of the first trial; the others follow.')] = 0,
    resume: Annotated[bool, typer.Option('--resume', help='Continue where this campaign ended.')] = False,
    out: Annotated[Path, typer.Option(help='Folder that keeps the progress of each campaign.')] = Path('out/attack'),
    list_parts: Annotated[bool, typer.Option('--list', help='List the parts with their promises.')] = False,
    as_json: Json = False,
) -> None:
    """Tests one promise with random inputs. Exit code 1 if any of them broke it.

    It uses a DDS domain of its own on this machine: nothing it sends reaches a robot or a running stack.
    """
    show = Output(as_json=as_json)
    if list_parts:
        for part_name, place in PARTS.items():
            # One line for each, however narrow the terminal is: scripts use the first word of each line.
            typer.echo(f'{part_name}  {_promise(place, part_name)}')
        return
    try:
        part = find_part(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    wanted = count or part.count
    with telling_errors(show), own_domain(), tempfile.TemporaryDirectory(prefix='lucca-attack-') as folder:
        progress = CampaignProgress(out, part, seed)
        before = progress.load() if resume else begun(part)
        report = _with_bar(part, Path(folder), wanted, seed, show, progress, before)
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


def _with_bar(
    part: Attack, folder: Path, count: int, seed: int, show: Output, progress: CampaignProgress, before: Report
) -> Report:
    with Bar(console=show.console, transient=True, disable=not show.console.is_terminal) as bars:
        bar = bars.add_task(part.name, total=count)

        def on_trial(report: Report) -> None:
            progress.save(report)
            bars.update(bar, completed=report.tried)

        report = run_campaign(part, folder, count=count, seed=seed, on_trial=on_trial, before=before)
        progress.save(report, at_once=True)
        return report


def _promise(place: str, name: str) -> str:
    try:
        return find_part(name).promise
    except ImportError as error:
        return f'cannot be tried here: {error}' if place.startswith(NEED_ROS) else str(error)
