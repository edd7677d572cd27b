"""The `lucca` command: brings the stack up, gives it goals, and shows what it remembers."""

import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from lucca_cli.environment import apply_defaults
from lucca_cli.lazy_group import lazy_group

# Before anything imports rclpy: discovery stays on this machine unless the user's environment says otherwise.
apply_defaults(os.environ)

COMMANDS = {
    'up': 'lucca_cli.commands.up:app',
    'demo': 'lucca_cli.commands.demo:app',
    'run': 'lucca_cli.commands.run:app',
    'say': 'lucca_cli.commands.say:app',
    'chat': 'lucca_cli.commands.chat:app',
    'tasks': 'lucca_cli.commands.tasks:app',
    'log': 'lucca_cli.commands.log:app',
    'objects': 'lucca_cli.commands.objects:app',
    'stop': 'lucca_cli.commands.stop:app',
    'reset': 'lucca_cli.commands.reset:app',
    'doctor': 'lucca_cli.commands.doctor:app',
    'memory': 'lucca_cli.commands.memory:app',
    'backup': 'lucca_cli.commands.backup:app',
    'restore': 'lucca_cli.commands.backup:app',
    'feedback': 'lucca_cli.commands.feedback:app',
}
"""Where each command is. They are imported when used: importing all takes seconds, too long for `lucca stop`."""

app = typer.Typer(
    cls=lazy_group(COMMANDS, without_robot=('eval', 'bench', 'attack')),
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
