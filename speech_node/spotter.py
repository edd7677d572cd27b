"""The stop word in running sound: a small network of our own, with nothing but numpy at run time.

Sound becomes logarithmic mel energies, 16 ms apart; the last 0.77 s of them, less their mean, go through one hidden layer.
Its weights, in `stop_words.npz`, are made by `scripts/train_stop_spotter.py` from synthetic voices.
"""

from collections import deque
from importlib import resources
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import SpeechError
from speech_node.audio import CHUNK, RATE_HZ, Samples

Array = NDArray[np.float32]

HOP = CHUNK // 2
FRAME = CHUNK
BANDS = 24
FRAMES = 48
"""Frames that the network sees: 0.77 s, a slow "freeze" with a little before it."""
LOW_HZ, HIGH_HZ = 100.0, 7600.0
_QUIET = 50.0
"""Mean square, in steps of 16 bit, below which a window holds no speech: it would be all noise once its level is gone."""
_AGREE = 6
"""Windows in a row, 16 ms apart, that have to say so: the end of another word may look like one for a moment."""


def _mel(hz: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(2595.0 * np.log10(1.0 + hz / 700.0))


def _filters() -> Array:
    """Triangles of equal width in mel, (FRAME // 2 + 1, BANDS)."""
    edges = np.linspace(_mel(np.array(LOW_HZ)), _mel(np.array(HIGH_HZ)), BANDS + 2)
    bins = _mel(np.fft.rfftfreq(FRAME, 1 / RATE_HZ))[:, None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    return np.asarray(np.clip(np.minimum(rising, falling), 0.0, None), dtype=np.float32)


_FILTERS = _filters()
_WINDOW = np.hanning(FRAME).astype(np.float32)


def log_mel(samples: Samples) -> Array:
    """Logarithmic mel energies of frames of 512 samples, 256 apart; (n, BANDS)."""
    if len(samples) < FRAME:
        return np.zeros((0, BANDS), dtype=np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, FRAME)[::HOP].astype(np.float32)
    power = np.abs(np.fft.rfft(frames * _WINDOW, axis=1)) ** 2
    return np.asarray(np.log(power.astype(np.float32) @ _FILTERS / FRAME + 1.0), dtype=np.float32)


def normalised(windows: Array) -> Array:
    """Windows of log mel energies, (n, FRAMES, BANDS), without their level, one row each."""
    mean = windows.mean(axis=(1, 2), keepdims=True)
    return np.asarray((windows - mean) / 3.0, dtype=np.float32).reshape(len(windows), FRAMES * BANDS)


class StopNetwork:
    """The weights, and what they make of windows."""

    def __init__(self, hidden: Array, hidden_bias: Array, out: Array, out_bias: Array) -> None:
        self.hidden, self.hidden_bias, self.out, self.out_bias = hidden, hidden_bias, out, out_bias

    @classmethod
    def load(cls, file: Path | None = None) -> 'StopNetwork':
        """From a file; without one, the weights that come with the package.

        Raises:
            SpeechError: the file is missing or holds no such weights.
        """
        place = file or resources.files('speech_node') / 'stop_words.npz'
        try:
            with place.open('rb') as opened, np.load(opened) as data:
                parts = [data[name].astype(np.float32) for name in ('hidden', 'hidden_bias', 'out', 'out_bias')]
        except (OSError, EOFError, KeyError, ValueError, BadZipFile) as error:
            raise SpeechError(f'the weights of the stop spotter cannot be read from {place}: {error}') from error
        network = cls(*parts)
        units = network.hidden.shape[-1]
        if network.hidden.shape != (FRAMES * BANDS, units) or network.out.shape != (units,):
            raise SpeechError(f'{place} holds weights of another shape: {network.hidden.shape}, {network.out.shape}')
        return network

    def save(self, file: Path) -> None:
        """Writes the weights, in half precision."""
        half = np.float16
        np.savez_compressed(
            file,
            hidden=self.hidden.astype(half),
            hidden_bias=self.hidden_bias.astype(half),
            out=self.out.astype(half),
            out_bias=self.out_bias.astype(half),
        )

    def probabilities(self, rows: Array) -> NDArray[np.float32]:
        """Of each row that a stop word has just ended; (n,)."""
        active = np.maximum(rows @ self.hidden + self.hidden_bias, 0.0)
        return np.asarray(1 / (1 + np.exp(-np.clip(active @ self.out + self.out_bias, -30, 30))), dtype=np.float32)


class NetworkStopSpotter:
    """Hears "stop", "halt" and "freeze". Give it every chunk; it needs about 0.2 ms for one."""

    def __init__(self, network: StopNetwork | None = None) -> None:
        self._network = network or StopNetwork.load()
        self._rest = np.zeros(0, dtype=np.int16)
        self._frames = np.zeros((FRAMES, BANDS), dtype=np.float32)
        self._said: deque[float] = deque([0.0] * _AGREE, maxlen=_AGREE)

    def hear(self, samples: Samples) -> float:
        sound = np.concatenate([self._rest, samples])
        fresh = log_mel(sound)
        self._rest = sound[len(fresh) * HOP :]
        self._frames = np.concatenate([self._frames, fresh])[-(FRAMES + len(fresh)) :]
        highest = 0.0
        for shift in range(len(fresh)):
            window = self._frames[shift + 1 : shift + 1 + FRAMES]
            said = 0.0
            if np.exp(window.max(axis=0)).mean() > _QUIET:
                said = float(self._network.probabilities(normalised(window[None]))[0])
            self._said.append(said)
            highest = max(highest, min(self._said))
        return highest

    def reset(self) -> None:
        self._rest = np.zeros(0, dtype=np.int16)
        self._frames = np.zeros((FRAMES, BANDS), dtype=np.float32)
        self._said.extend([0.0] * _AGREE)
