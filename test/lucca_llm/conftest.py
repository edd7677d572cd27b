"""A real HTTP server on loopback that speaks OpenAI's and Ollama's protocols, well or badly."""

import json
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lucca_llm.model import ChatOptions, Message

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))

CONTEXT_LENGTH = 8192


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    server: 'HttpServer'

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _handle(self) -> None:
        length = int(self.headers.get('Content-Length') or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        model_server = self.server.model_server
        headers = {name.lower(): value for name, value in self.headers.items()}
        model_server.requests.append(Request(self.command, self.path, headers, body))
        try:
            if self.path == '/api/show':
                model_server.show(self, body)
            else:
                model_server.answer(self, body)
        except OSError:
            self.close_connection = True  # the client has gone, which is what many tests are about
            model_server.client_left.set()

    def whole(self, status: int, document: Any, headers: dict[str, str] | None = None, *, cut: int = 0) -> None:
        """A complete answer; `cut` promises that many more bytes than are sent."""
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(data) + cut))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        if cut:
            self.close_connection = True

    def start(self, content_type: str) -> None:
        """The headers of a streamed answer, which ends with the connection."""
        self.send_response(200)
        self.send_header('Content-Type', content_type)
        self.send_header('Connection', 'close')
        self.end_headers()
        self.close_connection = True

    def write(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def reset(self) -> None:
        """Ends the connection with a RST."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.connection.close()
        self.close_connection = True

    def stall(self, seconds: float = 10.0) -> None:
        """Says nothing until the test is over, or for some seconds."""
        self.server.model_server.over.wait(seconds)

    # --- OpenAI

    def sse(self, document: Any) -> None:
        self.write(f'data: {json.dumps(document)}\n\n')

    def chunk(self, text: str = '', finish_reason: str | None = None) -> None:
        choice = {'index': 0, 'delta': {'content': text}, 'finish_reason': finish_reason}
        self.sse({'id': '1', 'object': 'chat.completion.chunk', 'created': 0, 'model': 'm', 'choices': [choice]})

    def openai_stream(self, pieces: Sequence[str], *, usage: bool = True) -> None:
        self.start('text/event-stream')
        for piece in pieces:
            self.chunk(piece)
        self.chunk(finish_reason='stop')
        if usage:
            self.sse(
                {
                    'id': '1',
                    'object': 'chat.completion.chunk',
                    'created': 0,
                    'model': 'm',
                    'choices': [],
                    'usage': {'prompt_tokens': 11, 'completion_tokens': 7, 'total_tokens': 18},
                }
            )
        self.write('data: [DONE]\n\n')

    def openai_tool_pieces(self, pieces: Sequence[dict[str, Any]], *, reasoning: str = '') -> None:
        """A streamed answer of tool calls, in the pieces of `delta.tool_calls`."""
        self.start('text/event-stream')
        frame = {'id': '1', 'object': 'chat.completion.chunk', 'created': 0, 'model': 'm'}
        if reasoning:
            delta = {'reasoning_content': reasoning, 'reasoning': reasoning}
            self.sse({**frame, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}]})
        for piece in pieces:
            self.sse({**frame, 'choices': [{'index': 0, 'delta': {'tool_calls': [piece]}, 'finish_reason': None}]})
        self.sse({**frame, 'choices': [{'index': 0, 'delta': {}, 'finish_reason': 'tool_calls'}]})
        self.write('data: [DONE]\n\n')

    def openai_whole(self, text: str) -> None:
        message = {'role': 'assistant', 'content': text}
        self.whole(
            200,
            {
                'id': '1',
                'object': 'chat.completion',
                'created': 0,
                'model': 'm',
                'choices': [{'index': 0, 'message': message, 'finish_reason': 'stop'}],
                'usage': {'prompt_tokens': 11, 'completion_tokens': 7, 'total_tokens': 18},
            },
        )

    def openai_error(self, status: int, message: str, headers: dict[str, str] | None = None, **fields: Any) -> None:
        self.whole(status, {'error': {'message': message, 'type': 'error', **fields}}, headers)

    # --- Ollama

    def line(self, document: Any) -> None:
        self.write(json.dumps(document) + '\n')

    def part(self, text: str, **fields: Any) -> None:
        self.line({'model': 'm', 'message': {'role': 'assistant', 'content': text}, 'done': False, **fields})

    def ollama_stream(self, pieces: Sequence[str], *, prompt_eval_count: int = 11, eval_count: int = 7) -> None:
        self.start('application/x-ndjson')
        for piece in pieces:
            self.part(piece)
        self.part('', done=True, done_reason='stop', prompt_eval_count=prompt_eval_count, eval_count=eval_count)

    def ollama_tool_calls(self, calls: Sequence[tuple[str, dict[str, Any]]], *, thinking: str = '') -> None:
        self.start('application/x-ndjson')
        made = [{'function': {'name': name, 'arguments': arguments}} for name, arguments in calls]
        message = {'role': 'assistant', 'content': '', 'thinking': thinking, 'tool_calls': made}
        self.line({'model': 'm', 'message': message, 'done': False})
        self.part('', done=True, done_reason='stop', prompt_eval_count=11, eval_count=7)


Answer = Callable[[Handler, dict[str, Any]], None]


def show_model(handler: Handler, body: dict[str, Any]) -> None:
    handler.whole(200, {'model_info': {'llama.context_length': CONTEXT_LENGTH}, 'capabilities': ['completion']})


@dataclass
class ModelServer:
    """What the server got, and what it does: `answer` for chats and the rest, `show` for Ollama's /api/show."""

    url: str
    answer: Answer
    show: Answer = show_model
    requests: list[Request] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    client_left: threading.Event = field(default_factory=threading.Event)

    @property
    def chats(self) -> list[Request]:
        return [request for request in self.requests if request.path.endswith(('/chat/completions', '/api/chat'))]


class HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    model_server: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ModelServer]:
    http_server = HttpServer(('127.0.0.1', 0), Handler)
    url = f'http://127.0.0.1:{http_server.server_address[1]}'
    http_server.model_server = ModelServer(url, lambda handler, body: handler.openai_stream(['ok']))
    thread = threading.Thread(target=http_server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True)
    thread.start()
    yield http_server.model_server
    http_server.model_server.over.set()
    http_server.shutdown()
    http_server.server_close()
    thread.join()


@pytest.fixture
def chat() -> list[Message]:
    return [Message('system', 'You sort fruit.'), Message('user', 'Objects on the table: apple, pear')]


@pytest.fixture
def options() -> ChatOptions:
    return ChatOptions(deadline_s=20.0)
