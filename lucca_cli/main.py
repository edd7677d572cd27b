"""The `lucca` command: brings the stack up, gives it goals, and shows what it remembers."""

import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from lucca_cli.lazy_group import ListedCommand
from lucca_cli.root_group import root_group
from lucca_core.environment import apply_defaults

# Before rclpy is imported: discovery stays on this machine unless the user's environment says otherwise.
apply_defaults(os.environ)

COMMANDS = {
    'up': ListedCommand(
        'lucca_cli.commands.up:up',
        'Starts all nodes, one process each, and keeps them running until Ctrl-C.',
        needs_ros=True,
    ),
    'view': ListedCommand(
        'lucca_cli.commands.view:view',
        'Shows a session in a browser: table, prompts, answers, gate, goals, logs, times; with a stop and other acts.',
    ),
    'film': ListedCommand(
        'lucca_cli.commands.film:film',
        'Makes a film of a recording: picture, table, request, call, gate, memory, log, interruptions and resumptions.',
    ),
    'replay': ListedCommand(
        'lucca_cli.commands.replay:replay',
        'Decides every step of a recorded session again, with model, parser and gate, and compares the results.',
    ),
    'record': ListedCommand(
        'lucca_cli.commands.record:record',
        'Records the running session until Ctrl-C: snapshots, prompts, answers, gate, goals, logs and times.',
        needs_ros=True,
    ),
    'trace': ListedCommand(
        'lucca_cli.commands.trace:trace',
        'Sends a session to OpenTelemetry until Ctrl-C: a trace per goal, with its actions, model calls and motions.',
    ),
    'demo': ListedCommand(
        'lucca_cli.commands.demo:demo',
        'Runs five tasks in simulation; sorting is interrupted by the tower and resumed.',
        needs_ros=True,
    ),
    'run': ListedCommand(
        'lucca_cli.commands.run:run', 'Does tasks on the running stack, or on one started for them.', needs_ros=True
    ),
    'say': ListedCommand(
        'lucca_cli.commands.say:say',
        'Says something to the robot of the running stack and waits for its answer or action.',
        needs_ros=True,
    ),
    'chat': ListedCommand('lucca_cli.commands.chat:chat', 'Talks with the robot, which remembers earlier chats.'),
    'tasks': ListedCommand(
        'lucca_cli.commands.tasks:app', 'Shows the state of each task: what is done, what is left.', needs_ros=True
    ),
    'log': ListedCommand(
        'lucca_cli.commands.log:log',
        'Prints the declarative log of a task from the data folder; no stack needs to be running.',
    ),
    'status': ListedCommand(
        'lucca_cli.commands.status:status', 'Shows what the robot is doing and what it must not do.', needs_ros=True
    ),
    'objects': ListedCommand(
        'lucca_cli.commands.objects:objects', 'Shows what the robot sees on the table now.', needs_ros=True
    ),
    'prohibitions': ListedCommand(
        'lucca_cli.commands.prohibitions:app',
        'Lists what the robot must not move or put somewhere, in every task and after a restart; see add and lift.',
        needs_ros=True,
    ),
    'stop': ListedCommand(
        'lucca_cli.commands.stop:stop',
        'Stops all motion and keeps it stopped until `lucca reset`. Not a certified safety function.',
        needs_ros=True,
    ),
    'reset': ListedCommand(
        'lucca_cli.commands.reset:reset', 'Lifts a stop: what is held is put down, the arms go home.', needs_ros=True
    ),
    'calibrate': ListedCommand(
        'lucca_cli.commands.calibrate:calibrate',
        "Finds the camera's pose (perception's parameter camera_pose) from pictures of a ChArUco board (DICT_4X4_50).",
    ),
    'robot': ListedCommand(
        'lucca_cli.commands.robot:app', 'Robot descriptions: checks one, downloads one, writes its controllers.'
    ),
    'scene': ListedCommand(
        'lucca_cli.commands.scene:scene',
        'Writes a scene with the robot as a world for Gazebo, which gazebo.launch.py starts.',
    ),
    'doctor': ListedCommand(
        'lucca_cli.commands.doctor:doctor',
        'Checks camera, controllers, models and memory, and says what to do about each.',
    ),
    'memory': ListedCommand(
        'lucca_cli.commands.memory:app', 'What the robot knows about people, and its semantic network.'
    ),
    'backup': ListedCommand(
        'lucca_cli.commands.backup:backup', 'Writes the whole data folder into one file, even while it is in use.'
    ),
    'restore': ListedCommand(
        'lucca_cli.commands.backup:restore_folder',
        'Restores a backup as the data folder. People erased since then stay erased.',
    ),
    'feedback': ListedCommand(
        'lucca_cli.commands.feedback:feedback',
        'Records a verdict on the last answer, with the memories that the answer rested on.',
    ),
    'models': ListedCommand(
        'lucca_cli.commands.models:app',
        'Lists trained models that packages carry, and which are here; see get and remove.',
    ),
    'security': ListedCommand(
        'lucca_cli.commands.security:security',
        'Writes the SROS 2 policy for `ros2 security create_permission`: what a node may publish, hear, serve, call.',
    ),
}
"""They are imported when used: all of them would delay a stop, or the list of commands, by seconds."""

app = typer.Typer(
    cls=root_group(
        COMMANDS, without_robot=('eval', 'bench', 'attack', 'scene', 'robot', 'calibrate', 'models', 'security')
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f'lucca {version("lucca")}')
        raise typer.Exit


@app.callback(help=__doc__)
def lucca(
    show_version: Annotated[
        bool, typer.Option('--version', help='Print the version and exit.', callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Handles the options that all commands share."""


main: Callable[[], None] = app
