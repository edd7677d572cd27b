"""The `lucca` command: brings the stack up, gives it goals, and shows what it remembers."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.environment import apply_defaults

# Before anything imports rclpy: discovery stays on this machine unless the user's environment says otherwise.
apply_defaults(os.environ)

from lucca_cli import bench as bench_command  # noqa: E402 - after the environment is set
from lucca_cli import demo as demo_command  # noqa: E402
from lucca_cli import doctor as doctor_command  # noqa: E402
from lucca_cli import eval as eval_command  # noqa: E402
from lucca_cli import memory as memory_command  # noqa: E402
from lucca_cli import run as run_command  # noqa: E402
from lucca_cli import voice as voice_command  # noqa: E402
from lucca_cli.bench_memory import bench_memory  # noqa: E402
from lucca_cli.bench_semantic import bench_semantic  # noqa: E402
from lucca_cli.chat import chat  # noqa: E402
from lucca_cli.chat_room import SAID_PRIORITY  # noqa: E402
from lucca_cli.client import StackClient  # noqa: E402
from lucca_cli.endings import EXIT_CANNOT, EXIT_FAILED, EXIT_USAGE, telling_errors  # noqa: E402
from lucca_cli.eval_chats import chats  # noqa: E402
from lucca_cli.eval_evolution import evolution  # noqa: E402
from lucca_cli.eval_forgetting import app as forgetting_app  # noqa: E402
from lucca_cli.eval_locomo import locomo  # noqa: E402
from lucca_cli.eval_perception import perception  # noqa: E402
from lucca_cli.eval_voice import barge_in, stop_latency, voice  # noqa: E402
from lucca_cli.reports import GoalFeedback, GoalRequest  # noqa: E402
from lucca_cli.show import Show  # noqa: E402
from lucca_cli.stack import Stack, StackOptions  # noqa: E402
from lucca_core.errors import StackError  # noqa: E402
from lucca_core.paths import default_data_dir  # noqa: E402
from lucca_memory.declarative import log_text  # noqa: E402

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)
app.add_typer(eval_command.app, name='eval')
eval_command.app.command('locomo')(locomo)
eval_command.app.command('chats')(chats)
eval_command.app.command('perception')(perception)
eval_command.app.command('evolution')(evolution)
eval_command.app.command('voice')(voice)
eval_command.app.command('stop')(stop_latency)
eval_command.app.command('barge-in')(barge_in)
eval_command.app.add_typer(forgetting_app, name='forgetting')
memory_command.register(app)
app.command('chat')(chat)
bench_app = typer.Typer()
bench_app.command('memory')(bench_memory)
bench_app.command('semantic')(bench_semantic)
app.add_typer(bench_app, name='bench')

Json = Annotated[bool, typer.Option('--json', help='Print JSON on standard out.')]
Llm = Annotated[
    str, typer.Option('--llm', help='Model spec of the coordinator, e.g. ollama:llama3.1@http://localhost:11434')
]
WorkerLlm = Annotated[
    str, typer.Option('--worker-llm', help="Model spec of the worker; the coordinator's if not given.")
]
Scene = Annotated[str, typer.Option(help='Scene of the simulator, a name in config/scenes or a file.')]
Seed = Annotated[int | None, typer.Option(min=0, help='Seed of where things stand.')]
DataDir = Annotated[Path | None, typer.Option(help='Folder of the memory.')]


@app.command()
def up(
    sim: Annotated[bool, typer.Option(help='With the built-in simulator, or for a robot.')] = True,
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    scene: Scene = '',
    seed: Seed = None,
    engine: Annotated[str, typer.Option(help='Simulator: physics or kinematic.')] = '',
    speed: Annotated[float | None, typer.Option(help='Simulated seconds a second; 0: as fast as possible.')] = None,
    voice: Annotated[bool, typer.Option(help='Listen to the microphone, and speak.')] = False,
    viewer: Annotated[bool | None, typer.Option(help="Open the simulator's window.")] = None,
    data_dir: DataDir = None,
    params_file: Annotated[
        Path | None, typer.Option(help='ROS parameter file in place of config/nodes/*.yaml.')
    ] = None,
) -> None:
    """Starts all nodes, one process each, and keeps them running until Ctrl-C."""
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
    with telling_errors(show), tempfile.TemporaryDirectory(prefix='lucca-up-') as run_dir:
        show.line('starting the stack …')
        with Stack(
            options, Path(run_dir), on_line=lambda node, line: show.line(f'{node:>11} | {line}', 'dim')
        ) as stack:
            show.line(
                'ready. In another terminal: lucca run sorting · lucca say "build a tower" · lucca tasks', 'green'
            )
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
    with telling_errors(show):
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
        if voice:
            summary = voice_command.run_voice_demo(out, options, show)
        else:
            summary = demo_command.run_demo(out, options, show)
        if as_json:
            show.json(summary)
        if not demo_command.succeeded(summary):
            raise typer.Exit(EXIT_FAILED)


@app.command()
def run(
    tasks: Annotated[list[str] | None, typer.Argument(help='Names of tasks, done one after the other.')] = None,
    describe: Annotated[str, typer.Option(help='A task in words instead of a name.')] = '',
    objects: Annotated[str, typer.Option(help='Objects on the table of a stack that is started, by comma.')] = '',
    scene: Scene = '',
    seed: Seed = None,
    out: Annotated[
        Path | None, typer.Option(help='Folder for trace, logs and memory of a stack that is started.')
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
    """Does tasks, on the running stack or on one started for it. Exit code 0: complete; 3: cannot be done."""
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
    with telling_errors(show):
        ask = _asked if sys.stdin.isatty() and not as_json else None
        result = run_command.run_goals(requests, options, out, show, ask)
        if as_json:
            show.json(result.as_json())
        else:
            show.line(result.sentence(), 'green' if result.succeeded else 'yellow')
        if result.cannot:
            raise typer.Exit(EXIT_CANNOT)
        if not result.succeeded:
            raise typer.Exit(EXIT_FAILED)


@app.command()
def say(
    text: Annotated[str, typer.Argument(help='What you say to the robot.')],
    person: Annotated[str, typer.Option(help='Who speaks.')] = '',
    as_json: Json = False,
) -> None:
    """Says something to the robot of the running stack and waits until it has done or answered it."""
    show = Show(as_json=as_json)
    with telling_errors(show), _running_stack() as client:
        spoken: list[str] = []

        def on_step(step: GoalFeedback) -> None:
            if step.phase == 'saying':
                spoken.append(step.text)
            show.feedback('', step)

        goal = client.send_goal(GoalRequest(text=text, person=person, priority=SAID_PRIORITY), on_step)
        try:
            report = goal.wait()
        except KeyboardInterrupt:
            goal.cancel()
            report = goal.wait(60.0)
        show.json(report.as_json()) if as_json else show.answer(report, spoken=bool(spoken))
        if report.status == 'refused':
            raise typer.Exit(EXIT_CANNOT)
        if report.status == 'failed':
            raise typer.Exit(EXIT_FAILED)


@app.command()
def tasks(as_json: Json = False) -> None:
    """The state of each task: what is done, what is left."""
    show = Show(as_json=as_json)
    with telling_errors(show), _running_stack() as client:
        reports = client.tasks()
        show.json([report.as_json() for report in reports]) if as_json else show.tasks(reports)


@app.command()
def log(
    task: Annotated[str, typer.Argument(help='Name of the task.')],
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """The declarative log of a task, read from the data folder; no stack has to be running."""
    show = Show(as_json=as_json)
    with telling_errors(show):
        text = log_text(data_dir or default_data_dir(), task)
        if as_json:
            show.json({'task': task, 'log': text})
        else:
            sys.stdout.write(text)


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
    show = Show()
    # No look for a stack first: whatever else is dead, whoever moves the arms has to hear this at once.
    with telling_errors(show), StackClient() as client:
        client.stop()
        show.line('stopped; the robot holds its pose and its grip. `lucca reset` lets it move again.', 'yellow')


@app.command()
def reset() -> None:
    """Lifts a stop: what is held is put down, the arms go home."""
    show = Show()
    with telling_errors(show), StackClient() as client:
        show.line(client.reset(), 'green')


@app.command()
def doctor(
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Checks camera, controllers, models and memory, and says what to do about each. Exit code 1 if one is not well."""
    show = Show(as_json=as_json)
    with telling_errors(show):
        findings = doctor_command.examine(llm, worker_llm, data_dir or default_data_dir())
        doctor_command.present(findings, show)
        if not all(finding.well for finding in findings):
            raise typer.Exit(EXIT_FAILED)


@bench_app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help='Folder for the figures.')] = Path('out/bench'),
    as_json: Json = False,
) -> None:
    """Measures what the stack adds, perception, simulation and prompts against their budgets."""
    if context.invoked_subcommand is not None:
        return
    show = Show(as_json=as_json)
    with telling_errors(show):
        figures = bench_command.run_bench(out, show)
        if as_json:
            show.json(figures)
        (out / 'bench.json').write_text(json.dumps(figures, indent=2))


def _asked(call: str) -> bool:
    return typer.confirm(f'Shall the robot do {call}?', default=False, err=True)


@contextmanager
def _running_stack() -> Iterator[StackClient]:
    with StackClient() as client:
        if not client.is_up(8.0):
            raise StackError('no stack is running; start one with: lucca up')
        yield client


main: Callable[[], None] = app
