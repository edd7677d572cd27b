"""The direct acoustic path from loudspeaker to microphone, estimated within a few chunks.

The delay of the echo is the lag at which microphone and reference have correlated most so far. The filter taps around
that lag are the least-squares solution over the last chunks, with older chunks weighted less (recursive least squares;
Haykin, "Adaptive Filter Theory", chapter 10). The system is solved anew for each chunk, which is cheap for so few taps
and does not drift.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.linalg import solve

from speech_node.audio import CHUNK

_TAPS, _BEFORE = 64, 16
"""Number of filter taps (4 ms), and how many of them are before the lag (1 ms)."""
_MOVED = 8
"""Change of the lag, in samples, after which the taps are learned again."""
_KEPT_LAGS, _KEPT = 0.97, 0.95
"""Decay per chunk of the correlation for the lag, and of the sums for the taps."""
_KEPT_CHUNKS = 12
"""Number of chunks kept, from which the taps can be learned again."""
_PRIOR = 1e-3
"""Regularisation, as a fraction of the mean power of the reference."""
_QUIETEST = 0.01
"""Least power of an echo, as a fraction of what was played, that is used to weight a chunk."""
_LEAST = 1e-6


class DirectPath:
    """Estimates the echo on the direct path. Every chunk must be passed to `echo`; full scale is 1.

    Args:
        lags: longest delay, in samples.
    """

    def __init__(self, lags: int) -> None:
        self._lags = lags
        self._size = next_fast_len(CHUNK + lags, real=True)
        self._played = np.zeros(lags + _TAPS + _KEPT_CHUNKS * CHUNK)
        self._heard: list[tuple[NDArray[np.float64], bool]] = [(np.zeros(CHUNK), False)] * _KEPT_CHUNKS
        self._likeness = np.zeros(lags)
        self._first: int | None = None
        self._lag = 0
        self._taps = np.zeros(_TAPS)
        self._squares, self._products = np.zeros((_TAPS, _TAPS)), np.zeros(_TAPS)

    def echo(self, heard: NDArray[np.float64], played: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the echo in the newest chunk, predicted from what was learned before it."""
        self._played = np.concatenate([self._played[CHUNK:], played])
        self._heard = [*self._heard[1:], (heard, False)]
        return np.zeros(CHUNK) if self._first is None else self._delayed(0) @ self._taps

    def learn(self) -> None:
        """Learns from the newest chunk, which must contain nothing but echo and noise."""
        heard, _ = self._heard[-1]
        self._heard[-1] = heard, True
        played = self._played[-CHUNK - self._lags :]
        products = irfft(rfft(played, self._size) * np.conj(rfft(heard, self._size)), self._size)[1 : self._lags + 1]
        scale = np.sqrt(float(played @ played) * float(heard @ heard)) + _LEAST
        self._likeness = _KEPT_LAGS * self._likeness + products[::-1] / scale
        lag = int(np.argmax(np.abs(self._likeness)))
        if self._first is None or abs(lag - self._lag) > _MOVED:
            self._lag, self._first = lag, max(0, lag - _BEFORE)
            self._squares, self._products = np.zeros((_TAPS, _TAPS)), np.zeros(_TAPS)
            for age, (sound, own) in zip(range(_KEPT_CHUNKS - 1, -1, -1), self._heard, strict=True):
                if own:
                    self._add(sound, age)
        else:
            self._add(heard, 0)
        prior = _PRIOR * float(np.trace(self._squares)) / _TAPS + _LEAST
        self._taps = solve(self._squares + prior * np.eye(_TAPS), self._products, assume_a='pos', check_finite=False)

    def _add(self, heard: NDArray[np.float64], age: int) -> None:
        delayed = self._delayed(age)
        # Chunks have equal weight however loud they are, because each sound covers its own part of the spectrum. But a
        # chunk that the echo has not reached yet would outweigh all others by its silence.
        played = float(np.sum(delayed**2)) / _TAPS
        weight = 1 / (max(float(heard @ heard), _QUIETEST * played) + _LEAST)
        self._squares = _KEPT * self._squares + weight * (delayed.T @ delayed)
        self._products = _KEPT * self._products + weight * (delayed.T @ heard)

    def _delayed(self, age: int) -> NDArray[np.float64]:
        """The reference, shape (CHUNK, _TAPS), one column per delay, for the chunk that is `age` chunks old."""
        assert self._first is not None
        end = len(self._played) - age * CHUNK - self._first
        return sliding_window_view(self._played[end - CHUNK - _TAPS + 1 : end], _TAPS)[:, ::-1]
