"""Acoustic echo cancellation: removes the robot's own voice from the microphone signal.

Two filters model the path from loudspeaker to microphone. One covers the direct path and adapts within a few chunks
(`direct_path.py`). The other also covers the room, takes seconds to adapt, and is a partitioned-block adaptive filter
in the frequency domain (Soo and Pang, "Multidelay block frequency domain adaptive filter", 1990). The estimate that has
lately left the smaller residue is subtracted. Another person speaks when the residue is larger than it has lately been
for echo alone. Before a filter has adapted, and whenever the room changes, the correlation of microphone and reference
tells whether there is anything besides echo and steady noise.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from lucca_core.protocol.speech import Samples
from speech_node.audio import CHUNK, CHUNK_S, FULL_SCALE, to_samples
from speech_node.hearing.direct_path import DirectPath

_STEP = 0.5
_POWER_KEPT = 0.8
_ALIKE = 0.5
"""Correlation of microphone and reference over the last chunks above which there is only echo."""
_WINDOW = 4
"""Number of chunks over which the two are compared: 128 ms."""
_ALIKE_LEFT = 0.6
"""Correlation of residue and reference above which the room has changed, once the echo has been learned."""
_LEARNED = 0.1
"""Residual fraction of the echo's energy below which the echo counts as learned."""
_LEAK = 6.0
"""Somebody else speaks if the residue is this many times larger than it recently was for echo alone."""
_LEAK_RISES, _LEAK_FALLS = 0.3, 0.6
_LEAK_AT_MOST, _LEAK_LEAST = 4.0, 1e-3
_LEAK_SLOWS, _LEAK_FALLS_LATER = 0.01, 0.95
"""How fast the residual fraction follows the residue of a chunk.

It rises slowly and by a limited factor, so that a person mistaken for echo cannot raise it and stay hidden. It falls
fast during the first words, while the filter adapts, and slowly later, when it represents the worst of the last second.
"""
_ECHO_FALLS = 0.5
"""Decay of the expected echo per chunk, for reverberation: 60 dB in 0.64 s."""
_RESIDUE_KEPT = 0.9
"""Smoothing of the residues by which the better of the two filters is chosen."""
_QUIET = 1e-7
"""Mean square, full scale 1, below which the reference is silence."""
_NOISE_CHUNKS, _OF_LEAST, _OVER_NOISE = 31, 1.14, 1.1
"""The noise level is that of the quietest chunk of the last second, times a factor.

The factor is the ratio of mean to minimum that white noise has over 31 chunks. Chunks hardly louder than that are
noise; their energy says nothing about who speaks.
"""
_TAIL = 3
"""Chunks, beyond the filter's length, in which reverberation is expected after the reference has ended."""


@dataclass(frozen=True, slots=True)
class CleanedChunk:
    """A chunk without echo.

    `own` is true if the chunk held only the robot's own voice. `others` is the input for voice activity: the samples,
    lowered to the noise level of the room if `own` is true.
    """

    samples: Samples
    own: bool
    others: Samples


class EchoCanceller:
    """Cancels the echo in each chunk, given the reference that was played at the same time.

    Args:
        echo_s: longest echo (delay and reverberation) that is removed, in s.
    """

    def __init__(self, echo_s: float) -> None:
        self._parts = max(2, int(np.ceil(echo_s / CHUNK_S)) + 1)
        self.reset()

    def reset(self) -> None:
        """Forgets everything learned about the room."""
        self._direct = DirectPath((self._parts - 1) * CHUNK)
        self._weights = np.zeros((self._parts, CHUNK + 1), dtype=np.complex128)
        self._spectra = np.zeros((self._parts, CHUNK + 1), dtype=np.complex128)
        self._power = np.full(CHUNK + 1, 1e-3)
        self._reference = np.zeros((self._parts + _WINDOW) * CHUNK)
        self._heard: deque[NDArray[np.float64]] = deque([np.zeros(CHUNK)] * _WINDOW, maxlen=_WINDOW)
        self._left: deque[NDArray[np.float64]] = deque([np.zeros(CHUNK)] * _WINDOW, maxlen=_WINDOW)
        self._energies: deque[float] = deque(maxlen=_NOISE_CHUNKS)
        self._since_reference = self._parts + _TAIL + 1
        self._leaks = np.ones(2)
        self._residues = np.zeros(2)
        self._judged = 0
        self._expected = 0.0

    def clean(self, samples: Samples, reference: Samples) -> CleanedChunk:
        """Removes the echo from a chunk. While nothing is played, the chunk passes unchanged."""
        heard, played = samples / FULL_SCALE, reference / FULL_SCALE
        self._reference = np.concatenate([self._reference[CHUNK:], played])
        self._heard.append(heard)
        self._energies.append(float(heard @ heard))
        self._since_reference = 0 if np.mean(played**2) > _QUIET else self._since_reference + 1
        # Spectrum of the last two blocks; in the newer half, the convolution does not wrap around.
        self._spectra = np.roll(self._spectra, 1, axis=0)
        self._spectra[0] = rfft(self._reference[-2 * CHUNK :])
        direct = self._direct.echo(heard, played)
        if self._since_reference > self._parts + _TAIL:
            # The next sentence is compared with the sound just before it, not with the end of the previous sentence.
            self._left.append(heard)
            self._expected *= _ECHO_FALLS
            return CleanedChunk(samples, own=False, others=samples)
        tail = irfft((self._weights * self._spectra).sum(axis=0))[CHUNK:]
        errors = heard - direct, heard - tail
        best = int(np.argmin(self._residues))
        error = errors[best]
        echo = heard - error
        self._left.append(error)
        own = self._only_echo(error, echo, float(self._leaks[best]))
        if own:  # otherwise another person's voice would be learned as echo
            self._learn(errors)
        if error @ error > heard @ heard:
            # The room has changed: subtracting an echo that is not there would add the robot's voice.
            error = heard
        # Not set to silence, because noise that returns after silence looks like the beginning of speech.
        level = min(1.0, float(np.sqrt(min(self._energies) / (error @ error + 1e-12)))) if own else 1.0
        return CleanedChunk(to_samples(error * FULL_SCALE), own, to_samples(level * error * FULL_SCALE))

    def _learn(self, errors: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
        energy, noise = self._energies[-1], self._noise()
        if energy > _QUIET * CHUNK + 2 * noise:
            left = np.array([max(0.0, float(error @ error) - noise) / energy for error in errors])
            self._judged += 1
            falls = min(_LEAK_FALLS_LATER, _LEAK_FALLS + _LEAK_SLOWS * self._judged)
            rising = np.minimum(
                _LEAK_AT_MOST * self._leaks + _LEAK_LEAST, self._leaks + _LEAK_RISES * (left - self._leaks)
            )
            self._leaks = np.where(left > self._leaks, rising, np.maximum(left, falls * self._leaks))
        self._residues = _RESIDUE_KEPT * self._residues + [float(error @ error) for error in errors]
        self._direct.learn()
        self._power = _POWER_KEPT * self._power + (1 - _POWER_KEPT) * (np.abs(self._spectra) ** 2).sum(axis=0)
        spectrum = rfft(np.concatenate([np.zeros(CHUNK), errors[1]]))
        slope = irfft(np.conj(self._spectra) * (spectrum / (self._power + 1e-6)), axis=1)
        slope[:, CHUNK:] = 0.0
        self._weights += _STEP * rfft(slope, axis=1)

    def _only_echo(self, error: NDArray[np.float64], echo: NDArray[np.float64], leak: float) -> bool:
        """Whether the reference explains the last chunks, through the learned filter or at a single delay."""
        heard, noise = np.concatenate(self._heard), self._noise()
        left, echoed = float(error @ error), float(echo @ echo)
        self._expected = max(_ECHO_FALLS * self._expected, echoed)
        # When an echo becomes louder or softer, its residue resembles it.
        unlike = left - float(error @ echo) ** 2 / (echoed + 1e-12)
        if min(unlike, self._energies[-1]) < _QUIET * CHUNK + _OVER_NOISE * noise + _LEAK * leak * self._expected:
            return True
        if leak < _LEARNED and left <= self._energies[-1]:
            # Two voiced sounds correlate by chance in their lowest partials. Differencing weakens these, and doubles
            # the energy of white noise.
            lefts = np.diff(np.concatenate(self._left))
            noises = min(2 * _WINDOW * noise, float(lefts @ lefts) / 2)
            return self._alike(lefts, np.diff(self._reference), noises) > _ALIKE_LEFT
        energy = float(heard @ heard)
        if energy < max(_QUIET * len(heard), _OVER_NOISE * _WINDOW * noise):
            return True
        beyond = self._energies[-1] - noise
        if beyond > 0 and left - noise < (1 - _ALIKE) ** 2 * beyond:
            return True
        return self._alike(heard, self._reference, _WINDOW * noise) > _ALIKE

    def _alike(self, heard: NDArray[np.float64], reference: NDArray[np.float64], noise: float) -> float:
        """The highest correlation, 0 to 1, of a sound with the reference over all delays. `noise`: its noise energy."""
        size = next_fast_len(len(reference) + len(heard), real=True)
        products = irfft(rfft(reference, size) * np.conj(rfft(heard, size)), size)
        lags = len(reference) - len(heard) + 1
        squares = np.concatenate([[0.0], np.cumsum(reference**2)])
        energies = squares[len(heard) :] - squares[: -len(heard)]
        energy = max(1e-6, float(heard @ heard) - noise)
        return min(1.0, float((np.abs(products[:lags]) / np.sqrt(energies * energy + 1e-12)).max()))

    def _noise(self) -> float:
        """Energy of the steady noise in a chunk; 0 during the first second."""
        return _OF_LEAST * min(self._energies) if len(self._energies) == _NOISE_CHUNKS else 0.0
