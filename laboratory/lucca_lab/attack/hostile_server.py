"""A local model server that answers at random: wrong, endless, truncated, compressed, redirected or correct.

It writes raw bytes, so that headers and chunks can be malformed too.
"""

import contextlib
import functools
import gzip
import json
import random
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from lucca_lab.attack.odd_values import ODD_VALUES, SECRET


class Cut(Enum):
    """How a connection ends before the answer is complete: reset, or closed only on the server's side."""

    RESET = 'reset'
    HALF_CLOSED = 'half closed'


Step = bytes | float | Cut
"""Bytes to send, seconds to wait, or the end of the connection."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request: its path and body."""

    path: str
    body: bytes = b''


Answer = Callable[[ModelRequest, random.Random], Iterator[Step]]
"""A function that decides how a request is answered, step by step."""

Document = Callable[[ModelRequest, random.Random], dict[str, Any]]
"""A function that gives the correct answer to a request, before it is spoiled."""

_HALF_CLOSED_S = 0.2
_WORDS = (
    '<give(pear)>',
    '<finish_task(sort)>',
    'none',
    'pear, apple',
    'yes',
    '<think>',
    '</think>',
    SECRET[:-1],
    'é',
    '\x00',
)
_WISHES = ('-1', '1e999', 'nan', 'Fri, 31 Dec 99999999 23:59:59 GMT', '٣', '9' * 400, '0')
_STATUS = (200,) * 14 + (201, 204, 299, 300, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 503, 599, 100, 999)


class HostileServer:
    """Serves until it is closed. No client should contact the second server, at `elsewhere_url`."""

    def __init__(self, answer: Answer, seed: int = 0) -> None:
        self.strays = 0
        self.asked = 0
        self._over = threading.Event()
        self._answer = answer
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._elsewhere = self._serve(self._stray)
        self._server = self._serve(self._serve_one)
        self.url = f'http://127.0.0.1:{self._server.server_address[1]}'
        self.elsewhere_url = f'http://127.0.0.1:{self._elsewhere.server_address[1]}'

    def close(self) -> None:
        """Closes the servers and ends all answers."""
        self._over.set()
        for server in (self._server, self._elsewhere):
            server.shutdown()
            server.server_close()

    def answer_next(self, seed: int) -> None:
        """Sets the seed of all further random answers."""
        with self._lock:
            self._chance = random.Random(seed)

    def _serve(self, handle: Callable[[socket.socket], None]) -> socketserver.ThreadingTCPServer:
        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError, ValueError):
                    handle(self.request)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 64

        server = Server(('127.0.0.1', 0), Handler)
        threading.Thread(
            target=server.serve_forever, kwargs={'poll_interval': 0.05}, name='hostile-server', daemon=True
        ).start()
        return server

    def _stray(self, connection: socket.socket) -> None:
        if connection.recv(1):
            self.strays += 1

    def _serve_one(self, connection: socket.socket) -> None:
        connection.settimeout(5.0)
        asked = _read_request(connection)
        with self._lock:
            chance = random.Random(self._chance.random())
            self.asked += 1
        for step in self._answer(asked, chance):
            if self._over.is_set():
                return
            if step is Cut.HALF_CLOSED:
                connection.shutdown(socket.SHUT_WR)
                self._over.wait(_HALF_CLOSED_S)
                return
            if step is Cut.RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                connection.close()
                return
            if isinstance(step, bytes):
                connection.sendall(step.replace(b'ELSEWHERE', self.elsewhere_url.encode()))
            else:
                self._over.wait(step)


def _read_request(connection: socket.socket) -> ModelRequest:
    head = b''
    while b'\r\n\r\n' not in head:
        piece = connection.recv(65_536)
        if not piece:
            raise OSError('the client has gone')
        head += piece
    head, _, body = head.partition(b'\r\n\r\n')
    length = next((int(line[15:]) for line in head.split(b'\r\n') if line.lower().startswith(b'content-length:')), 0)
    while len(body) < length:
        piece = connection.recv(65_536)
        if not piece:
            raise OSError('the client has gone')
        body += piece
    return ModelRequest(head.split(b' ')[1].decode(), body)


@dataclass(frozen=True, kw_only=True)
class Temper:
    """How bad a server is: its share of correct answers, and the longest time that it waits (s)."""

    right: float = 0.2
    wait_s: float = 0.05


def hostile_answer(
    temper: Temper, document: Document | None = None, told: Callable[[str], None] = lambda kind: None
) -> Answer:
    """Returns answers in every protocol that lucca uses, most of them with something wrong.

    Args:
        temper: how bad the server is.
        document: gives the correct answer; by default, a random one.
        told: called with the kind of each answer.
    """
    right_document = document or drawn_document

    def answer(asked: ModelRequest, chance: random.Random) -> Iterator[Step]:
        def right() -> dict[str, Any]:
            return right_document(asked, chance)

        if chance.random() < temper.right:
            told('right')
            yield from whole_answer(right())
            return
        [kind] = chance.choices(list(_KINDS), [share for share, _ in _KINDS.values()])
        told(kind)
        yield from _KINDS[kind][1](_Turn(asked.path, right, chance, temper))

    return answer


def whole_answer(document: dict[str, Any]) -> Iterator[Step]:
    """A document as a correct server sends it."""
    yield _head(200, {'Content-Type': 'application/json'}) + _dumped(document)


@dataclass(frozen=True, slots=True)
class _Turn:
    """One request that is to be answered badly. `right` gives the correct answer."""

    path: str
    right: Callable[[], dict[str, Any]]
    chance: random.Random
    temper: Temper


@functools.cache
def _packed_spaces() -> bytes:
    return gzip.compress(b' ' * 30_000_000)


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f'HTTP/1.1 {status} Some', 'Connection: close', *(f'{name}: {value}' for name, value in headers.items())]
    return ('\r\n'.join(lines) + '\r\n\r\n').encode()


def drawn_document(asked: ModelRequest, chance: random.Random) -> dict[str, Any]:
    """A correct answer in the protocol of the request, with random words."""
    path = asked.path
    text = chance.choice(_WORDS)
    if path.endswith('/api/show'):
        return {'model_info': {'llama.context_length': 8192}, 'capabilities': ['completion', 'tools']}
    if path.endswith('/api/embed'):
        return {'embeddings': [[3.0, 4.0]]}
    if path.endswith('/embeddings'):
        return {'data': [{'index': 0, 'embedding': [3.0, 4.0]}]}
    if path.endswith('/transcriptions'):
        return {'text': text, 'language': 'en', 'segments': [{'avg_logprob': -0.1, 'no_speech_prob': 0.1}]}
    call = {'id': 'c1', 'function': {'name': 'start_task', 'arguments': '{"name": "sort"}'}}
    message = {'role': 'assistant', 'content': text, 'tool_calls': [call] if chance.random() < 0.3 else None}
    if path.endswith('/api/chat'):
        counts = {'prompt_eval_count': 11, 'eval_count': 7}
        return {'model': 'm', 'message': message, 'done': True, 'done_reason': 'stop', **counts}
    choice = {'index': 0, 'message': message, 'delta': message, 'finish_reason': 'stop'}
    return {'id': '1', 'choices': [choice], 'usage': {'prompt_tokens': 11, 'completion_tokens': 7}}


def _spoiled(value: Any, chance: random.Random) -> Any:
    """The document with a wrong or missing value at a random place."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.15:
        return chance.choice(ODD_VALUES)
    if isinstance(value, list):
        place = chance.randrange(len(value))
        return [*value[:place], _spoiled(value[place], chance), *value[place + 1 :]]
    name = chance.choice(list(value))
    if chance.random() < 0.1:
        return {key: item for key, item in value.items() if key != name}
    return {**value, name: _spoiled(value[name], chance)}


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode(errors='surrogatepass')


def _odd_body(turn: _Turn) -> bytes:
    chance = turn.chance
    kind = chance.random()
    document: Any = turn.right()
    for _ in range(chance.randint(1, 3)):
        document = _spoiled(document, chance)
    if kind < 0.7:
        return _dumped(document)
    if kind < 0.8:
        depth = chance.choice((50, 300, 2000, 100_000))
        opening, closing = chance.choice(((b'[', b']'), (b'{"a":', b'}')))
        return opening * depth + b'1' + closing * (depth if chance.random() < 0.5 else 0)
    if kind < 0.9:
        whole = _dumped(turn.right())
        return whole[: chance.randrange(len(whole))]
    if kind < 0.95:
        return chance.randbytes(chance.randint(0, 300))
    return b'{"error": ' + _dumped(chance.choice((*ODD_VALUES, {'message': f'you sent {SECRET}'}))) + b'}'


def _odd_answer(turn: _Turn) -> Iterator[Step]:
    chance, body = turn.chance, _odd_body(turn)
    headers = {
        'Content-Type': chance.choice(('application/json', 'text/plain', 'text/event-stream', 'audio/wav', 'x', ''))
    }
    if chance.random() < 0.3:
        headers['Retry-After'] = chance.choice(_WISHES)
    if chance.random() < 0.1:
        headers['Content-Encoding'] = chance.choice(('gzip', 'br', 'gzip, gzip', 'deflate', 'nonsense'))
    if chance.random() < 0.4:
        headers['Content-Length'] = str(len(body) + chance.choice((0, 0, 0, 7, -1)))
    if chance.random() < 0.05:
        headers['X-Key'] = SECRET
    yield _head(chance.choice(_STATUS), headers) + body


def _stream(turn: _Turn) -> Iterator[Step]:
    chance = turn.chance
    events = turn.path.endswith('/completions')
    yield _head(200, {'Content-Type': 'text/event-stream' if events else 'application/x-ndjson'})
    for _ in range(chance.randint(0, 12)):
        document = turn.right()
        if chance.random() < 0.2:
            document = _spoiled(document, chance)
        elif events and chance.random() < 0.9:
            document['choices'][0]['finish_reason'] = None
        elif chance.random() < 0.9:
            document['done'] = False
        line = _dumped(document) if chance.random() < 0.95 else chance.randbytes(20)
        yield b'data: ' + line + b'\n\n' if events else line + b'\n'
        if chance.random() < 0.05:
            yield chance.uniform(0, turn.temper.wait_s)
    if events and chance.random() < 0.7:
        yield b'data: [DONE]\n\n'


def _nonsense(turn: _Turn) -> Iterator[Step]:
    """Invalid headers and chunks."""
    chance = turn.chance
    kind = chance.randrange(7)
    chunked = _head(200, {'Transfer-Encoding': 'chunked', 'Content-Type': 'text/event-stream'})
    if kind == 0:
        yield chance.randbytes(chance.randint(0, 200))
    elif kind == 1:
        yield b'HTTP/1.1 200 OK\r\n' + b'X: y\r\n' * 30_000
    elif kind == 2:
        yield b'HTTP/1.1 200 OK\r\nX: ' + b'y' * 200_000 + b'\r\n\r\n'
    elif kind == 3:
        yield chunked + chance.choice((b'zz\r\n', b'-1\r\nx\r\n', b'ffffffffffffffff\r\nx', b'5\r\nabc\r\n', b'0\r\n'))
    elif kind == 4:
        for char in b'HTTP/1.1 200 OK\r\n':
            yield bytes([char])
            yield turn.temper.wait_s / 20
    elif kind == 5:
        yield _head(200, {'Content-Length': chance.choice(('-1', 'many', '99999999999999999999'))}) + b'{}'
    else:
        yield b''


def _drip(turn: _Turn) -> Iterator[Step]:
    yield _head(200, {'Content-Type': 'application/json'})
    for char in _dumped(turn.right()):
        yield bytes([char])
        yield turn.temper.wait_s / 20


def _reset(turn: _Turn) -> Iterator[Step]:
    yield Cut.RESET


def _half_closed(turn: _Turn) -> Iterator[Step]:
    """Stops within an answer, but keeps the connection open for reading."""
    [whole] = whole_answer(turn.right())
    assert isinstance(whole, bytes)
    yield whole[: turn.chance.randrange(len(whole))]
    yield Cut.HALF_CLOSED


def _bomb(turn: _Turn) -> Iterator[Step]:
    yield _head(200, {'Content-Encoding': 'gzip'}) + _packed_spaces()


def _redirect(turn: _Turn) -> Iterator[Step]:
    status = turn.chance.choice((301, 302, 303, 307, 308))
    yield _head(status, {'Location': f'ELSEWHERE{turn.path}', 'Content-Length': '0'})


def _endless(turn: _Turn) -> Iterator[Step]:
    """One line, error or stream that never ends."""
    chance = turn.chance
    yield _head(chance.choice((200, 500)), {'Content-Type': chance.choice(('application/json', 'text/event-stream'))})
    piece = chance.choice((b'x', b'[', b'data: {"choices": []}\n\n', b'data: ', b'{"a": ', b' ', b'\n')) * 4096
    yield chance.choice((b'', b'{"text": "', b'data: "'))
    while True:
        yield piece


_KINDS: dict[str, tuple[float, Callable[[_Turn], Iterator[Step]]]] = {
    'odd values': (0.53, _odd_answer),
    'stream': (0.15, _stream),
    'nonsense': (0.1, _nonsense),
    'drip': (0.06, _drip),
    'reset': (0.04, _reset),
    'half closed': (0.02, _half_closed),
    'bomb': (0.03, _bomb),
    'endless': (0.03, _endless),
    'redirect': (0.04, _redirect),
}
"""The kinds of bad answers, with the share of each among them."""
