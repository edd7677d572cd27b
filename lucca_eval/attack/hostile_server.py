"""A model server on this machine that answers whatever was drawn: wrong, endless, torn, compressed, elsewhere, or right.

It speaks raw bytes, so that heads and chunks can be nonsense, too.
"""

import contextlib
import gzip
import json
import random
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Step = bytes | float | None
"""Bytes to send, seconds to wait, or None: the connection is reset."""

Answer = Callable[[str, random.Random], Iterator[Step]]
"""What to do with a request to a path."""

SECRET = 'sk-hostile-Ab3dEf6hIj9lMn2pQr5t'  # noqa: S105 - of nobody
ODD_NUMBERS: tuple[Any, ...] = (
    -5,
    2**70,
    1.5,
    float('nan'),
    float('inf'),
    -(2**63),
    '7',
    '',
    True,
    None,
    [1],
    {'n': 1},
    0,
)
ODD_VALUES: tuple[Any, ...] = (
    *ODD_NUMBERS,
    'x',
    '\ud800',
    '\x00',
    SECRET,
    SECRET[:-1],
    'x' * 20_000,
    [],
    {},
    [[]],
    {'': None},
)
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
    """Serves until it is closed. `elsewhere` is another server, to which nobody should come."""

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
        """Ends all connections."""
        self._over.set()
        for server in (self._server, self._elsewhere):
            server.shutdown()
            server.server_close()

    def answer_next(self, seed: int) -> None:
        """What is drawn from now on follows from this seed."""
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
        path = _read_request(connection)
        with self._lock:
            chance = random.Random(self._chance.random())
            self.asked += 1
        for step in self._answer(path, chance):
            if self._over.is_set():
                return
            if step is None:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                connection.close()
                return
            if isinstance(step, bytes):
                connection.sendall(step.replace(b'ELSEWHERE', self.elsewhere_url.encode()))
            else:
                self._over.wait(step)


def _read_request(connection: socket.socket) -> str:
    head = b''
    while b'\r\n\r\n' not in head:
        piece = connection.recv(65_536)
        if not piece:
            raise OSError('the client has gone')
        head += piece
    head, _, body = head.partition(b'\r\n\r\n')
    length = next((int(line[15:]) for line in head.split(b'\r\n') if line.lower().startswith(b'content-length:')), 0)
    while len(body) < length:
        body += connection.recv(65_536)
    return head.split(b' ')[1].decode()


@dataclass(frozen=True, kw_only=True)
class Temper:
    """How bad a server is: the share of its answers that are as they should be, and the longest that it waits, in s."""

    right: float = 0.2
    wait_s: float = 0.05


def hostile_answer(temper: Temper) -> Answer:
    """Answers of every protocol that lucca speaks, most of them with something wrong."""

    def answer(path: str, chance: random.Random) -> Iterator[Step]:
        if chance.random() < temper.right:
            yield _head(200, {'Content-Type': 'application/json'}) + _dumped(_document(path, chance))
            return
        kind = chance.random()
        if kind < 0.55:
            yield from _odd_answer(path, chance)
        elif kind < 0.7:
            yield from _stream(path, chance, temper)
        elif kind < 0.8:
            yield from _nonsense(chance, temper)
        elif kind < 0.86:
            yield from _drip(path, chance, temper)
        elif kind < 0.9:
            yield None
        elif kind < 0.93:
            yield _head(200, {'Content-Encoding': 'gzip'}) + _BOMB
        elif kind < 0.96:
            yield from _endless(chance)
        else:
            status = chance.choice((301, 302, 303, 307, 308))
            yield _head(status, {'Location': f'ELSEWHERE{path}', 'Content-Length': '0'})

    return answer


_BOMB = gzip.compress(b' ' * 30_000_000)


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f'HTTP/1.1 {status} Some', 'Connection: close', *(f'{name}: {value}' for name, value in headers.items())]
    return ('\r\n'.join(lines) + '\r\n\r\n').encode()


def _document(path: str, chance: random.Random) -> dict[str, Any]:
    """What the server of each protocol should answer."""
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
    """The document with a value of another kind somewhere, or more than one."""
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


def _odd_body(path: str, chance: random.Random) -> bytes:
    kind = chance.random()
    document = _document(path, chance)
    for _ in range(chance.randint(1, 3)):
        document = _spoiled(document, chance)
    if kind < 0.7:
        return _dumped(document)
    if kind < 0.8:
        depth = chance.choice((50, 300, 2000, 100_000))
        opening, closing = chance.choice(((b'[', b']'), (b'{"a":', b'}')))
        return opening * depth + b'1' + closing * (depth if chance.random() < 0.5 else 0)
    if kind < 0.9:
        whole = _dumped(_document(path, chance))
        return whole[: chance.randrange(len(whole))]
    if kind < 0.95:
        return chance.randbytes(chance.randint(0, 300))
    return b'{"error": ' + _dumped(chance.choice((*ODD_VALUES, {'message': f'you sent {SECRET}'}))) + b'}'


def _odd_answer(path: str, chance: random.Random) -> Iterator[Step]:
    body = _odd_body(path, chance)
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


def _stream(path: str, chance: random.Random, temper: Temper) -> Iterator[Step]:
    events = path.endswith('/completions')
    yield _head(200, {'Content-Type': 'text/event-stream' if events else 'application/x-ndjson'})
    for _ in range(chance.randint(0, 12)):
        document = _document(path, chance)
        if chance.random() < 0.2:
            document = _spoiled(document, chance)
        elif events and chance.random() < 0.9:
            document['choices'][0]['finish_reason'] = None
        elif chance.random() < 0.9:
            document['done'] = False
        line = _dumped(document) if chance.random() < 0.95 else chance.randbytes(20)
        yield b'data: ' + line + b'\n\n' if events else line + b'\n'
        if chance.random() < 0.05:
            yield chance.uniform(0, temper.wait_s)
    if events and chance.random() < 0.7:
        yield b'data: [DONE]\n\n'


def _nonsense(chance: random.Random, temper: Temper) -> Iterator[Step]:
    """Heads and chunks that are none."""
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
            yield temper.wait_s / 20
    elif kind == 5:
        yield _head(200, {'Content-Length': chance.choice(('-1', 'many', '99999999999999999999'))}) + b'{}'
    else:
        yield b''


def _drip(path: str, chance: random.Random, temper: Temper) -> Iterator[Step]:
    yield _head(200, {'Content-Type': 'application/json'})
    for char in _dumped(_document(path, chance)):
        yield bytes([char])
        yield temper.wait_s / 20


def _endless(chance: random.Random) -> Iterator[Step]:
    """One line, error or stream that does not end."""
    yield _head(chance.choice((200, 500)), {'Content-Type': chance.choice(('application/json', 'text/event-stream'))})
    piece = chance.choice((b'x', b'[', b'data: {"choices": []}\n\n', b'data: ', b'{"a": ', b' ', b'\n')) * 4096
    yield chance.choice((b'', b'{"text": "', b'data: "'))
    while True:
        yield piece
