"""`lucca view`: a page that shows the running stack or a recording."""

import asyncio
import logging
import os
import socket
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from lucca_cli.exit_codes import ended_by_signals, run_until_told_to_end
from lucca_cli.options import DataDir
from lucca_cli.output import Output
from lucca_cli.recorded_robot import recorded_robot
from lucca_cli.requirements import require_packages, require_writable
from lucca_core.errors import ConfigError
from lucca_core.parent_process import end_with_parent
from lucca_core.paths import default_data_dir
from lucca_robot.profile import DEFAULT_PROFILE, RobotProfile, load_profile

if TYPE_CHECKING:
    from lucca_view.web.acts import Acts
    from lucca_view.web.sources import Source

TOKEN = 'LUCCA_VIEW_TOKEN'  # noqa: S105 - the name of the variable
"""Environment variable with the token; if it is not set, a new token is made."""

_SWITCH_S = 0.0005


def view(
    file: Annotated[Optional[Path], typer.Argument(help='A recording; if not given, the running stack.')] = None,
    web: Annotated[int, typer.Option('--web', min=0, max=65535, help='Port of the page; 0: any free one.')] = 8090,
    robot: Annotated[
        str, typer.Option(help='Robot profile to draw; default: the one of the recording, else nicol.')
    ] = '',
    export: Annotated[
        Optional[Path], typer.Option(help='Write the recording as a Rerun file (.rrd) instead of showing a page.')
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Shows a session in a browser: table, prompts, answers, gate, goals, logs, times; with a stop and other acts.

    It listens on this machine only. Whoever has the printed address can do what this command can do.
    """
    if export is not None:
        _export(file, export, robot)
        return
    require_packages('the page', 'aiohttp', 'mcap', 'zstandard')
    from lucca_view.recording.reader import read_session
    from lucca_view.web.sources import LiveSource, RecordedSource

    show = Output()
    end_with_parent()
    # A stop passes through this process, so its threads switch quickly.
    sys.setswitchinterval(_SWITCH_S)
    with ended_by_signals(), ExitStack() as cleanup:
        if file is not None:
            session = read_session(file)
            if session.cut:
                show.line(session.cut, 'yellow')
            run_until_told_to_end(
                _serve(RecordedSource(session), None, web, recorded_robot(session.robot, robot, show), show)
            )
            return
        from lucca_cli.client import running_stack
        from lucca_cli.stack_acts import StackActs
        from lucca_cli.stack_events import StackEvents
        from lucca_cli.stack_feed import StackFeed

        client = cleanup.enter_context(running_stack())
        live = LiveSource()
        folder = data_dir or default_data_dir()
        profile = load_profile(robot or DEFAULT_PROFILE)
        arms = {arm.controller: name for name, arm in profile.arms.items()}
        feed = StackFeed(StackEvents(client, live.take, arms=arms, most_hz=5.0), live, folder)
        feed.start()
        cleanup.callback(feed.close)
        run_until_told_to_end(_serve(live, StackActs(client, folder), web, profile, show))


def _export(file: Path | None, out: Path, robot: str) -> None:
    if file is None:
        raise ConfigError('--export needs a recording: lucca view FILE --export session.rrd')
    if out.suffix != '.rrd':
        raise ConfigError(f'--export {out} must end with .rrd')
    require_packages('Rerun files', 'rerun', 'mcap', 'zstandard')
    require_writable(out)
    from lucca_view.recording.reader import read_session
    from lucca_view.rerun_export import write_rerun
    from lucca_view.robot_lines import RobotLines

    show = Output()
    session = read_session(file)
    if session.cut:
        show.line(session.cut, 'yellow')
    events = show.bar(session.events, 'exporting', len(session.events))
    profile = recorded_robot(session.robot, robot, show)
    count = write_rerun(events, RobotLines(profile) if profile else None, out)
    show.line(f'{out}: {count} events', 'green')


async def _serve(source: 'Source', acts: 'Acts | None', port: int, profile: RobotProfile | None, show: Output) -> None:
    from aiohttp import web

    from lucca_view.panels import Panels
    from lucca_view.robot_lines import RobotLines
    from lucca_view.web.access import LOOPBACK, Access, is_token, new_token
    from lucca_view.web.server import PageServer

    logging.getLogger('aiohttp.access').setLevel(logging.WARNING)
    token = os.environ.get(TOKEN) or new_token()
    if not is_token(token):
        raise ConfigError(f'{TOKEN} must be 16 to 200 letters, digits, - or _, so that a page can send it')
    sock = _listening(port)
    port = sock.getsockname()[1]
    access = Access(token, LOOPBACK, port)
    server = PageServer(access, source, Panels(RobotLines(profile) if profile else None), acts)
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.SockSite(runner, sock).start()
        # The token is behind #, which browsers do not send to servers.
        show.console.print(f'http://127.0.0.1:{port}/#token={token}', soft_wrap=True, markup=False, highlight=False)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def page_command(port: int, data_dir: Path, robot: str) -> list[str]:
    """The command that shows the running stack in a separate process."""
    main = 'from lucca_cli.main import main; main()'
    return [sys.executable, '-c', main, 'view', '--web', str(port), '--data-dir', str(data_dir), '--robot', robot]


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server(('127.0.0.1', port))
    except OSError as error:
        raise ConfigError(f'--web {port} cannot be used: {error.strerror}') from error
