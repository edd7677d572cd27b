"""A page served from a thread of its own, for programs that do something else meanwhile."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from lucca_core.errors import StackError
from lucca_view.panels import Panels
from lucca_view.web.access import LOOPBACK, Access
from lucca_view.web.acts import Acts
from lucca_view.web.server import PageServer
from lucca_view.web.sources import Source

_BEGUN_S = 20.0


@contextmanager
def served(source: Source, acts: Acts | None, panels: Panels, token: str, port: int = 0) -> Iterator[int]:
    """Serves a session on loopback until the end of the block. Yields the port; `port` 0 takes any.

    Raises:
        StackError: the server did not start.
    """
    sock = socket.create_server(('127.0.0.1', port))
    port = sock.getsockname()[1]
    server = PageServer(Access(token, LOOPBACK, port), source, panels, acts)
    loop = asyncio.new_event_loop()
    started, ending = threading.Event(), asyncio.Event()

    async def serve() -> None:
        runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        await web.SockSite(runner, sock).start()
        started.set()
        await ending.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), name='page', daemon=True)
    thread.start()
    if not started.wait(_BEGUN_S):
        raise StackError(f'the page on port {port} did not begin within {_BEGUN_S:g} s')
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()
        loop.close()
