"""Commands that are imported when they are asked for."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command


def lazy_group(places: Mapping[str, str]) -> type[TyperGroup]:
    """A kind of group that finds its commands by name, in the order given.

    Args:
        places: of each command, `module:app`; it is the command of that name in the app, or all of the app.
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
                return found.commands[cmd_name]
            found.name = cmd_name
            return found

    return LazyGroup
