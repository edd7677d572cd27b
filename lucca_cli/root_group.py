"""The group of all commands: those of lucca, then those of other distributions, and what all of them share."""

import os
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup
from typer.main import get_command

from lucca_cli.exit_codes import telling_errors
from lucca_cli.laboratory import LABORATORY_COMMANDS, further_commands
from lucca_cli.lazy_group import ListedCommand, UnloadedCommand, single_command
from lucca_cli.output import Output
from lucca_core.errors import ConfigError
from lucca_core.laboratory import INSTALL
from lucca_core.namespace import NAMESPACE, absolute


def root_group(commands: Mapping[str, ListedCommand], *, without_robot: Collection[str] = ()) -> type[TyperGroup]:
    """The class of this group.

    Expected errors of all commands are printed, and lead to their exit code; see `telling_errors`.

    Args:
        commands: those of lucca itself.
        without_robot: commands that do not address a robot. All others get the option `--namespace`.
    """

    class RootGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(dict.fromkeys([*commands, *further_commands()]))

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            listed = commands.get(cmd_name) or _further(cmd_name)
            if listed is None:
                return None
            if cmd_name in without_robot:
                return UnloadedCommand(cmd_name, listed)
            return UnloadedCommand(cmd_name, listed, complete=_ask_for_namespace)

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            for text in args:
                # Python keeps other bytes as half characters, which no message and no file can hold.
                if not text.isascii() and text.encode('utf-8', 'replace').decode() != text:
                    raise typer.BadParameter(f'{text[:80]!r} is not UTF-8 text')
            rest: list[str] = super().parse_args(ctx, args)
            return rest

        def invoke(self, ctx: Any) -> Any:
            with telling_errors(Output(as_json=True)):
                return super().invoke(ctx)

    return RootGroup


def _further(name: str) -> ListedCommand | None:
    if point := further_commands().get(name):
        summary = LABORATORY_COMMANDS.get(name, 'A command of another distribution.')
        return ListedCommand(f'{point.module}:{point.attr}', summary)
    if name in LABORATORY_COMMANDS:
        raise ConfigError(f'{name} is a command of the laboratory, which is not installed: {INSTALL}')
    return None


def _choose(given: str | None) -> None:
    if given is None:
        return
    try:
        # This command and the nodes that it starts read it there.
        os.environ[NAMESPACE] = absolute(given)
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


def _about_a_robot(
    namespace: Annotated[
        Optional[str],
        typer.Option(
            help='Namespace of the robot, such as robot_1; if not given, LUCCA_NAMESPACE.',
            callback=_choose,
            is_eager=True,
            expose_value=False,
        ),
    ] = None,
) -> None:
    """Carries the option `--namespace`, which is copied to other commands."""


def _ask_for_namespace(command: Any) -> None:
    if isinstance(command, TyperGroup):
        for each in command.commands.values():
            _ask_for_namespace(each)
        if not command.invoke_without_command:
            return
    donor = get_command(single_command(_about_a_robot))
    command.params += [option for option in donor.params if option.name == 'namespace']
