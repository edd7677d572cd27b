"""`lucca eval perception`: detection quality on rendered tables in varied light, or on labelled photographs."""

import json
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lucca_cli.exit_codes import EXIT_FAILED, telling_errors
from lucca_cli.output import Output
from lucca_lab.perception.photos import measure_photos, photo_table
from lucca_lab.perception.report import table, write_report
from lucca_lab.perception.run import PerceptionPlan, run


def perception(
    scenes: Annotated[int, typer.Option(help='Number of random tables that are seen once.')] = 500,
    sequences: Annotated[int, typer.Option(help='Number of random tables on which an arm moves something.')] = 100,
    seed: Annotated[int, typer.Option(help='Seed of the random tables.')] = 1,
    out: Annotated[Path, typer.Option(help='Folder of the run; an existing run is continued.')] = Path(
        'out/perception'
    ),
    detector: Annotated[str, typer.Option(help="Detector spec, as in perception's setting detector.")] = 'prototypes',
    frames: Annotated[
        str, typer.Option(help='Folder that keeps rendered pictures, for other detectors and later runs (1 MB each).')
    ] = '',
    photos: Annotated[
        Optional[Path],
        typer.Option(
            help='Measure on photographs instead: a folder with classes.txt, images/ and labels/, boxes as in YOLO.'
        ),
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help='Worker processes.')] = 1,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures precision, recall, position error, identity switches and frames per second; draws the worst cases."""
    show = Output(as_json=as_json)
    if photos is not None:
        _photos(show, photos, detector, out)
        return
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with telling_errors(show, wrong_call=ValueError, goes_on=True):
        plan = PerceptionPlan(scenes=scenes, sequences=sequences, seed=seed, detector=detector, frames=frames)
        with Progress(*columns, TimeRemainingColumn(), disable=as_json or not sys.stderr.isatty()) as progress:
            bars = {name: progress.add_task(name, total=None) for name in ('scenes', 'sequences')}
            results = run(
                plan,
                out,
                processes=processes,
                on_done=lambda name, done, total: progress.update(bars[name], completed=done, total=total),
            )
        summary = write_report(plan, results, out)
    if as_json:
        show.json(summary)
    else:
        show.console.print(Markdown(table(plan, results)))
        show.line(f'written to {out}', 'green')
    if any(item['kept'] is False for item in summary['figures'].values()):
        raise typer.Exit(EXIT_FAILED)


def _photos(show: Output, folder: Path, detector: str, out: Path) -> None:
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with telling_errors(show):
        with Progress(*columns, TimeRemainingColumn(), disable=show.as_json or not sys.stderr.isatty()) as progress:
            bar = progress.add_task('photographs', total=None)
            measured = measure_photos(
                folder, detector, lambda done, total: progress.update(bar, completed=done, total=total)
            )
        out.mkdir(parents=True, exist_ok=True)
        (out / 'photos.json').write_text(json.dumps(measured, indent=2) + '\n', encoding='utf-8')
        (out / 'photos.md').write_text(photo_table(measured), encoding='utf-8')
    if show.as_json:
        show.json(measured)
    else:
        show.console.print(Markdown(photo_table(measured)))
        show.line(f'written to {out}', 'green')
