"""`lucca robot`: descriptions of robots, and checks whether they suffice to run with."""

import dataclasses
from pathlib import Path
from typing import Annotated, Optional

import typer
import yaml

from lucca_cli.exit_codes import EXIT_FAILED
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_robot.profile import load_profile
from lucca_robot.robot_check import check_robot
from lucca_robot.robot_files import robots_dir
from lucca_robot.robot_package import get_robot
from lucca_robot.ros2_control import controllers_yaml, read_description, with_mock_hardware

app = typer.Typer(no_args_is_help=True, help='Robot descriptions: checks one, downloads one, writes its controllers.')


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help='A profile (.yaml), a URDF or a xacro file.')],
    arguments: Annotated[
        Optional[list[str]], typer.Argument(metavar='NAME:=VALUE', help='Arguments of the xacro file.')
    ] = None,
    as_json: Json = False,
) -> None:
    """Lists what a robot still lacks, and prints a first version of its profile. Exit code 1 if anything is missing."""
    show, found = Output(as_json=as_json), check_robot(file, _arguments(arguments or []))
    if as_json:
        show.json(dataclasses.asdict(found))
    else:
        if found.joints:
            show.line(f'{len(found.joints)} moving joints, {len(found.arms)} arms, {len(found.hands)} hands')
        for line in found.missing:
            show.line(f'missing: {line}', 'yellow')
        if found.profile is not None:
            typer.echo(yaml.safe_dump(found.profile, sort_keys=False, default_flow_style=None, width=120))
        if found.ok:
            show.line('ok', 'green')
    if not found.ok:
        raise typer.Exit(EXIT_FAILED)


def _arguments(given: list[str]) -> dict[str, str]:
    """Arguments as the program xacro takes them."""
    values = {}
    for text in given:
        name, assigned, value = text.partition(':=')
        if not name or not assigned:
            raise typer.BadParameter(f'an argument of a xacro file is written NAME:=VALUE, got {text!r}')
        values[name] = value
    return values


@app.command()
def get(
    name: Annotated[str, typer.Argument(help='Name of the description, which is the name of its URDF file.')],
) -> None:
    """Downloads public descriptions with their meshes (131 MB, once), and prints where the URDF is."""
    Output().line(str(get_robot(name, robots_dir())))


@app.command()
def control(
    robot: Annotated[str, typer.Argument(help='Robot profile: a name in config/robots or a file.')],
    folder: Annotated[Path, typer.Argument(help='Folder for controllers.yaml and robot.urdf.')],
    description: Annotated[
        Optional[Path], typer.Option(help='URDF or xacro file; if not given, that of the profile.')
    ] = None,
) -> None:
    """Writes the files that ros2_control needs: a profile's controllers, and its description with mock hardware."""
    profile = load_profile(robot)
    urdf = with_mock_hardware(profile, read_description(profile, description))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (('controllers.yaml', controllers_yaml(profile)), ('robot.urdf', urdf)):
        (folder / name).write_text(text, encoding='utf-8')
        Output().line(str(folder / name))
