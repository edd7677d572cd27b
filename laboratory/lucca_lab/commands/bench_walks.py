"""`lucca bench walks`: the functions through which a command and a detection pass."""

import tempfile
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_core.paths import config_dir
from lucca_lab.walks.measure import measure


def bench_walks(
    checkout: Annotated[Optional[Path], typer.Option(help='Another checkout to trace, with the same messages.')] = None,
    out: Annotated[Optional[Path], typer.Option(help='Folder for traces and logs; removed if not given.')] = None,
    as_json: Json = False,
) -> None:
    """Lists the functions through which a command goes to the arms, and a detection into the log."""
    show = Output(as_json=as_json)
    with telling_errors(show), tempfile.TemporaryDirectory(prefix='lucca-walks-') as temporary:
        root = (checkout or config_dir().parent).resolve()
        walks = measure(root, (out or Path(temporary)).resolve())
        if as_json:
            show.json(walks)
            return
        for walk in walks:
            show.heading(
                f'{walk["walk"]}: {walk["count"]} stops, {walk["entered"]} of them entered from another module'
            )
            for stop in walk['stops']:
                show.line(f'  {stop["lines"]:>4} lines {">" if stop["entered"] else " "} {stop["function"]}')
            show.line(f'  longest function: {walk["longest_function_lines"]} lines')
        show.line(f'one snapshot: {walks[0]["encodings"]} encodings, {walks[0]["decodings"]} decodings at most')
