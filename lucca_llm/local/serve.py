"""The process of a local model, which reads requests as JSON lines from standard input and writes answers to its
output.

`model_process` starts it as `python -m lucca_llm.local.serve FILE CONFIG`. It ends when its input ends, whatever it is
doing. An input line is `{"id": 1, "chat": {…}}` or `{"cancel": 1}`. The answers to a chat are `{"id": 1, "text": "…"}`
for each piece, then one line with `done` or `error`. The first output line is `{"ready": {…}}` or `{"error": {…}}`.
"""

import json
import os
import queue
import resource
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from lucca_core.errors import ConfigError, ModelError, ModelRetryable
from lucca_llm.local.config import LocalConfig
from lucca_llm.local.engine import Engine, Request
from lucca_llm.local.llama_context import LlamaContext
from lucca_llm.local.llama_library import load_llama_cpp

_MEGABYTE = 1_000_000
NICE = 5
"""Lower priority: the model computes for seconds, and the control of the arms must not wait for it."""


class Server:
    """Answers requests one after the other, while a second thread reads further requests and cancels."""

    def __init__(self, engine: Engine, lines_in: BinaryIO, out: BinaryIO) -> None:
        self._engine = engine
        self._lines_in = lines_in
        self._out = out
        self._waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._not_begun: set[int] = set()
        self._cancelled: set[int] = set()
        self._writing = threading.Lock()

    def run(self) -> None:
        """Serves until the input ends, which ends the process."""
        threading.Thread(target=self._read, name='requests', daemon=True).start()
        while True:
            request = self._waiting.get()
            number = int(request['id'])
            with self._lock:
                if number not in self._not_begun:
                    continue  # it was cancelled, and answered, while it waited
                self._not_begun.discard(number)
            self._answer(number, request['chat'])

    def _read(self) -> None:
        for line in self._lines_in:
            request = json.loads(line)
            if 'cancel' in request:
                self._cancel(int(request['cancel']))
            else:
                with self._lock:
                    self._not_begun.add(int(request['id']))
                self._waiting.put(request)
        os._exit(0)

    def _cancel(self, number: int) -> None:
        """Cancels a request. A waiting one is answered at once, so that the process does not seem to hang."""
        with self._lock:
            waited = number in self._not_begun
            self._not_begun.discard(number)
            if not waited:
                self._cancelled.add(number)
        if waited:
            self._write(_cancelled(number))

    def _answer(self, number: int, chat: dict[str, Any]) -> None:
        def cancelled() -> bool:
            return number in self._cancelled

        try:
            request = Request(**{**chat, 'messages': tuple(chat['messages']), 'choices': tuple(chat['choices'])})
            answer = self._engine.answer(request, lambda text: self._write({'id': number, 'text': text}), cancelled)
        except ModelError as error:
            self._write({'id': number, 'error': {'kind': type(error).__name__, 'message': str(error)}})
        else:
            self._write({'id': number, 'done': asdict(answer)})
        self._cancelled.discard(number)

    def _write(self, message: dict[str, Any]) -> None:
        with self._writing:
            write_line(self._out, message)


def _cancelled(number: int) -> dict[str, Any]:
    return {'id': number, 'error': {'kind': ModelRetryable.__name__, 'message': 'the call was cancelled'}}


def write_line(out: BinaryIO, message: dict[str, Any]) -> None:
    """Writes one message as a line."""
    out.write(json.dumps(message).encode() + b'\n')
    out.flush()


def _refuse(out: BinaryIO, reason: str) -> None:
    write_line(out, {'error': {'kind': 'ModelUnusable', 'message': reason}})


def main() -> None:
    """Loads the model and serves it."""
    # llama.cpp and its libraries may print; only messages may go to the output that the caller reads.
    out = os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)
    file, config = Path(sys.argv[1]), LocalConfig(**json.loads(sys.argv[2]))
    try:
        os.nice(NICE)
        bound = config.memory_mb * _MEGABYTE + file.stat().st_size
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
        # A crash must not fill a disk with the weights.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        context = LlamaContext(load_llama_cpp(), file, config)
        engine = Engine(context, config.cache_mb * _MEGABYTE)
    except MemoryError:
        _refuse(out, f'{file} needs more memory than memory_mb = {config.memory_mb} besides its own size')
        return
    except (ConfigError, ModelError, OSError) as error:
        _refuse(out, str(error))
        return
    write_line(out, {'ready': {'window': context.window}})
    Server(engine, sys.stdin.buffer, out).run()


if __name__ == '__main__':
    main()
