"""`lucca demo`: five tasks in simulation, one of them interrupted and resumed."""

from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.demo_script import CAMERA_RATE_HZ, JOINT_STATE_RATE_HZ, SPEED, run_demo, succeeded
from lucca_cli.exit_codes import EXIT_FAILED, ended_by_signals
from lucca_cli.laboratory import spoken_demo
from lucca_cli.options import Engine, Json, Llm, Robot, Seed, WorkerLlm
from lucca_cli.output import Output
from lucca_cli.stack import StackOptions
from lucca_core.errors import ConfigError


def demo(
    out: Annotated[Path, typer.Option(help='Folder for summary, pictures, video, logs.')] = Path('out/demo'),
    seed: Seed = None,
    llm: Llm = '',
    worker_llm: WorkerLlm = '',
    engine: Engine = '',
    robot: Robot = '',
    video: Annotated[bool, typer.Option(help='Write demo.mp4.')] = True,
    voice: Annotated[bool, typer.Option(help='Speak the commands into the real audio path.')] = False,
    transcriber: Annotated[str, typer.Option(help='Transcriber of the speech node, with --voice.')] = '',
    as_json: Json = False,
) -> None:
    """Runs five tasks in simulation; sorting is interrupted by the tower and resumed. Exit code 0 if all succeeded."""
    show = Output(as_json=as_json)
    with ended_by_signals():
        if transcriber and not voice:
            raise ConfigError('--transcriber needs --voice')
        options = StackOptions(
            speech={'transcriber': transcriber} if transcriber else {},
            seed=seed,
            llm=llm,
            worker_llm=worker_llm,
            engine=engine,
            robot=robot,
            video=video,
            speed=SPEED,
            camera_rate_hz=CAMERA_RATE_HZ,
            joint_state_rate_hz=JOINT_STATE_RATE_HZ,
        )
        summary = (spoken_demo() if voice else run_demo)(out, options, show)
        if as_json:
            show.json(summary)
        if not succeeded(summary):
            raise typer.Exit(EXIT_FAILED)
