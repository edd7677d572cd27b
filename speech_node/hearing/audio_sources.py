"""Audio sources: a microphone, a WAV file, or a queue that the node fills from a topic."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.audio import CHUNK, CHUNK_S, RATE_HZ, read_wav, resampled
from speech_node.interfaces import AudioSource, Chunk

_log = logging.getLogger(__name__)

Clock = Callable[[], float]

_LATEST_S = 0.25
"""A piece that is later than this followed a gap."""
_EARLIEST_S = 0.01
"""A piece that is earlier than this shows that the ones before it were late."""
_FOLLOWS = 0.002


class QueueSource:
    """A queue of sound, filled in pieces of any length. It keeps the newest `longest_s` of unread sound."""

    def __init__(self, *, longest_s: float = 10.0, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._longest_s = longest_s
        self._chunks: deque[Chunk] = deque(maxlen=max(1, round(longest_s / CHUNK_S)))
        self._rest = np.zeros(0, dtype=np.int16)
        self._end_s = -np.inf
        self._came = threading.Condition()
        self._closed = False
        self.dropped = 0

    def put(self, samples: Samples, rate_hz: int = RATE_HZ) -> None:
        """Appends a piece whose last sample is from now. If it is longer than the queue, only its end is kept.

        Raises:
            SpeechError: the rate is out of range.
        """
        longest = round(self._longest_s * rate_hz)
        dropped = max(0, len(samples) - longest) * RATE_HZ // max(1, rate_hz) // CHUNK
        piece = resampled(samples[-longest:] if longest > 0 else samples, rate_hz)
        now_s = self._clock()
        with self._came:
            # Pieces arrive irregularly, but their samples are evenly spaced. Echo cancellation needs evenly spaced
            # times, so the times follow the clock slowly. An early piece is the exception: it shows that the ones
            # before it were late. Without a correction, an echo would seem to come before its sound.
            expected_s = self._end_s + len(piece) / RATE_HZ
            if -_EARLIEST_S < now_s - expected_s < _LATEST_S:
                now_s = expected_s + _FOLLOWS * (now_s - expected_s)
            self._end_s = now_s
            sound = np.concatenate([self._rest, piece])
            whole = len(sound) // CHUNK
            for index in range(whole):
                self.dropped += len(self._chunks) == self._chunks.maxlen
                later_s = (len(sound) - (index + 1) * CHUNK) / RATE_HZ
                self._chunks.append(Chunk(sound[index * CHUNK : (index + 1) * CHUNK], now_s - later_s))
            self.dropped += dropped
            self._rest = sound[whole * CHUNK :]
            self._came.notify_all()

    def read(self, timeout_s: float) -> Chunk | None:
        with self._came:
            self._came.wait_for(lambda: self._chunks or self._closed, timeout_s)
            return self._chunks.popleft() if self._chunks else None

    def clear(self) -> None:
        with self._came:
            self._chunks.clear()
            self._rest = self._rest[:0]

    @property
    def ended(self) -> bool:
        with self._came:
            return self._closed and not self._chunks

    def close(self) -> None:
        with self._came:
            self._closed = True
            self._came.notify_all()


class WavSource:
    """A WAV file in real time or, if `paced` is false, as fast as it is read.

    Raises:
        SpeechError: the file cannot be read.
    """

    def __init__(self, file: Path, *, paced: bool = True) -> None:
        samples = read_wav(file)
        missing = -len(samples) % CHUNK
        self._samples = np.concatenate([samples, np.zeros(missing, dtype=np.int16)])
        self._next = 0
        self._paced = paced
        self._started_s = time.monotonic()
        self._closing = threading.Event()

    def read(self, timeout_s: float) -> Chunk | None:
        if self.ended:
            return None
        end_s = self._started_s + (self._next + CHUNK) / RATE_HZ
        wait_s = end_s - time.monotonic()
        if self._paced and wait_s > 0 and (self._closing.wait(min(wait_s, timeout_s)) or wait_s > timeout_s):
            return None
        chunk = self._samples[self._next : self._next + CHUNK]
        self._next += CHUNK
        return Chunk(chunk, end_s)

    def clear(self) -> None:
        if self._next == 0:
            self._started_s = time.monotonic()

    @property
    def ended(self) -> bool:
        return self._next >= len(self._samples) or self._closing.is_set()

    def close(self) -> None:
        self._closing.set()


class MicrophoneSource:
    """A microphone, through PortAudio. `device` is a part of its name; empty for the system's default.

    Raises:
        SpeechError: the audio library or the device is missing.
    """

    def __init__(self, device: str = '') -> None:
        self._queue = QueueSource()
        self._failure = ''
        sounddevice = load_sounddevice()

        def came(data: Any, frames: int, when: Any, status: Any) -> None:
            if status:
                _log.debug('microphone: %s', status)
            self._queue.put(np.frombuffer(bytes(data), dtype=np.int16))

        def finished() -> None:
            self._failure = 'the microphone was disconnected'

        try:
            self._stream = sounddevice.RawInputStream(
                samplerate=RATE_HZ,
                blocksize=CHUNK,
                device=device or None,
                channels=1,
                dtype='int16',
                callback=came,
                finished_callback=finished,
            )
            self._stream.start()
        except (sounddevice.PortAudioError, ValueError) as error:
            raise SpeechError(f'no microphone{f" {device!r}" if device else ""}: {error}') from error

    def read(self, timeout_s: float) -> Chunk | None:
        chunk = self._queue.read(timeout_s)
        if chunk is None and self._failure:
            raise SpeechError(self._failure)
        return chunk

    def clear(self) -> None:
        self._queue.clear()

    @property
    def ended(self) -> bool:
        return self._queue.ended

    def close(self) -> None:
        self._stream.close()
        self._queue.close()


def load_sounddevice() -> Any:
    """Imports the module `sounddevice`.

    Raises:
        SpeechError: the module, or the library behind it, is not installed.
    """
    try:
        import sounddevice
    except (ImportError, OSError) as error:
        raise SpeechError(
            f'audio devices need: pip install sounddevice, and sudo apt-get install libportaudio2 ({error})'
        ) from error
    return sounddevice


def make_source(spec: str) -> AudioSource | None:
    """Makes the source that a spec names; None for `none`. For `topic`, the node fills the returned QueueSource.

    Raises:
        ConfigError: the spec is unknown.
        SpeechError: the device or file cannot be opened.
    """
    kind, _, argument = spec.partition(':')
    if kind == 'none':
        return None
    if kind == 'topic':
        return QueueSource()
    if kind == 'microphone':
        return MicrophoneSource(argument)
    if kind == 'wav' and argument:
        return WavSource(Path(argument).expanduser())
    raise ConfigError(f'source must be microphone, microphone:NAME, wav:FILE, topic or none, got {spec!r}')
