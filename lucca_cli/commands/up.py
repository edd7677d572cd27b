"""`lucca up`: starts all nodes and keeps them running."""

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.client import StackClient
from lucca_cli.exit_codes import ended_by_signals
from lucca_cli.options import DataDir, Engine, Llm, Robot, Scene, Seed, WorkerLlm
from lucca_cli.output import Output
from lucca_cli.stack import Stack, StackOptions
from lucca_cli.status_line import status_line
from lucca_core.parent_process import PARENT
from lucca_core.paths import default_data_dir
from lucca_robot.profile import DEFAULT_PROFILE

READY = 'ready. In another terminal: lucca run sorting · lucca say "build a tower" · lucca tasks'
ATTACH_S = 60.0


def up(
    sim: Annotated[bool, typer.Option(help='Start the built-in simulator; --no-sim for a robot.')] = True,
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    scene: Scene = '',
    robot: Robot = '',
    seed: Seed = None,
    engine: Engine = '',
    speed: Annotated[
        Optional[float], typer.Option(help='Simulated seconds per second; 0: as fast as possible, up to 8.')
    ] = None,
    dry_run: Annotated[
        bool, typer.Option('--dry-run', help='Plan motions and publish them, but send nothing to a controller.')
    ] = False,
    voice: Annotated[bool, typer.Option(help='Listen to the microphone, and speak.')] = False,
    viewer: Annotated[Optional[bool], typer.Option(help="Open the simulator's window.")] = None,
    data_dir: DataDir = None,
    params_file: Annotated[
        Optional[Path], typer.Option(help='ROS parameter file; its values override those of config/nodes/.')
    ] = None,
    web: Annotated[
        Optional[int],
        typer.Option('--web', min=0, max=65535, help='Also serve the page on this port; 0: any free one.'),
    ] = None,
    attach: Annotated[
        bool, typer.Option('--attach', help='If a stack is already running, use it: wait until it is ready.')
    ] = False,
) -> None:
    """Starts all nodes, one process each, and keeps them running until Ctrl-C.

    Only one stack can run in a domain and namespace; a second one is refused.
    """
    show = Output()
    options = StackOptions(
        sim=sim,
        llm=llm,
        worker_llm=worker_llm,
        scene=scene,
        robot=robot,
        seed=seed,
        engine=engine,
        speed=speed,
        viewer=viewer,
        voice=voice,
        dry_run=dry_run,
        data_dir=data_dir or default_data_dir(),
        params_file=params_file,
    )
    with ended_by_signals(), tempfile.TemporaryDirectory(prefix='lucca-up-') as run_dir:
        if attach and _attached(show):
            return
        show.line('starting the stack …')
        with Stack(
            options, Path(run_dir), on_line=lambda node, line: show.line(f'{node:>11} | {line}', 'dim')
        ) as stack:
            show.line(READY, 'green')
            show.objects(stack.first_snapshot)
            with _page(web, options.data_dir or default_data_dir(), robot, show), status_line(show, stack.client):
                stack.supervisor.wait()


@contextmanager
def _page(port: int | None, data_dir: Path, robot: str, show: Output) -> Iterator[None]:
    """Runs the page in a separate process, so that the stack survives its errors. It prints its address itself."""
    if port is None:
        yield
        return
    # Imported here, so that a stack without a page starts without its libraries.
    from lucca_cli.commands.view import page_command

    command = page_command(port, data_dir, robot or DEFAULT_PROFILE)
    page = subprocess.Popen(command, env={**os.environ, PARENT: str(os.getpid())})
    ending = threading.Event()

    def watch() -> None:
        code = page.wait()
        if not ending.is_set():
            show.line(
                f'the page ended with code {code}; the stack keeps running. For a new page: lucca view --web {port}',
                'yellow',
            )

    threading.Thread(target=watch, name='page', daemon=True).start()
    try:
        yield
    finally:
        ending.set()
        page.terminate()
        page.wait()


def _attached(show: Output) -> bool:
    """Waits until the running stack is ready; false if none runs."""
    with StackClient() as client:
        who = client.stack_holder()
        if not who:
            return False
        show.line(f'using the running stack: {who}')
        first = client.wait_ready(ATTACH_S)
    show.line(READY, 'green')
    show.objects(first)
    return True
