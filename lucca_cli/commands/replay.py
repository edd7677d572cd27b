"""`lucca replay`: puts a recorded session to a model again, and shows where it would decide differently."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.exit_codes import EXIT_FAILED
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.recorded_robot import recorded_robot
from lucca_cli.requirements import require_packages
from lucca_core.errors import ConfigError
from lucca_llm.model_spec import make_model
from lucca_memory.procedural import load_actions


def replay(
    file: Annotated[Path, typer.Argument(help='A recording.')],
    decide: Annotated[
        bool, typer.Option('--decide', help='Put each prompt of the coordinator to a model again.')
    ] = False,
    llm: Annotated[str, typer.Option('--llm', help='Model spec of the model to ask.')] = 'embedded',
    robot: Annotated[
        str, typer.Option(help='Robot profile whose reach the gate judges; default: the one of the recording.')
    ] = '',
    as_json: Json = False,
) -> None:
    """Decides every step of a recorded session again, with model, parser and gate, and compares the results.

    Exit code 1 if a step is decided differently. Needs no stack.
    """
    require_packages('recordings', 'mcap', 'zstandard')
    if not decide:
        raise typer.BadParameter('give --decide, or look at the recording with lucca view FILE')
    # Imported here, as they need the extra and the planner's libraries.
    from action_node.gate.gate import Gate
    from action_node.motion.arm_reach import ArmReach
    from lucca_cli.decisions import decide_again
    from lucca_view.recording.reader import read_session

    show = Output(as_json=as_json)
    session = read_session(file)
    if session.cut:
        show.line(session.cut, 'yellow')
    profile = recorded_robot(session.robot, robot, show)
    if profile is None:
        # With the reach of another robot, the verdicts would be about that one.
        raise ConfigError('the gate needs the robot of the recording; name it with --robot')
    gate = Gate(load_actions(), ArmReach(profile))
    found = decide_again(
        session.events, make_model(llm), gate, watched=lambda steps, total: show.bar(steps, 'deciding', total)
    )
    if as_json:
        show.json(asdict(found))
    else:
        for item in found.different:
            show.line(f'  step {item.step}: recorded {item.recorded!r}, now {item.now!r} (gate: {item.gate or "-"})')
        show.line(f'{found.same} of {found.steps} steps decided the same', 'green' if not found.different else 'yellow')
    if found.different:
        raise typer.Exit(EXIT_FAILED)
