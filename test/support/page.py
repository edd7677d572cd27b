"""A page of a drawn session, served on loopback in a thread, with acts that are only noted."""

import asyncio
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from aiohttp import web

from lucca_core.errors import StackError
from lucca_robot.profile import load_profile
from lucca_view.panels import Panels
from lucca_view.robot_lines import RobotLines
from lucca_view.web.access import LOOPBACK, Access
from lucca_view.web.server import PageServer
from lucca_view.web.sources import Source

TOKEN = 'the-token-of-the-tests'  # noqa: S105 - of the tests


class NotedActs:
    """Does nothing, and keeps what was asked for."""

    def __init__(self) -> None:
        self.done: list[tuple[str, dict[str, str]]] = []
        self.slow = threading.Event()
        self.slow.set()

    def do(self, act: str, arguments: Mapping[str, str]) -> str:
        """Notes the act; what is said waits until `slow` is set, and `fail` fails."""
        if act != 'stop':
            self.slow.wait(10.0)
        self.done.append((act, dict(arguments)))
        if arguments.get('text') == 'fail':
            raise StackError('no coordinator answers')
        return f'{act} was done'


@contextmanager
def served(source: Source, acts: NotedActs | None, port: int = 0) -> Iterator[int]:
    """The port of a page that is served; 0 for any."""
    loop = asyncio.new_event_loop()
    started, ending = threading.Event(), asyncio.Event()

    sock = socket.create_server(('127.0.0.1', port))
    port = sock.getsockname()[1]
    server = PageServer(Access(TOKEN, LOOPBACK, port), source, Panels(RobotLines(load_profile())), acts)

    async def serve() -> None:
        runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        await web.SockSite(runner, sock).start()
        started.set()
        await ending.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert started.wait(10.0)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join(10.0)
        loop.close()
