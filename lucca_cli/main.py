"""The `lucca` command: brings the stack up, gives it goals, and shows what it remembers."""

import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from lucca_cli.lazy_group import lazy_group
from lucca_core.environment import apply_defaults

# Before rclpy is imported: discovery stays on this machine unless the user's environment says otherwise.
apply_defaults(os.environ)

COMMANDS = {
    'up': 'lucca_cli.commands.up:up',
    'view': 'lucca_cli.commands.view:view',
    'film': 'lucca_cli.commands.film:film',
    'replay': 'lucca_cli.commands.replay:replay',
    'record': 'lucca_cli.commands.record:record',
    'trace': 'lucca_cli.commands.trace:trace',
    'demo': 'lucca_cli.commands.demo:demo',
    'run': 'lucca_cli.commands.run:run',
    'say': 'lucca_cli.commands.say:say',
    'chat': 'lucca_cli.commands.chat:chat',
    'tasks': 'lucca_cli.commands.tasks:app',
    'log': 'lucca_cli.commands.log:log',
    'status': 'lucca_cli.commands.status:status',
    'objects': 'lucca_cli.commands.objects:objects',
    'prohibitions': 'lucca_cli.commands.prohibitions:app',
    'stop': 'lucca_cli.commands.stop:stop',
    'reset': 'lucca_cli.commands.reset:reset',
    'calibrate': 'lucca_cli.commands.calibrate:calibrate',
    'robot': 'lucca_cli.commands.robot:app',
    'scene': 'lucca_cli.commands.scene:scene',
    'doctor': 'lucca_cli.commands.doctor:doctor',
    'memory': 'lucca_cli.commands.memory:app',
    'backup': 'lucca_cli.commands.backup:backup',
    'restore': 'lucca_cli.commands.backup:restore_folder',
    'feedback': 'lucca_cli.commands.feedback:feedback',
    'models': 'lucca_cli.commands.models:app',
    'security': 'lucca_cli.commands.security:security',
}
"""The place of each command, a function or a group. They are imported when used: all would delay a stop."""

app = typer.Typer(
    cls=lazy_group(
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
