"""`lucca prohibitions`: what the robot must not touch until it is lifted; to list, add and lift it."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from lucca_cli.client import StackClient
from lucca_cli.exit_codes import EXIT_CANNOT
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_core.errors import MemoryFault
from lucca_core.protocol.prohibitions import (
    EVERY_PLACE,
    Prohibition,
    ProhibitionChange,
    ProhibitionRequest,
    ProhibitionsAnswer,
)

app = typer.Typer()

_What = Annotated[str, typer.Argument(help='The objects, as in: the red cup; anything yellow; fruit.')]
_By = Annotated[str, typer.Option('--person', help='Who says so.')]


@app.callback(invoke_without_command=True)
def prohibitions(context: typer.Context, as_json: Json = False) -> None:
    """Lists what the robot must not move or put somewhere, in every task and after a restart; see add and lift."""
    if context.invoked_subcommand is None:
        _list(as_json=as_json)


@app.command('list')
def list_all(as_json: Json = False) -> None:
    """Lists the prohibitions that hold."""
    _list(as_json=as_json)


@app.command()
def add(
    what: _What,
    place: Annotated[str, typer.Option('--in', help='Only prohibits to put them there, as in: box 2.')] = '',
    person: _By = '',
    as_json: Json = False,
) -> None:
    """Prohibits moving objects, or putting them into a place, from now on."""
    request = ProhibitionRequest(change=ProhibitionChange.ADD, what=what, place=place, person=person)
    _change(request, 'Prohibited', as_json=as_json)


@app.command()
def lift(
    what: _What,
    place: Annotated[str, typer.Option('--in', help='Only lifts what is prohibited for that place.')] = EVERY_PLACE,
    person: _By = '',
    as_json: Json = False,
) -> None:
    """Lifts what is prohibited of exactly these objects, in whatever words."""
    request = ProhibitionRequest(change=ProhibitionChange.LIFT, what=what, place=place, person=person)
    _change(request, 'Lifted', as_json=as_json)


def _list(*, as_json: bool) -> None:
    show = Output(as_json=as_json)
    kept = _answer(ProhibitionRequest(), show).prohibitions
    if as_json:
        show.json([item.as_json() for item in kept])
    elif kept:
        show.console.print(table_of(kept))
    else:
        show.line('nothing is prohibited')


def _change(request: ProhibitionRequest, done: str, *, as_json: bool) -> None:
    show = Output(as_json=as_json)
    changed = _answer(request, show).changed
    if as_json:
        show.json([item.as_json() for item in changed])
        return
    for item in changed:
        show.line(f'{done}: {item}')


def _answer(request: ProhibitionRequest, show: Output) -> ProhibitionsAnswer:
    with StackClient() as client:
        try:
            return client.prohibitions(request)
        except MemoryFault as error:
            show.error(str(error))
            raise typer.Exit(EXIT_CANNOT) from error


def table_of(kept: tuple[Prohibition, ...]) -> Table:
    """The prohibitions with who said them, when, and how to lift them."""
    table = Table('prohibited', 'said by', 'on', 'lifted by saying')
    for item in kept:
        day = f'{item.said_at:%Y-%m-%d %H:%M} UTC' if item.said_at else ''
        table.add_row(escape(str(item)), escape(item.person), day, escape(item.how_to_lift))
    return table
