"""`lucca say`: says something to the robot of the running stack, and waits for the result."""

from typing import Annotated

import typer

from lucca_cli.client import running_stack
from lucca_cli.commands.stop import stop_robot
from lucca_cli.exit_codes import code_of
from lucca_cli.options import SAID_PRIORITY, Json, name_of_person
from lucca_cli.output import Output
from lucca_cli.terminal import STOPPED, Terminal
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult, Status
from lucca_core.stop_command import is_typed_stop


def say(
    text: Annotated[str, typer.Argument(help='What you say to the robot.')],
    person: Annotated[str, typer.Option(help='Who speaks.', callback=name_of_person)] = '',
    as_json: Json = False,
) -> None:
    """Says something to the robot of the running stack and waits for its answer or action. A line with "stop" on
    standard input stops the robot meanwhile. Exit code 3: impossible; 4: stopped or suspended."""
    show = Output(as_json=as_json)
    if is_typed_stop(text):
        stop_robot(show)
        if as_json:
            show.json(GoalResult(status=Status.FINISHED, task='', said=STOPPED, reason='').as_json())
        return
    with running_stack() as client, Terminal(client.stop, show) as terminal:
        spoken: list[str] = []

        def on_step(step: GoalFeedback) -> None:
            if step.phase == 'saying':
                spoken.append(step.text)
            show.feedback('', step)

        report = terminal.wait(client.send_goal(GoalRequest(text=text, person=person, priority=SAID_PRIORITY), on_step))
        show.json(report.as_json()) if as_json else show.answer(report, told=spoken)
        raise typer.Exit(code_of(report.status, stopped=terminal.stopped, interrupted=terminal.interrupted))
