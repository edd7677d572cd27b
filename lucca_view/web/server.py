"""The server of `lucca view`'s page: a few fixed files, a WebSocket that shows the session, and acts such as stop."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

from lucca_core.errors import LuccaError
from lucca_view.panels import GROWS, Panels, grows
from lucca_view.session import SessionView
from lucca_view.web.access import Access
from lucca_view.web.acts import Acts, arguments_of
from lucca_view.web.sources import Source

_LOG = logging.getLogger(__name__)

FILES = {
    '/': ('index.html', 'text/html'),
    '/page.js': ('page.js', 'text/javascript'),
    '/scene.js': ('scene.js', 'text/javascript'),
    '/network.js': ('network.js', 'text/javascript'),
    '/timeline.js': ('timeline.js', 'text/javascript'),
    '/page.css': ('page.css', 'text/css'),
}
"""All files that are served, by path. Paths of requests are never looked up on the disk."""

HEADERS = {
    'Content-Security-Policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
}
MOST_ACT_BYTES = 64_000
MOST_SOCKET_BYTES = 4_000
_PERIOD_S = 0.1
_NOTHING = object()
_FOLDER = Path(__file__).parent

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True, eq=False)
class _Window:
    """What one page shows: the moment, the panels, and `sent`, the newest contents of each panel that it was sent."""

    at_s: float = 0.0
    shown: frozenset[str] = frozenset()
    sent: dict[str, Any] = field(default_factory=dict)
    moved: asyncio.Event = field(default_factory=asyncio.Event)


class PageServer:
    """Serves one session to any number of pages.

    Args:
        access: judges every request.
        source: the session.
        panels: turns it into the panels of a page.
        acts: None for a recording, in which nothing can be done.
    """

    def __init__(self, access: Access, source: Source, panels: Panels, acts: Acts | None) -> None:
        self._access = access
        self._source = source
        self._panels = panels
        self._acts = acts
        self._drawing = ThreadPoolExecutor(1, 'drawing')
        self._acting = ThreadPoolExecutor(4, 'acting')
        # Separate, so that a stop never waits for other acts.
        self._stopping = ThreadPoolExecutor(2, 'stopping')
        self._windows: list[_Window] = []
        self._files = {path: ((_FOLDER / name).read_bytes(), kind) for path, (name, kind) in FILES.items()}

    def app(self) -> web.Application:
        """The application, to be run by aiohttp."""
        app = web.Application(middlewares=[self._guarded], client_max_size=MOST_ACT_BYTES)
        for path in FILES:
            app.router.add_get(path, self._file)
        app.router.add_post('/acts/{act:[a-z]+}', self._act)
        app.router.add_get('/socket', self._socket)
        app.router.add_get('/stops', self._stops)
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        why = self._objection(request)
        if why:
            _LOG.info('refused %s from %s: %s', request.method, request.remote, why)
            return web.Response(status=403, text=why, headers=HEADERS)
        try:
            response = await handler(request)
        except web.HTTPException as error:
            error.headers.update(HEADERS)
            raise
        except Exception:  # noqa: BLE001 - told in the form of every other answer, with the headers
            _LOG.exception('%s %s broke off', request.method, request.path)
            return _answer(500, 'it broke off with an error that nobody expected; the log of the page has it')
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    def _objection(self, request: web.Request) -> str:
        if request.path in FILES and request.method in ('GET', 'HEAD'):
            return self._access.objection_to_host(request.headers)
        if request.path in ('/socket', '/stops'):
            return self._access.objection_to_socket(request.headers)
        return self._access.objection(request.headers)

    async def _file(self, request: web.Request) -> web.Response:
        body, kind = self._files[request.path]
        return web.Response(body=body, content_type=kind, charset='utf-8')

    async def _act(self, request: web.Request) -> web.Response:
        acts, act = self._acts, request.match_info['act']
        if acts is None:
            return _answer(409, 'this is a recording; nothing can be done in it')
        if request.content_type != 'application/json':
            return _answer(415, 'an act is JSON')
        try:
            arguments = arguments_of(act, json.loads(await request.text()))
        except (ValueError, RecursionError) as error:
            return _answer(400, str(error)[:200])
        pool = self._stopping if act == 'stop' else self._acting
        try:
            said = await asyncio.get_running_loop().run_in_executor(pool, acts.do, act, arguments)
        except LuccaError as error:
            return _answer(409, str(error))
        return _answer(200, said)

    async def _stops(self, request: web.Request) -> web.StreamResponse:
        """A socket only for stops, opened with the page, so that a stop waits for no connection and no message."""
        acts = self._acts
        if acts is None:
            return _answer(409, 'this is a recording; nothing can be done in it')
        socket = _new_socket()
        await socket.prepare(request)
        waiting: set[asyncio.Task[None]] = set()
        async for message in socket:
            if message.type is not WSMsgType.TEXT or message.data != 'stop':
                break
            # In tasks of their own, so that a stop that waits for a dead node does not delay the next one.
            waiting.add(task := asyncio.create_task(self._stop(socket, acts)))
            task.add_done_callback(waiting.discard)
        await socket.close()
        return socket

    async def _stop(self, socket: web.WebSocketResponse, acts: Acts) -> None:
        began_s = time.perf_counter()
        try:
            said, done = await asyncio.get_running_loop().run_in_executor(self._stopping, acts.do, 'stop', {}), True
        except LuccaError as error:
            said, done = str(error), False
        took_ms = round(1e3 * (time.perf_counter() - began_s), 1)
        # A page that was closed meanwhile needs no answer.
        with suppress(ConnectionError):
            await socket.send_str(json.dumps({'said': said, 'done': done, 'server_ms': took_ms}))

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = _new_socket()
        await socket.prepare(request)
        window = _Window(at_s=self._source.length_s, shown=frozenset(self._panels.names))
        self._windows.append(window)
        showing = asyncio.create_task(self._show_until_closed(socket, window))
        try:
            self._look()
            async for message in socket:
                if message.type is not WSMsgType.TEXT or not _looked(window, message.data):
                    break
                self._look()
        finally:
            self._windows.remove(window)
            self._look()
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)
            await socket.close()
        return socket

    def _look(self) -> None:
        self._source.look(frozenset().union(*(window.shown for window in self._windows)))

    async def _show_until_closed(self, socket: web.WebSocketResponse, window: _Window) -> None:
        """Shows the session. On an error the socket is closed, so that the page reports it and reconnects."""
        try:
            await self._show(socket, window)
        except ConnectionError:
            _LOG.info('a page went away')
        except Exception:  # noqa: BLE001 - the socket is closed, which the page tells and mends
            _LOG.exception('a page could not be drawn')
        finally:
            await socket.close()

    async def _show(self, socket: web.WebSocketResponse, window: _Window) -> None:
        """Sends changes, at most ten times a second and no faster than the page receives them."""
        hello = {
            'length_s': self._source.length_s,
            'steps_s': self._source.steps_s,
            'live': self._acts is not None,
        }
        await socket.send_str(json.dumps(hello))
        before: SessionView | None = None
        shown: frozenset[str] = frozenset()
        while not socket.closed:
            view = self._source.view(window.at_s)
            if view is not before or window.shown != shown:
                fresh = before if window.shown == shown else None
                shown, wanted = window.shown, window.shown
                text = await asyncio.get_running_loop().run_in_executor(
                    self._drawing, self._text, view, fresh, wanted, window
                )
                if text:
                    await socket.send_str(text)
                before = view
            window.moved.clear()
            try:
                await asyncio.wait_for(window.moved.wait(), _PERIOD_S)
            except TimeoutError:
                continue

    def _text(self, view: SessionView, before: SessionView | None, shown: frozenset[str], window: _Window) -> str:
        """The changes since `before` for a page; empty if it shows all of it already. Without `before`, everything."""
        if before is None:
            window.sent = {}
        found = self._panels.changed(view, before, shown)
        panels = {
            name: panel for name, panel in found.items() if grows(name) or window.sent.get(name, _NOTHING) != panel
        }
        for name, panel in panels.items():
            if grows(name):
                window.sent.pop(name.removesuffix(GROWS), None)
            else:
                window.sent[name] = panel
        told_s = view.told_s[-(view.told - before.told) :] if before and view.told > before.told else ()
        if before and not (panels or told_s):
            return ''
        return json.dumps({'panels': panels, 'now_s': view.now_s, 'at_s': window.at_s, 'told_s': told_s})


def _new_socket() -> web.WebSocketResponse:
    # No compression: the receiver is on this machine, and compressing would block the rest of the process.
    socket = web.WebSocketResponse(protocols=('lucca',), max_msg_size=MOST_SOCKET_BYTES, heartbeat=10.0, compress=False)
    socket.headers.update(HEADERS)
    return socket


def _looked(window: _Window, text: str) -> bool:
    """Moves a window as its page asks; False for a message that our page never sends."""
    try:
        asked: Any = json.loads(text)
        at_s, shown = asked.get('at_s', window.at_s), asked.get('shown', list(window.shown))
        if not (isinstance(at_s, int | float) and abs(at_s) < 1e9 and isinstance(shown, list)):
            return False
        window.at_s, window.shown = float(at_s), frozenset(str(name)[:40] for name in shown)
    except (ValueError, AttributeError, RecursionError):
        return False
    window.moved.set()
    return True


def _answer(status: int, said: str) -> web.Response:
    return web.json_response({'said': said}, status=status, headers=HEADERS)
