"""The process of a local model: it is started, exchanges messages, and is restarted after it died."""

import json
import logging
import math
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lucca_core.errors import ModelError, ModelRetryable, ModelTimeout, ModelUnusable, StackError
from lucca_llm.local.config import LocalConfig

_logger = logging.getLogger(__name__)
_POLL_S = 0.05
_KEPT_LINES = 20
_LAST_WORDS_S = 1.0
_ERRORS: dict[str, type[ModelError]] = {'ModelRetryable': ModelRetryable, 'ModelUnusable': ModelUnusable}


def command_of(file: Path, config: LocalConfig) -> list[str]:
    """The command of the process that serves a file."""
    return [sys.executable, '-m', 'lucca_llm.local.serve', str(file), json.dumps(asdict(config))]


@dataclass(slots=True)
class _Running:
    """One life of the process: its handle, the calls that wait for answers, and its last lines of error output."""

    process: subprocess.Popen[bytes]
    to_send: queue.SimpleQueue[dict[str, Any] | None] = field(default_factory=queue.SimpleQueue)
    arrived: dict[int, queue.SimpleQueue[dict[str, Any]]] = field(default_factory=dict)
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT_LINES))
    ready: threading.Event = field(default_factory=threading.Event)
    refused: str = ''
    over: bool = False
    reading_errors: threading.Thread | None = None
    began_s: float = field(default_factory=time.monotonic)

    def ended(self) -> str:
        """How the process ended, for an error message. Waits for its end."""
        code = self.process.wait()
        if self.reading_errors is not None:
            self.reading_errors.join(_LAST_WORDS_S)
        how = f'by signal {-code} ({signal.Signals(-code).name})' if code < 0 else f'with code {code}'
        said = f'; it said: {self.errors[-1]}' if self.errors else ''
        return f'ended {how}{said}'


class ModelProcess:
    """The process of one model file. Safe for several threads; the process answers one call at a time."""

    def __init__(
        self,
        file: Path,
        config: LocalConfig,
        command: Callable[[Path, LocalConfig], Sequence[str]] = command_of,
    ) -> None:
        self._file = file
        self._config = config
        self._command = command
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._numbers = 0

    @property
    def pid(self) -> int | None:
        """The id of the running process, if any."""
        running = self._running
        return running.process.pid if running is not None and not running.over else None

    def load(self) -> None:
        """Starts the process if none is running, and waits until the model is loaded.

        Raises:
            ModelTimeout: this took longer than `start_s`.
            ModelUnusable: the model cannot be loaded.
        """
        self._started(math.inf, None)

    def call(
        self,
        chat: dict[str, Any],
        end_s: float,
        on_text: Callable[[str], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> dict[str, Any]:
        """The last message of the answer to a chat; see `serve`. Starts the process if none is running.

        Args:
            chat: the fields of a `Request`.
            end_s: deadline of the call, by the monotonic clock.
            on_text: called with each piece of the answer.
            cancelled: ends the call once it is true.

        Raises:
            ModelTimeout: `end_s` passed.
            ModelRetryable: the call was cancelled, or the process died during it.
            ModelUnusable: the model cannot be loaded, or the call cannot be answered.
        """
        running = self._started(end_s, cancelled)
        number, answers = self._sent(running, chat)
        try:
            while True:
                message = self._next(running, answers, end_s, cancelled)
                if 'text' in message:
                    if on_text is not None:
                        on_text(message['text'])
                    continue
                del running.arrived[number]
                if 'error' in message:
                    error = message['error']
                    raise _ERRORS.get(error['kind'], ModelRetryable)(error['message'])
                done: dict[str, Any] = message['done']
                return done
        finally:
            if number in running.arrived:
                self._abandon(running, number)

    def close(self) -> None:
        """Ends the process; the next call would start it again."""
        with self._lock:
            running, self._running = self._running, None
        if running is None:
            return
        running.to_send.put(None)
        if not running.ready.is_set():
            # While it loads, it reads nothing.
            running.refused = f'{self._file} was let go of while it was loaded'
            running.process.kill()
        try:
            running.process.wait(self._config.grace_s)
        except subprocess.TimeoutExpired:
            running.process.kill()
            running.process.wait()

    def _started(self, end_s: float, cancelled: Callable[[], bool] | None) -> _Running:
        with self._lock:
            if self._running is None or self._running.over:
                self._running = self._start()
            running = self._running
        loaded_by_s = running.began_s + self._config.start_s
        while not running.ready.wait(_POLL_S):
            try:
                _check_time(min(end_s, loaded_by_s), cancelled, f'{self._file.name} was not loaded in time')
            except ModelTimeout:
                # A call that gives up leaves the process loading for the next one, but not for ever.
                if time.monotonic() >= loaded_by_s:
                    running.refused = f'{self._file} was not loaded within start_s = {self._config.start_s:g} s'
                    running.process.kill()
                raise
        if running.refused:
            raise ModelUnusable(running.refused)
        return running

    def _start(self) -> _Running:
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(self._command(self._file, self._config), stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise StackError(f'the process of the model {self._file} cannot be started: {error}') from error
        running = _Running(process)
        running.reading_errors = threading.Thread(
            target=self._read_errors, args=(running,), name='local-model-errors', daemon=True
        )
        running.reading_errors.start()
        for run in (self._read_answers, self._send):
            threading.Thread(target=run, args=(running,), name='local-model', daemon=True).start()
        return running

    def _send(self, running: _Running) -> None:
        """Writes requests, in a thread of its own: a process that has stopped reading must not block the callers."""
        assert running.process.stdin is not None
        # The thread that reads the answers reports a process that is gone.
        with suppress(OSError), running.process.stdin as stream:
            while (message := running.to_send.get()) is not None:
                stream.write(json.dumps(message).encode() + b'\n')
                stream.flush()

    def _read_errors(self, running: _Running) -> None:
        assert running.process.stderr is not None
        with running.process.stderr as stream:
            for line in stream:
                if text := line.decode('utf-8', 'replace').strip():
                    running.errors.append(text[:300])

    def _read_answers(self, running: _Running) -> None:
        assert running.process.stdout is not None
        with running.process.stdout as stream, suppress(ValueError, KeyError, TypeError):
            for line in stream:
                self._take(running, json.loads(line))
        # If the process is still running, it wrote something that is not a message, so it cannot be trusted.
        running.process.kill()
        how = running.ended()
        running.over = True
        running.to_send.put(None)
        if not running.ready.is_set():
            running.refused = running.refused or (
                f'{self._file} cannot be loaded: the process of llama.cpp {how}. The file may be damaged, or '
                'llama.cpp was compiled for another processor (`lucca models get smollm2` compiles it for this one)'
            )
            running.ready.set()
        gone = {'error': {'kind': 'ModelRetryable', 'message': f'the process of {self._file.name} {how}'}}
        for answers in list(running.arrived.values()):
            answers.put(gone)

    def _take(self, running: _Running, message: dict[str, Any]) -> None:
        if 'id' in message:
            if (answers := running.arrived.get(message['id'])) is not None:
                answers.put(message)
            return
        if 'error' in message:
            running.refused = message['error']['message']
        running.ready.set()

    def _sent(self, running: _Running, chat: dict[str, Any]) -> tuple[int, queue.SimpleQueue[dict[str, Any]]]:
        with self._lock:
            self._numbers += 1
            number = self._numbers
        answers = running.arrived[number] = queue.SimpleQueue()
        running.to_send.put({'id': number, 'chat': chat})
        return number, answers

    def _next(
        self,
        running: _Running,
        answers: queue.SimpleQueue[dict[str, Any]],
        end_s: float,
        cancelled: Callable[[], bool] | None,
    ) -> dict[str, Any]:
        while True:
            _check_time(end_s, cancelled, f'{self._file.name} did not answer in time')
            try:
                return answers.get(timeout=_POLL_S if not running.over else 0)
            except queue.Empty:
                if running.over and answers.empty():
                    raise ModelRetryable(f'the process of {self._file.name} {running.ended()}') from None

    def _abandon(self, running: _Running, number: int) -> None:
        """Cancels a call, and ends the process if it does not react."""
        running.to_send.put({'cancel': number})
        answers = running.arrived[number]

        def make_sure() -> None:
            until_s = time.monotonic() + self._config.grace_s
            while (left_s := until_s - time.monotonic()) > 0:
                try:
                    if 'text' not in answers.get(timeout=left_s):
                        break
                except queue.Empty:
                    _logger.warning('%s goes on with a call that is over; it is ended', self._file.name)
                    running.process.kill()
            running.arrived.pop(number, None)

        threading.Thread(target=make_sure, name='local-model-end', daemon=True).start()


def _check_time(end_s: float, cancelled: Callable[[], bool] | None, late: str) -> None:
    if cancelled is not None and cancelled():
        raise ModelRetryable('the call was cancelled')
    if time.monotonic() >= end_s:
        raise ModelTimeout(late)
