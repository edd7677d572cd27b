"""`lucca scene`: a scene with a robot, as a world for another simulator."""

from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.options import Robot, Seed
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_robot.profile import load_profile
from lucca_sim.gazebo_world import Control, write_controlled_world
from lucca_sim.scene import load_scene
from lucca_sim.sdf import write_sdf


def scene(
    name: Annotated[str, typer.Argument(help='Scene: a name in config/scenes or a file.')],
    sdf: Annotated[Path, typer.Option(help='SDF file to write: the world for Gazebo.')],
    robot: Robot = '',
    seed: Seed = None,
    control: Annotated[
        Control, typer.Option(help='What moves the robot: our relay, or ros2_control, with two files beside the world.')
    ] = Control.RELAY,
) -> None:
    """Writes a scene with the robot as a world for Gazebo, which gazebo.launch.py starts."""
    require_writable(sdf)
    profile = load_profile(robot) if robot else load_profile()
    drawn = load_scene(name, seed or 0)
    if control is Control.ROS2_CONTROL:
        files = write_controlled_world(drawn, profile, sdf)
        beside = [str(files.parameters), str(files.description)]
    else:
        write_sdf(drawn, profile, sdf)
        beside = []
    Output().line(f'{sdf}: {len(drawn.objects)} objects, {profile.name}', 'green')
    for file in beside:
        Output().line(file)
