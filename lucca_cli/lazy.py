"""Commands that are imported when they are asked for."""

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup
from typer.main import get_command

from lucca_core.errors import ConfigError
from lucca_core.namespace import NAMESPACE, absolute


def lazy_group(places: Mapping[str, str], *, without_robot: Iterable[str] = ()) -> type[TyperGroup]:
    """A kind of group that finds its commands by name, in the order given.

    Args:
        places: of each command, `module:app`; it is the command of that name in the app, or all of the app.
        without_robot: the commands that are about no robot. All others take `--namespace`, which says about which.
    """

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(places)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name not in places:
                return None
            module, _, name = places[cmd_name].partition(':')
            app: typer.Typer = getattr(import_module(module), name)
            found = get_command(app)
            if isinstance(found, TyperGroup) and cmd_name in found.commands:
                found = found.commands[cmd_name]
            found.name = cmd_name
            if cmd_name not in without_robot:
                _ask_for_namespace(found)
            return found

    return LazyGroup


def _choose(given: str | None) -> None:
    if given is None:
        return
    try:
        # Where this command, and the nodes that it starts, look for it.
        os.environ[NAMESPACE] = absolute(given)
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


def _about_a_robot(
    namespace: Annotated[
        Optional[str],
        typer.Option(
            help='Namespace of the robot, such as robot_1; LUCCA_NAMESPACE unless it is given.',
            callback=_choose,
            is_eager=True,
            expose_value=False,
        ),
    ] = None,
) -> None:
    """Has the option that others are given."""


def _ask_for_namespace(command: Any) -> None:
    if isinstance(command, TyperGroup):
        for each in command.commands.values():
            _ask_for_namespace(each)
        return
    donor = typer.Typer(add_completion=False)
    donor.command()(_about_a_robot)
    command.params += [option for option in get_command(donor).params if option.name == 'namespace']
