"""Simulated acoustics between person, microphone and loudspeaker: speech, echo and noise in real time."""

import threading
import time
from collections import deque
from collections.abc import Callable

import numpy as np

from lucca_core.protocol.speech import Samples
from speech_node.audio import CHUNK, CHUNK_S, RATE_HZ, to_samples

ECHO_DB, ECHO_DELAY_S = -10.0, 0.06
BEGINS_S = 3.0
"""The longest wait for the first sound of an expected answer of the robot."""
QUIET_NOISE = 20.0
"""Standard deviation of the noise of a quiet room, in 16-bit steps."""


class AcousticRoom:
    """Sends a chunk of mixed sound every 32 ms until it is closed.

    Args:
        send: called with each chunk.
        seed: seed of the noise.
    """

    def __init__(self, send: Callable[[Samples], None], seed: int = 0) -> None:
        self._send = send
        self._rng = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self._speech: deque[Samples] = deque()
        self._echo: deque[Samples] = deque()
        self._silent = threading.Event()
        self._silent.set()
        self._noise = QUIET_NOISE
        self._closing = threading.Event()
        self._last_echo_s = 0.0
        self._said_s = 0.0
        self._thread = threading.Thread(target=self._run, name='room', daemon=True)
        self._thread.start()

    def robot_plays(self, samples: Samples) -> None:
        """Adds sound that comes out of the loudspeaker from now on."""
        with self._lock:
            if not self._echo:
                self._echo.extend(np.zeros((round(ECHO_DELAY_S / CHUNK_S), CHUNK), dtype=np.int16))
            self._echo.extend(_chunks(to_samples(samples * 10 ** (ECHO_DB / 20))))
            self._last_echo_s = time.monotonic()

    def say(self, samples: Samples, noise: float) -> float:
        """Lets a person speak, with noise of this standard deviation from now on, and waits for the end.

        Returns the monotonic time (s) at which the last sample was sent. A chunk is sent when a microphone would have
        completed it.
        """
        chunks = _chunks(samples)
        with self._lock:
            self._noise = noise
            self._silent.clear()
            self._speech.extend(chunks)
        self._silent.wait(len(samples) / RATE_HZ + 10.0)
        with self._lock:
            return self._said_s - (len(chunks) * CHUNK - len(samples)) / RATE_HZ

    def wait_for_quiet(self, quiet_s: float, timeout_s: float, *, answered_since_s: float | None = None) -> None:
        """Waits until the robot has been silent for `quiet_s`, but at most `timeout_s`.

        Args:
            quiet_s: length of the silence.
            timeout_s: the longest wait.
            answered_since_s: set if an answer is expected. Then the first sound since this monotonic time is awaited
                before, for at most `BEGINS_S`.
        """
        if answered_since_s is not None:
            begins_s = time.monotonic() + BEGINS_S
            while self._last_echo_s < answered_since_s and time.monotonic() < begins_s:
                self._closing.wait(0.02)
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline and time.monotonic() - self._last_echo_s < quiet_s:
            self._closing.wait(0.02)

    def close(self) -> None:
        """Ends the sound."""
        self._closing.set()
        self._thread.join(timeout=2.0)

    def _run(self) -> None:
        next_s = time.monotonic()
        while not self._closing.is_set():
            with self._lock:
                speech = self._speech.popleft() if self._speech else None
                echo = self._echo.popleft() if self._echo else None
                last = speech is not None and not self._speech
                noise = self._noise
            mixed = self._rng.normal(scale=noise, size=CHUNK)
            for part in (speech, echo):
                if part is not None:
                    mixed += part
            self._send(to_samples(mixed))
            if last:
                with self._lock:
                    self._said_s = time.monotonic()
                self._silent.set()
            next_s += CHUNK_S
            self._closing.wait(max(0.0, next_s - time.monotonic()))


def _chunks(samples: Samples) -> list[Samples]:
    missing = -len(samples) % CHUNK
    return list(np.concatenate([samples, np.zeros(missing, dtype=np.int16)]).reshape(-1, CHUNK))
