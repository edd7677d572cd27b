"""The `lucca` command: brings the stack up, gives it goals, and shows what it remembers."""

import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from lucca_cli.environment import apply_defaults
from lucca_cli.lazy import lazy_group

# Before anything imports rclpy: discovery stays on this machine unless the user's environment says otherwise.
apply_defaults(os.environ)

COMMANDS = {
    'up': 'lucca_cli.starting:app',
    'demo': 'lucca_cli.starting:app',
    'run': 'lucca_cli.starting:app',
    'say': 'lucca_cli.running:app',
    'chat': 'lucca_cli.chat:app',
    'tasks': 'lucca_cli.tasks:app',
    'log': 'lucca_cli.log:app',
    'objects': 'lucca_cli.running:app',
    'stop': 'lucca_cli.running:app',
    'reset': 'lucca_cli.running:app',
    'doctor': 'lucca_cli.doctor:app',
    'memory': 'lucca_cli.memory:app',
    'backup': 'lucca_cli.memory:beside_app',
    'restore': 'lucca_cli.memory:beside_app',
    'feedback': 'lucca_cli.memory:beside_app',
}
"""Where each is. Importing all of them takes seconds, in which nothing stops. The laboratory adds its own; see `laboratory.py`."""

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
    """Has what is common to all commands."""


main: Callable[[], None] = app
