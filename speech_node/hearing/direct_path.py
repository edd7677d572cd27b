"""The direct path from the loudspeaker to the microphone: found and learned within a few chunks.

Where the echo comes from is the lag at which sound and reference have correlated most so far. The taps around that lag are the
least-squares solution over the last chunks, older ones counting less (recursive least squares; Haykin, "Adaptive Filter Theory",
chapter 10), solved anew each time, which costs little for so few taps and does not drift.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.linalg import solve

from speech_node.audio import CHUNK

_TAPS, _BEFORE = 64, 16
"""Taps, and how many of them lie before the lag: 4 ms, of which 1 ms."""
_MOVED = 8
"""Samples by which the lag has to move for the taps to be learned anew."""
_KEPT_LAGS, _KEPT = 0.97, 0.95
"""What a chunk still counts one chunk later: in where the echo comes from, and in how it sounds."""
_KEPT_CHUNKS = 12
"""Chunks from which taps are learned anew."""
_PRIOR = 1e-3
"""Of the mean power of the reference: holds the taps where the reference has no sound."""
_LEAST = 1e-6


class DirectPath:
    """Tell it each chunk that is heard, with what is played at the same time; numbers with full scale 1.

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
        """What of the newest chunk came along the direct path, by what was learned before it."""
        self._played = np.concatenate([self._played[CHUNK:], played])
        self._heard = [*self._heard[1:], (heard, False)]
        return np.zeros(CHUNK) if self._first is None else self._delayed(0) @ self._taps

    def learn(self) -> None:
        """Nothing but echo and noise was in the newest chunk."""
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
        # Each chunk counts as much as a louder one: the noise is in all of them, but so is each sound's own part of the spectrum.
        weight = 1 / (float(heard @ heard) + _LEAST)
        self._squares = _KEPT * self._squares + weight * (delayed.T @ delayed)
        self._products = _KEPT * self._products + weight * (delayed.T @ heard)

    def _delayed(self, age: int) -> NDArray[np.float64]:
        """What was played, shape (CHUNK, _TAPS): a column for each delay, for the chunk that is `age` chunks old."""
        assert self._first is not None
        end = len(self._played) - age * CHUNK - self._first
        return sliding_window_view(self._played[end - CHUNK - _TAPS + 1 : end], _TAPS)[:, ::-1]
