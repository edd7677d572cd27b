"""Real-time playback of sound, to a loudspeaker or a topic, with a record of what was played for echo cancellation."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.audio import CHUNK, CHUNK_S, RATE_HZ
from speech_node.hearing.audio_sources import load_sounddevice
from speech_node.interfaces import Player

_log = logging.getLogger(__name__)

Sink = Callable[[Samples], None]

_REMEMBERED = round(4.0 / CHUNK_S)


class ChunkPlayer:
    """Passes queued sound to a sink, one chunk every 32 ms, and stops within one chunk.

    Args:
        sink: receives each chunk when it is due.
        close: called when the player is closed.
        delay_s: delay from the sink to the loudspeaker, in s.
    """

    def __init__(self, sink: Sink, *, close: Callable[[], None] = lambda: None, delay_s: float = 0.0) -> None:
        self._sink = sink
        self._close_sink = close
        self._delay_s = delay_s
        self._waiting: deque[Samples] = deque()
        self._played: deque[tuple[float, Samples]] = deque(maxlen=_REMEMBERED)
        self._changed = threading.Condition()
        self._sounding = False
        self._closing = False
        self._thread = threading.Thread(target=self._run, name='player', daemon=True)
        self._thread.start()

    def play(self, samples: Samples) -> None:
        missing = -len(samples) % CHUNK
        whole = np.concatenate([samples, np.zeros(missing, dtype=np.int16)])
        with self._changed:
            self._waiting.extend(whole.reshape(-1, CHUNK))
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._waiting.clear()
            self._changed.notify_all()

    @property
    def playing(self) -> bool:
        with self._changed:
            return bool(self._waiting) or self._sounding

    def reference(self, start_s: float, count: int) -> Samples:
        found = np.zeros(count, dtype=np.int16)
        with self._changed:
            played = list(self._played)
        for began_s, samples in played:
            offset = round((began_s - start_s) * RATE_HZ)
            low, high = max(0, offset), min(count, offset + len(samples))
            if low < high:
                found[low:high] = samples[low - offset : high - offset]
        return found

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._waiting.clear()
            self._changed.notify_all()
        self._thread.join(timeout=2.0)
        self._close_sink()

    def _run(self) -> None:
        next_s = 0.0
        while True:
            with self._changed:
                if not self._waiting:
                    self._sounding = False
                    self._changed.wait_for(lambda: self._waiting or self._closing)
                if self._closing:
                    return
                samples = self._waiting.popleft()
                self._sounding = True
            # Chunks follow each other without a gap unless this thread is late by more than one chunk.
            now_s = time.monotonic()
            next_s = next_s if abs(now_s - next_s) < CHUNK_S else now_s
            with self._changed:
                self._played.append((next_s + self._delay_s, samples))
            try:
                self._sink(samples)
            except Exception as error:  # noqa: BLE001 - each audio library has errors of its own
                # If the device is lost, the queue is discarded but the thread goes on, because the device may come
                # back.
                _log.error('not played: %s: %s', type(error).__name__, error)
                with self._changed:
                    self._waiting.clear()
            next_s += CHUNK_S
            with self._changed:
                self._changed.wait_for(lambda: self._closing, max(0.0, next_s - time.monotonic()))


def device_player(device: str = '') -> ChunkPlayer:
    """A player for a loudspeaker through PortAudio. `device` is a part of its name; empty for the system's default.

    Raises:
        SpeechError: the audio library or the device is missing.
    """
    sounddevice = load_sounddevice()
    try:
        stream: Any = sounddevice.RawOutputStream(
            samplerate=RATE_HZ, blocksize=CHUNK, device=device or None, channels=1, dtype='int16', latency='low'
        )
        stream.start()
    except (sounddevice.PortAudioError, ValueError) as error:
        raise SpeechError(f'no loudspeaker{f" {device!r}" if device else ""}: {error}') from error
    return ChunkPlayer(lambda samples: stream.write(samples.tobytes()), close=stream.close, delay_s=stream.latency)


def make_player(spec: str, on_topic: Sink) -> Player | None:
    """Makes the player that a spec names; None for `none`. `on_topic` receives the chunks of `topic`.

    Raises:
        ConfigError: the spec is unknown.
        SpeechError: the device cannot be opened.
    """
    kind, _, argument = spec.partition(':')
    if kind == 'none':
        return None
    if kind == 'topic':
        return ChunkPlayer(on_topic)
    if kind == 'device':
        return device_player(argument)
    raise ConfigError(f'player must be device, device:NAME, topic or none, got {spec!r}')
