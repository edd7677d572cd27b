"""Commands that start nodes: `up`, `demo`, `run`."""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli import demo as demo_command
from lucca_cli import run as run_command
from lucca_cli.client import StackClient
from lucca_cli.endings import EXIT_FAILED, EXIT_USAGE, ended_by_signals, telling_errors
from lucca_cli.laboratory import spoken_demo
from lucca_cli.options import DataDir, Json, Llm, Scene, Seed, WorkerLlm
from lucca_cli.show import Show
from lucca_cli.stack import Stack, StackOptions
from lucca_core.paths import default_data_dir
from lucca_core.protocol.goals import GoalRequest

app = typer.Typer(pretty_exceptions_enable=False)

READY = 'ready. In another terminal: lucca run sorting · lucca say "build a tower" · lucca tasks'
ATTACH_S = 60.0


@app.command()
def up(
    sim: Annotated[bool, typer.Option(help='With the built-in simulator, or for a robot.')] = True,
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    scene: Scene = '',
    seed: Seed = None,
    engine: Annotated[str, typer.Option(help='Simulator: physics or kinematic.')] = '',
    speed: Annotated[Optional[float], typer.Option(help='Simulated seconds a second; 0: as fast as possible.')] = None,
    voice: Annotated[bool, typer.Option(help='Listen to the microphone, and speak.')] = False,
    viewer: Annotated[Optional[bool], typer.Option(help="Open the simulator's window.")] = None,
    data_dir: DataDir = None,
    params_file: Annotated[
        Optional[Path], typer.Option(help='ROS parameter file in place of config/nodes/*.yaml.')
    ] = None,
    attach: Annotated[
        bool, typer.Option('--attach', help='Use the stack that runs already, if there is one: wait until it is ready.')
    ] = False,
) -> None:
    """Starts all nodes, one process each, and keeps them running until Ctrl-C.

    There is one stack in a domain and namespace: a second one is refused.
    """
    show = Show()
    options = StackOptions(
        sim=sim,
        llm=llm,
        worker_llm=worker_llm,
        scene=scene,
        seed=seed,
        engine=engine,
        speed=speed,
        viewer=viewer,
        voice=voice,
        data_dir=data_dir or default_data_dir(),
        params_file=params_file,
    )
    with telling_errors(show), ended_by_signals(), tempfile.TemporaryDirectory(prefix='lucca-up-') as run_dir:
        if attach and _attached(show):
            return
        show.line('starting the stack …')
        with Stack(
            options, Path(run_dir), on_line=lambda node, line: show.line(f'{node:>11} | {line}', 'dim')
        ) as stack:
            show.line(READY, 'green')
            show.objects(stack.first_snapshot)
            stack.supervisor.wait()


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help='Folder for summary, pictures, video, logs.')] = Path('out/demo'),
    seed: Seed = None,
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    engine: Annotated[str, typer.Option(help='Simulator: physics or kinematic.')] = '',
    video: Annotated[bool, typer.Option(help='Write demo.mp4.')] = True,
    voice: Annotated[bool, typer.Option(help='Speak the commands into the real audio path.')] = False,
    as_json: Json = False,
) -> None:
    """Five tasks in simulation, sorting interrupted by the tower and resumed. Exit code 0 only if all came out right."""
    show = Show(as_json=as_json)
    with telling_errors(show), ended_by_signals():
        options = StackOptions(
            seed=seed,
            llm=llm,
            worker_llm=worker_llm,
            engine=engine,
            video=video,
            speed=demo_command.SPEED,
            camera_rate_hz=demo_command.CAMERA_RATE_HZ,
            joint_state_rate_hz=demo_command.JOINT_STATE_RATE_HZ,
        )
        summary = (spoken_demo() if voice else demo_command.run_demo)(out, options, show)
        if as_json:
            show.json(summary)
        if not demo_command.succeeded(summary):
            raise typer.Exit(EXIT_FAILED)


@app.command()
def run(
    tasks: Annotated[Optional[list[str]], typer.Argument(help='Names of tasks, done one after the other.')] = None,
    describe: Annotated[str, typer.Option(help='A task in words instead of a name.')] = '',
    objects: Annotated[str, typer.Option(help='Objects on the table of a stack that is started, by comma.')] = '',
    scene: Scene = '',
    seed: Seed = None,
    out: Annotated[
        Optional[Path], typer.Option(help='Folder for trace, logs and memory of a stack that is started.')
    ] = None,
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    engine: Annotated[str, typer.Option(help='Simulator: physics or kinematic.')] = '',
    priority: Annotated[int, typer.Option(help='A higher one suspends the running task.')] = 0,
    restart: Annotated[bool, typer.Option(help='Begin anew instead of resuming.')] = False,
    confirm: Annotated[
        str, typer.Option(help='Your yes to the one call that the robot waits for, as it names it; for one execution.')
    ] = '',
    as_json: Json = False,
) -> None:
    """Does tasks, on the running stack or on one started for it. A line with "stop" on standard input stops the robot
    meanwhile. Exit code 0: complete; 3: cannot be done; 4: stopped or suspended."""
    show = Show(as_json=as_json)
    how = GoalRequest(priority=priority, restart=restart, confirmed=confirm)
    requests = [replace(how, task=name) for name in tasks or []]
    if describe:
        requests.append(replace(how, text=describe))
    if confirm and len(requests) > 1:
        show.error('--confirm is the yes to one call of one task; give one task')
        raise typer.Exit(EXIT_USAGE)
    if not requests:
        show.error('give the name of a task (lucca tasks lists them) or --describe "TEXT"')
        raise typer.Exit(EXIT_USAGE)
    names = tuple(name.strip() for name in objects.split(',') if name.strip())
    options = StackOptions(scene=scene, objects=names, seed=seed, llm=llm, worker_llm=worker_llm, engine=engine)
    with telling_errors(show), ended_by_signals():
        may_ask = not as_json and sys.stdin is not None and sys.stdin.isatty()
        result = run_command.run_goals(requests, options, out, show, may_ask=may_ask)
        if as_json:
            show.json(result.as_json())
        else:
            show.line(result.sentence(), 'green' if result.succeeded else 'yellow')
        raise typer.Exit(result.exit_code)


def _attached(show: Show) -> bool:
    """Whether a stack runs already. It is ready then; whoever started it keeps it running."""
    with StackClient() as client:
        who = client.stack_holder()
        if not who:
            return False
        show.line(f'using the stack that runs already: {who}')
        first = client.wait_ready(ATTACH_S)
    show.line(READY, 'green')
    show.objects(first)
    return True
