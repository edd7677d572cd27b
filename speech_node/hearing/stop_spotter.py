"""Detection of the stop words with a small convolutional network that runs in numpy.

The input is log mel energies, 16 ms apart. The last 0.77 s of them, minus their mean, pass through two convolutions
over time and frequency, as in Sainath and Parada, "Convolutional neural networks for small-footprint keyword spotting"
(2015), and one hidden layer. The weights, in `stop_words.npz`, are trained on synthetic voices and on recordings of
people by `laboratory/scripts/train_stop_spotter.py`; `docs/voice_evaluation.md` names the recordings.
"""

from collections import deque
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.archived_weights import DAMAGED_ARCHIVE, finite_weights
from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.audio import CHUNK, RATE_HZ

Array = NDArray[np.float32]

HOP = CHUNK // 2
FRAME = CHUNK
BANDS = 24
FRAMES = 48
"""Frames of the network's input: 0.77 s, enough for a slow "freeze" and a little sound before it."""
LOW_HZ, HIGH_HZ = 100.0, 7600.0
_QUIET = 50.0
"""Mean square of 16-bit samples below which a window cannot hold speech; normalised, it would only be noise."""
_AGREE = 7
"""Number of successive windows, 16 ms apart, that are averaged, because another word's end may resemble a stop word."""


def _mel(hz: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(2595.0 * np.log10(1.0 + hz / 700.0))


def _filters() -> Array:
    """Triangular mel filters, (FRAME // 2 + 1, BANDS)."""
    edges = np.linspace(_mel(np.array(LOW_HZ)), _mel(np.array(HIGH_HZ)), BANDS + 2)
    bins = _mel(np.fft.rfftfreq(FRAME, 1 / RATE_HZ))[:, None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    return np.asarray(np.clip(np.minimum(rising, falling), 0.0, None), dtype=np.float32)


_FILTERS = _filters()
_WINDOW = np.hanning(FRAME).astype(np.float32)


def log_mel(samples: Samples) -> Array:
    """Log mel energies of frames of 512 samples, 256 apart; (n, BANDS)."""
    if len(samples) < FRAME:
        return np.zeros((0, BANDS), dtype=np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, FRAME)[::HOP].astype(np.float32)
    power = np.abs(np.fft.rfft(frames * _WINDOW, axis=1)) ** 2
    return np.asarray(np.log(power.astype(np.float32) @ _FILTERS / FRAME + 1.0), dtype=np.float32)


def normalised(windows: Array) -> Array:
    """Removes the level from windows of log mel energies, (n, FRAMES, BANDS)."""
    mean = windows.mean(axis=(1, 2), keepdims=True)
    return np.asarray((windows - mean) / 3.0, dtype=np.float32)


CHANNELS = (32, 64)
KERNELS = ((5, 4), (4, 3))
"""Frames and bands of each convolution's kernel."""
STRIDE = 2
HIDDEN = 96
_NAMES = ('first', 'second', 'hidden', 'out')
_SHAPES = (
    (CHANNELS[0], 1, *KERNELS[0]),
    (CHANNELS[1], CHANNELS[0], *KERNELS[1]),
    (HIDDEN, 3200),
    (1, HIDDEN),
)
"""Weights of each layer: (channels out, channels in, frames, bands) or (units out, units in)."""

Layer = tuple[Array, Array]
"""Weights and biases."""


class StopNetwork:
    """The network: two convolutions, a hidden layer and one output.

    Raises:
        SpeechError: the layers have other shapes.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        shapes = tuple(weights.shape for weights, _ in layers)
        if shapes != _SHAPES or any(biases.shape != weights.shape[:1] for weights, biases in layers):
            raise SpeechError(f'weights must have the shapes {_SHAPES}, got {shapes}')
        self.layers = tuple(layers)

    @classmethod
    def load(cls, file: Path | None = None) -> 'StopNetwork':
        """Loads the weights from a file, by default the one in the package.

        Raises:
            SpeechError: the file is missing or holds no valid weights.
        """
        place = file or resources.files('speech_node.hearing') / 'stop_words.npz'
        try:
            with place.open('rb') as opened, np.load(opened, allow_pickle=False) as data:
                layers = [(finite_weights(data, name), finite_weights(data, f'{name}_bias')) for name in _NAMES]
        except DAMAGED_ARCHIVE as error:
            raise SpeechError(f'the weights of the stop spotter cannot be read from {place}: {error}') from error
        try:
            return cls(layers)
        except SpeechError as error:
            raise SpeechError(f'{place}: {error}') from error

    def save(self, file: Path) -> None:
        """Writes the weights, in half precision."""
        named: dict[str, Any] = {}
        for name, (weights, biases) in zip(_NAMES, self.layers, strict=True):
            named |= {name: weights.astype(np.float16), f'{name}_bias': biases.astype(np.float16)}
        np.savez_compressed(file, **named)

    def probabilities(self, windows: Array) -> NDArray[np.float32]:
        """Probability, for each normalised window (n, FRAMES, BANDS), that a stop word has just ended; (n,)."""
        first, second, hidden, (out, out_bias) = self.layers
        seen = _convolved(_convolved(windows[:, None], first), second).reshape(len(windows), -1)
        active = np.maximum(seen @ hidden[0].T + hidden[1], 0.0)
        said = (active @ out.T + out_bias)[:, 0]
        return np.asarray(1 / (1 + np.exp(-np.clip(said, -30, 30))), dtype=np.float32)


def _convolved(inputs: Array, layer: Layer) -> Array:
    """A strided convolution with ReLU: (n, channels in, frames, bands) to (n, channels out, fewer frames and bands)."""
    weights, biases = layer
    patches = np.lib.stride_tricks.sliding_window_view(inputs, weights.shape[2:], axis=(2, 3))[:, :, ::STRIDE, ::STRIDE]
    results = np.tensordot(patches, weights, axes=([1, 4, 5], [1, 2, 3])) + biases
    return np.asarray(np.maximum(results, 0.0).transpose(0, 3, 1, 2))


class NetworkStopSpotter:
    """Detects "stop", "halt" and "freeze" with the network. It must get every chunk."""

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
        if not len(fresh):
            return 0.0
        windows = np.stack([self._frames[shift + 1 : shift + 1 + FRAMES] for shift in range(len(fresh))])
        loud = np.exp(windows.max(axis=1)).mean(axis=1) > _QUIET
        probabilities = np.where(loud, self._network.probabilities(normalised(windows)), 0.0)
        highest = 0.0
        for probability in probabilities:
            self._said.append(float(probability))
            highest = max(highest, sum(self._said) / _AGREE)
        return highest

    def reset(self) -> None:
        self._rest = np.zeros(0, dtype=np.int16)
        self._frames = np.zeros((FRAMES, BANDS), dtype=np.float32)
        self._said.extend([0.0] * _AGREE)
