"""`lucca robot`: descriptions of robots, and whether they are enough to run with."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer
import yaml

from lucca_cli.exit_codes import EXIT_FAILED
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_robot.robot_check import check_robot
from lucca_robot.robot_files import robots_dir
from lucca_robot.robot_package import get_robot

app = typer.Typer(
    no_args_is_help=True, help='Descriptions of robots: what is missing to use one, and where to get one.'
)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help='A profile (.yaml), a URDF or a xacro file.')],
    as_json: Json = False,
) -> None:
    """Says what is missing to run with a robot, and prints the beginning of its profile. Exits with 1 if not ok."""
    show, found = Output(as_json=as_json), check_robot(file)
    if as_json:
        show.json(dataclasses.asdict(found))
    else:
        show.line(f'{len(found.joints)} moving joints, {len(found.arms)} arms, {len(found.hands)} hands')
        for line in found.missing:
            show.line(f'missing: {line}', 'yellow')
        if found.profile is not None:
            typer.echo(yaml.safe_dump(found.profile, sort_keys=False, default_flow_style=None, width=120))
        if found.ok:
            show.line('ok', 'green')
    if not found.ok:
        raise typer.Exit(EXIT_FAILED)


@app.command()
def get(name: Annotated[str, typer.Argument(help='Name of a description, such as that of its URDF.')]) -> None:
    """Downloads public descriptions with their meshes (131 MB, once), and prints where the URDF is."""
    Output().line(str(get_robot(name, robots_dir())))
