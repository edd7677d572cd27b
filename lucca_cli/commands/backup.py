"""`lucca backup` and `lucca restore`: the whole data folder in one file, and back."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.options import DataDir
from lucca_cli.output import Output
from lucca_core.paths import default_data_dir
from lucca_memory.backup import back_up, restore


def backup(
    file: Annotated[
        Optional[Path], typer.Argument(help='File to write (.tar.gz); in the data folder if not given.')
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Writes the whole data folder into one file, even while it is in use."""
    show = Output()
    show.line(str(back_up(data_dir or default_data_dir(), file, datetime.now(UTC))), 'green')


def restore_folder(
    file: Annotated[Path, typer.Argument(help='A file written by lucca backup.')],
    replace: Annotated[bool, typer.Option('--replace', help='Replace the memory that is there now.')] = False,
    data_dir: DataDir = None,
) -> None:
    """Restores a backup as the data folder. People erased since then stay erased."""
    show = Output()
    restore(file, data_dir or default_data_dir(), replace=replace)
    show.line(f'restored to {data_dir or default_data_dir()}', 'green')
