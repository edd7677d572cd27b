"""`lucca film`: makes a film with captions of a recorded session."""

from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.output import Output
from lucca_cli.recorded_robot import recorded_robot
from lucca_cli.requirements import require_packages, require_writable
from lucca_core.errors import ConfigError


def film(
    file: Annotated[Path, typer.Argument(help='A recording.')],
    out: Annotated[Path, typer.Option(help='File to write (.mp4).')] = Path('demo.mp4'),
    speed: Annotated[float, typer.Option(min=0.1, help='Seconds of the session per second of film.')] = 2.0,
    most_s: Annotated[
        float, typer.Option(min=1.0, help='Longest film, in seconds; speed is raised to keep to it.')
    ] = 120.0,
    robot: Annotated[str, typer.Option(help='Robot profile to draw; default: the one of the recording.')] = '',
) -> None:
    """Makes a film of a recording: picture, table, request, call, gate, memory, log, interruptions and resumptions.

    A recording made with `lucca record --pictures` shows the camera's picture, any other the table from above. Two
    small pictures show what the robot believes, and the robot from outside.
    """
    require_packages('recordings', 'mcap', 'zstandard')
    if out.suffix != '.mp4':
        raise ConfigError(f'--out {out} must end with .mp4')
    require_writable(out)
    from lucca_view.film import write_film
    from lucca_view.recording.reader import read_session
    from lucca_view.robot_lines import RobotLines

    show = Output()
    session = read_session(file)
    if session.cut:
        show.line(session.cut, 'yellow')
    profile = recorded_robot(session.robot, robot, show)
    length_s = write_film(
        session,
        out,
        robot=RobotLines(profile) if profile else None,
        speed=speed,
        most_s=most_s,
        watched=lambda frames, total: show.bar(frames, 'filming', total),
    )
    show.line(f'{out}: {length_s:.0f} s', 'green')
