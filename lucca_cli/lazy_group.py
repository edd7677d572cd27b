"""Groups of commands that are imported only when they are used: to list them takes no import."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from lucca_cli.ros_presence import HOW_TO_INSTALL, missing_ros, require_ros


@dataclass(frozen=True)
class ListedCommand:
    """What is known of a command before it is imported."""

    place: str
    """`module:NAME` of a function, or of a typer app with commands of its own."""

    summary: str
    """Its line in the list of commands; its own help begins with the same words."""

    needs_ros: bool = False
    """Whether it cannot even be imported without ROS 2."""


def lazy_group(commands: Mapping[str, ListedCommand]) -> type[TyperGroup]:
    """A class of groups with these commands."""

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(commands)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            return UnloadedCommand(cmd_name, commands[cmd_name]) if cmd_name in commands else None

    return LazyGroup


class UnloadedCommand(TyperCommand):
    """Stands for a command in the list of its group. Whoever calls it gets the command itself."""

    def __init__(
        self, name: str, listed: ListedCommand, *, complete: Callable[[Any], None] = lambda command: None
    ) -> None:
        """`complete`: is given the command as soon as it is imported, to add to it."""
        without_ros = listed.needs_ros and missing_ros()
        super().__init__(name, help='Needs ROS 2, which is not installed.' if without_ros else listed.summary)
        self._listed = listed
        self._complete = complete

    def load(self) -> Any:
        """The command itself, which is imported now."""
        command = get_command(_app_at(self._listed.place, str(self.name)))
        command.name = self.name
        self._complete(command)
        return command

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        return self.load().make_context(info_name, args, parent, **extra)


def single_command(command: Callable[..., None], **settings: Any) -> typer.Typer:
    """An app that is one command."""
    app = typer.Typer(add_completion=False)
    app.command(**settings)(command)
    return app


def _app_at(place: str, name: str) -> typer.Typer:
    module, _, attribute = place.partition(':')
    try:
        found: typer.Typer | Callable[..., None] = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name not in missing_ros():
            raise
        return _without_ros(name)
    return found if isinstance(found, typer.Typer) else single_command(found)


def _without_ros(name: str) -> typer.Typer:
    """A stand-in for a command that needs ROS 2; accepts any arguments and says what is missing."""
    return single_command(
        lambda: require_ros(name),
        help=f'Needs ROS 2, which is not installed: {HOW_TO_INSTALL}.',
        context_settings={'ignore_unknown_options': True, 'allow_extra_args': True},
    )
