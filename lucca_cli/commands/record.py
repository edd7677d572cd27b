"""`lucca record`: writes what the running stack sees, thinks and does to a file."""

import contextlib
import os
import queue
import time
from collections.abc import Callable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.client import running_stack
from lucca_cli.exit_codes import ended_by_signals
from lucca_cli.options import DataDir
from lucca_cli.output import Output
from lucca_cli.requirements import require_packages
from lucca_cli.stack_events import JOINTS, PICTURES, StackEvents
from lucca_core.paths import default_data_dir
from lucca_robot.profile import DEFAULT_PROFILE, load_profile
from lucca_view.events import Event, SessionInfo

_WAITING = 20_000
"""Most events that wait for the disk. Beyond that, new events are lost, and counted."""
_TASKS_S = 2.0
_MEGABYTE = 1_000_000


def record(
    out: Annotated[
        Optional[Path], typer.Argument(help='File to write (.mcap); in the data folder if not given.')
    ] = None,
    pictures: Annotated[
        bool, typer.Option('--pictures', help='Also record camera pictures. They may show people.')
    ] = False,
    robot: Annotated[str, typer.Option(help='Robot profile, for drawing the robot later.')] = DEFAULT_PROFILE,
    duration_s: Annotated[float, typer.Option(min=0, help='End after this many seconds; 0: never.')] = 0.0,
    part_mb: Annotated[int, typer.Option(min=1, help='Begin a new file after this many megabytes.')] = 256,
    budget_mb: Annotated[int, typer.Option(min=1, help='Remove the oldest files beyond this many megabytes.')] = 2000,
    data_dir: DataDir = None,
) -> None:
    """Records the running session until Ctrl-C: snapshots, prompts, answers, gate, goals, logs and times.

    Sound, keys and tokens are never recorded; pictures only with --pictures. Foxglove and `lucca view` open the file.
    """
    require_packages('recordings', 'mcap', 'zstandard')
    from lucca_view.recording.places import note_place, recordings_folder
    from lucca_view.recording.redaction import Redaction
    from lucca_view.recording.writer import SessionWriter

    show = Output()
    folder = data_dir or default_data_dir()
    file = out or recordings_folder(folder) / f'{datetime.now():%Y%m%d-%H%M%S}.mcap'
    profile = load_profile(robot)
    events: queue.Queue[Event] = queue.Queue(_WAITING)
    lost = 0

    def take(event: Event) -> None:
        nonlocal lost
        try:
            events.put_nowait(event)
        except queue.Full:
            lost += 1

    with ended_by_signals(), running_stack() as client:
        info = SessionInfo(
            lucca_version=version('lucca'), robot=robot, namespace=client.node.get_namespace(), pictures=pictures
        )
        writer = SessionWriter(
            file,
            info,
            Redaction(os.environ),
            part_bytes=min(part_mb, budget_mb) * _MEGABYTE,
            budget_bytes=budget_mb * _MEGABYTE,
            on_part=lambda part: note_place(folder, part),
        )
        arms = {arm.controller: name for name, arm in profile.arms.items()}
        stack_events = StackEvents(client, take, arms=arms)
        stack_events.watch((JOINTS, PICTURES) if pictures else (JOINTS,))
        show.line(f'recording to {file}; Ctrl-C ends it', 'green')
        try:
            count = _pump(events, writer.write, writer.flush, stack_events, duration_s)
        finally:
            stack_events.close()
            writer.close()
            show.line(f'{", ".join(map(str, writer.parts)) or "nothing recorded"}', 'green')
    show.line(f'{count} events' + (f', {lost} lost: the disk was too slow' if lost else ''))


def _pump(
    events: 'queue.Queue[Event]',
    write: Callable[[Event], None],
    flush: Callable[[], None],
    stack_events: StackEvents,
    duration_s: float,
) -> int:
    """Writes events until the time is up or Ctrl-C, and ends their reception; returns their number."""
    count, began_s, asked_s = 0, time.monotonic(), 0.0
    with contextlib.suppress(KeyboardInterrupt):
        while not duration_s or time.monotonic() - began_s < duration_s:
            if time.monotonic() - asked_s > _TASKS_S:
                stack_events.ask_tasks()
                flush()
                asked_s = time.monotonic()
            try:
                write(events.get(timeout=0.2))
            except queue.Empty:
                continue
            count += 1
    # Events that arrived before the end belong to the session, too.
    stack_events.close()
    for _ in range(events.qsize()):
        write(events.get_nowait())
        count += 1
    return count
