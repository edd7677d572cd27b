"""`lucca bench logs`: the time to write a log entry on this disk."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_lab.bench.log_speed import measure


def bench_logs(
    entries: Annotated[int, typer.Option(min=1, help='Entries of each kind.')] = 500,
    folder: Annotated[Optional[Path], typer.Option(help='Folder on the disk that is measured.')] = None,
    as_json: Json = False,
) -> None:
    """Measures writing a log entry, with head and signature, against a bare append and sync."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        figures = measure(entries, folder)
        if as_json:
            show.json(figures)
            return
        for name, value in figures.items():
            show.line(f'{name:<16} {value:8.2f}')
