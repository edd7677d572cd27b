"""`lucca status`: what the robot is doing, whether its arms may move and its memory is kept, and what is prohibited."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import typer

from lucca_cli.client import StackClient
from lucca_cli.commands.prohibitions import table_of
from lucca_cli.exit_codes import EXIT_FAILED
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.status_line import status_text
from lucca_cli.tasks_at_work import tasks_at_work
from lucca_core.errors import MemoryFault, StackError
from lucca_core.protocol.prohibitions import Prohibition, ProhibitionRequest
from lucca_core.protocol.tasks import TaskState

_PATIENCE_S = 3.0
"""Time after which a part that does not answer counts as not known, in s."""

T = TypeVar('T')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Status:
    """What is known of the stack. What is None is not known, and `unknown` says why, by name."""

    tasks: tuple[TaskState, ...] | None
    arms: str | None
    memory: str | None
    prohibitions: tuple[Prohibition, ...] | None
    unknown: dict[str, str]


def status(as_json: Json = False) -> None:
    """Shows what the robot is doing and what it must not do. Exit code 1 if a part of that is not known."""
    show = Output(as_json=as_json)
    with StackClient() as client:
        client.require_stack()
        found = _looked(client)
    if as_json:
        show.json(_as_json(found))
    else:
        _show(found, show)
    if found.unknown:
        raise typer.Exit(EXIT_FAILED)


def _looked(client: StackClient) -> _Status:
    unknown: dict[str, str] = {}

    def known(name: str, ask: Callable[[], T]) -> T | None:
        try:
            return ask()
        except (StackError, MemoryFault) as error:
            unknown[name] = str(error)
            return None

    return _Status(
        tasks=known('tasks', lambda: tasks_at_work(client, _PATIENCE_S)),
        arms=known('arms', lambda: client.said_by('action', _PATIENCE_S)),
        memory=known('memory', lambda: client.said_by('worker', _PATIENCE_S)),
        prohibitions=known(
            'prohibitions',
            lambda: client.prohibitions(ProhibitionRequest(), _PATIENCE_S, patience_s=_PATIENCE_S).prohibitions,
        ),
        unknown=unknown,
    )


def _as_json(found: _Status) -> dict[str, Any]:
    return {
        'tasks': None if found.tasks is None else [item.as_json() for item in found.tasks],
        'arms': found.arms,
        'memory': found.memory,
        'prohibitions': None
        if found.prohibitions is None
        else [{**item.as_json(), 'how_to_lift': item.how_to_lift} for item in found.prohibitions],
        'unknown': found.unknown,
    }


def _show(found: _Status, show: Output) -> None:
    if found.tasks is not None:
        show.line(status_text(found.tasks))
    if found.arms is not None:
        show.line(f'arms: {found.arms}')
    if found.memory is not None:
        show.line(f'memory: {found.memory}')
    if found.prohibitions:
        show.console.print(table_of(found.prohibitions))
    elif found.prohibitions is not None:
        show.line('nothing is prohibited')
    said = {
        'tasks': 'what is being done',
        'arms': 'how the arms are',
        'memory': 'how the memory is',
        'prohibitions': 'what is prohibited',
    }
    for name, why in found.unknown.items():
        show.line(f'it is not known {said[name]}: {why}', 'yellow')
