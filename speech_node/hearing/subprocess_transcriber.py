"""A transcriber in a child process, where it cannot block the node and can be killed if it takes too long."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection

from lucca_core.errors import LuccaError, SpeechError
from lucca_core.process_priority import leave_session_priority, reset_priority
from lucca_core.protocol.speech import Samples
from speech_node.interfaces import Transcriber, Transcript

_END_S = 2.0
_LOOK_S = 0.1


def never() -> bool:
    """A value for `is_ending` with which loading and transcription are never given up."""
    return False


class SubprocessTranscriber:
    """Runs the transcriber that `make` returns in a child process, one call at a time.

    Args:
        name: the spec of the transcriber.
        make: a picklable factory, such as a function of a module or a partial of one.
        timeout_s: time limit of one transcription, in s of wall time.
        load_timeout_s: time limit of `make`, in s of wall time.
        is_ending: returns true if nobody waits for the transcriber any more; called ten times a second while it works.

    Raises:
        SpeechError: the transcriber could not be loaded; the message has the child's reason.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Transcriber],
        *,
        timeout_s: float,
        load_timeout_s: float,
        is_ending: Callable[[], bool] = never,
    ) -> None:
        self._name = name
        self._make = make
        self._timeout_s = timeout_s
        self._load_timeout_s = load_timeout_s
        self._is_ending = is_ending
        self._lock = threading.Lock()
        self._closed = False
        self._start()

    @property
    def name(self) -> str:
        return self._name

    @property
    def pid(self) -> int:
        """The child's process id."""
        return int(self._process.pid or 0)

    def transcribe(self, samples: Samples) -> Transcript:
        started_s = time.monotonic()
        with self._lock:
            if self._closed:
                raise SpeechError(f'{self._name} is closed')
            if not self._process.is_alive():
                self._end()
                self._start()
            answer = self._ask(samples, self._timeout_s, 'transcription')
        assert isinstance(answer, Transcript)
        return replace(answer, transcription_s=time.monotonic() - started_s)

    def close(self) -> None:
        # Does not wait for a transcription in progress, which ends with the process.
        self._closed = True
        self._process.kill()
        with self._lock:
            self._end()

    def _start(self) -> None:
        if self._is_given_up():
            raise SpeechError(f'{self._name}: told to end before loading')
        context = multiprocessing.get_context('spawn')
        self._ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._make), name=self._name, daemon=True)
        process.start()
        # Only a started process can be killed, which `close` may do at any moment.
        self._process = process
        theirs.close()
        try:
            self._receive(self._load_timeout_s, 'loading')
        except BaseException:
            self._end()
            raise

    def _is_given_up(self) -> bool:
        return self._closed or self._is_ending()

    def _ask(self, samples: Samples, timeout_s: float, what: str) -> object:
        try:
            self._ours.send(samples)
        except OSError as error:
            self._end()
            raise SpeechError(f'{self._name}: its process has died: {error}') from error
        return self._receive(timeout_s, what)

    def _receive(self, timeout_s: float, what: str) -> object:
        deadline_s = time.monotonic() + timeout_s
        try:
            while not self._ours.poll(max(0.0, min(_LOOK_S, deadline_s - time.monotonic()))):
                ending = self._is_given_up()
                if not ending and time.monotonic() < deadline_s:
                    continue
                self._end()
                if ending:
                    raise SpeechError(f'{self._name}: told to end during {what}')
                raise SpeechError(f'{self._name}: {what} took more than {timeout_s:g} s and was aborted')
            answer = self._ours.recv()
        except (EOFError, OSError) as error:
            self._process.join(_END_S)
            if self._is_given_up():
                raise SpeechError(f'{self._name}: told to end during {what}') from error
            code = self._process.exitcode
            raise SpeechError(f'{self._name}: its process died with exit code {code} during {what}') from error
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _end(self) -> None:
        self._ours.close()
        if self._closed:
            self._process.join(_END_S)
        if self._process.is_alive():
            self._process.kill()
        self._process.join(_END_S)


def _serve(theirs: Connection, make: Callable[[], Transcriber]) -> None:
    """Runs in the child: serves requests until the pipe closes. Sends errors back; a bug ends the process."""
    # Ctrl-C reaches the whole process group, but the parent decides when the child ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault('ORT_DISABLE_TELEMETRY', '1')
    # The node has a higher priority. The child gives it up, so that transcription never delays a stop.
    reset_priority()
    leave_session_priority()
    try:
        transcriber = make()
    except LuccaError as error:
        theirs.send(SpeechError(str(error)))
        return
    theirs.send('ready')
    with contextlib.suppress(EOFError, OSError):
        while (samples := theirs.recv()) is not None:
            try:
                theirs.send(transcriber.transcribe(samples))
            except LuccaError as error:
                theirs.send(SpeechError(str(error)))
    transcriber.close()
