"""Commands for a stack that runs: `say`, `objects`, `stop`, `reset`. They import little: a stop must not wait for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from lucca_cli.client import StackClient
from lucca_cli.endings import code_of, telling_errors
from lucca_cli.options import Json, name_of_person
from lucca_cli.reports import SAID_PRIORITY
from lucca_cli.show import Show
from lucca_cli.terminal import STOPPED, Terminal
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult, Status
from lucca_core.stop_command import is_stop

app = typer.Typer(pretty_exceptions_enable=False)


@app.command()
def say(
    text: Annotated[str, typer.Argument(help='What you say to the robot.')],
    person: Annotated[str, typer.Option(help='Who speaks.', callback=name_of_person)] = '',
    as_json: Json = False,
) -> None:
    """Says something to the robot of the running stack and waits until it has done or answered it. A line with "stop" on
    standard input stops the robot meanwhile. Exit code 3: it cannot be done; 4: stopped or suspended."""
    show = Show(as_json=as_json)
    if is_stop(text):
        _stop(show)
        if as_json:
            show.json(GoalResult(status=Status.FINISHED, task='', said=STOPPED, reason='').as_json())
        return
    with telling_errors(show), _running_stack() as client, Terminal(client.stop, show) as terminal:
        spoken: list[str] = []

        def on_step(step: GoalFeedback) -> None:
            if step.phase == 'saying':
                spoken.append(step.text)
            show.feedback('', step)

        report = terminal.wait(client.send_goal(GoalRequest(text=text, person=person, priority=SAID_PRIORITY), on_step))
        show.json(report.as_json()) if as_json else show.answer(report, told=spoken)
        raise typer.Exit(code_of(report.status, stopped=terminal.stopped, interrupted=terminal.interrupted))


@app.command()
def objects(as_json: Json = False) -> None:
    """What the robot sees on the table now."""
    show = Show(as_json=as_json)
    with telling_errors(show), _running_stack() as client:
        snapshot = client.snapshot()
        if not as_json:
            show.objects(snapshot)
            return
        show.json(
            [
                {
                    'id': item.object_id,
                    'name': item.name,
                    'label': item.label,
                    'attributes': item.attributes,
                    'container': item.container,
                    'position_world_m': item.pose_world.position_m,
                    'visible': item.visible,
                    'inferred': item.inferred,
                }
                for item in snapshot.objects
            ]
        )


@app.command()
def stop() -> None:
    """Stops all motion and keeps it stopped until `lucca reset`. Not a certified safety function."""
    _stop(Show())


@app.command()
def reset() -> None:
    """Lifts a stop: what is held is put down, the arms go home."""
    show = Show()
    with telling_errors(show), StackClient() as client:
        show.line(client.reset(), 'green')


def _stop(show: Show) -> None:
    # No look for a stack first: whatever else is dead, whoever moves the arms has to hear this at once.
    with telling_errors(show), StackClient() as client:
        client.stop()
        show.line(STOPPED, 'yellow')


@contextmanager
def _running_stack() -> Iterator[StackClient]:
    with StackClient() as client:
        client.require_stack()
        yield client
