"""A group of commands that are imported only when they are used."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup
from typer.main import get_command

from lucca_cli.exit_codes import telling_errors
from lucca_cli.laboratory import LABORATORY_COMMANDS, further_commands
from lucca_cli.output import Output
from lucca_cli.ros_presence import HOW_TO_INSTALL, missing_ros
from lucca_core.english import and_list
from lucca_core.errors import ConfigError, StackError
from lucca_core.laboratory import INSTALL
from lucca_core.namespace import NAMESPACE, absolute


def lazy_group(places: Mapping[str, str], *, without_robot: Iterable[str] = ()) -> type[TyperGroup]:
    """A group class that imports a command when it is requested. Commands of other distributions follow its own.

    Expected errors of all commands are printed, and lead to their exit code; see `telling_errors`.

    Args:
        places: `module:NAME` of each command: a function, or a typer app with commands of its own.
        without_robot: commands that do not address a robot. All others get the option `--namespace`.
    """

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(dict.fromkeys([*places, *further_commands()]))

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            app = _app_of(places, cmd_name)
            if app is None:
                return None
            found = get_command(app)
            found.name = cmd_name
            if cmd_name not in without_robot:
                _ask_for_namespace(found)
            return found

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

    return LazyGroup


def _app_of(places: Mapping[str, str], name: str) -> typer.Typer | None:
    point = None if name in places else further_commands().get(name)
    try:
        if name in places:
            module, _, attribute = places[name].partition(':')
            own: typer.Typer | Callable[..., None] = getattr(import_module(module), attribute)
            return own if isinstance(own, typer.Typer) else _app_with(own)
        if point is not None:
            other: typer.Typer = point.load()
            return other
    except ModuleNotFoundError as error:
        missing = missing_ros()
        if error.name not in missing:
            raise
        return _without_ros(name, missing)
    if name in LABORATORY_COMMANDS:
        raise ConfigError(f'{name} is a command of the laboratory, which is not installed: {INSTALL}')
    return None


def _without_ros(name: str, missing: Sequence[str]) -> typer.Typer:
    """A stand-in for a command that needs ROS 2; accepts any arguments and says what is missing."""

    def refuse() -> None:
        raise StackError(f'{name} needs {and_list(missing)}: {HOW_TO_INSTALL}')

    return _app_with(
        refuse,
        help=f'Needs ROS 2, which is not installed: {HOW_TO_INSTALL}.',
        short_help='Needs ROS 2, which is not installed.',
        context_settings={'ignore_unknown_options': True, 'allow_extra_args': True},
    )


def _app_with(command: Callable[..., None], **settings: Any) -> typer.Typer:
    app = typer.Typer(add_completion=False)
    app.command(**settings)(command)
    return app


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
    donor = get_command(_app_with(_about_a_robot))
    command.params += [option for option in donor.params if option.name == 'namespace']
