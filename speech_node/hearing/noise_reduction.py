"""Removal of steady background noise from an utterance, with a Wiener filter per frequency band.

The noise is estimated from the quietest frames. The a priori signal-to-noise ratio is smoothed as by Ephraim and Malah
("Speech enhancement using a minimum mean-square error short-time spectral amplitude estimator", 1984, eq. 51), which
leaves no musical tones; the gain is Wiener's (Scalart and Filho, "Speech enhancement based on a priori signal to noise
estimation", 1996, eq. 9).
"""

import numpy as np
from numpy.typing import NDArray

from lucca_core.protocol.speech import Samples
from speech_node.audio import to_samples

_FRAME, _HOP = 512, 128
_KEPT = 0.97
"""Weight of the previous frame in the smoothed ratio."""
_LEAST_GAIN = 0.15
"""Lowest gain of a band. Some noise remains, because acoustic models are trained on rooms, not on digital silence."""
_QUIET_SHARE = 6
"""One frame in this many is taken for noise alone; the pre-roll and the final pause are longer than that."""
_LEAST_FRAMES = 8
_NOISE_MARGIN = 1.1
_SILENT = 1e-3
"""Fraction of the median energy below which a frame counts as padding."""


def without_noise(samples: Samples) -> Samples:
    """Reduces steady noise; the length stays the same."""
    if len(samples) < _FRAME:
        return samples
    window = np.sqrt(np.hanning(_FRAME + 1)[:_FRAME])
    padded = np.concatenate([np.zeros(_FRAME), samples.astype(np.float64), np.zeros(_FRAME)])
    spectra = np.fft.rfft(np.lib.stride_tricks.sliding_window_view(padded, _FRAME)[::_HOP] * window, axis=1)
    powers = np.abs(spectra) ** 2
    ratios = powers / _noise(powers)
    before = np.zeros(spectra.shape[1])
    for index, ratio in enumerate(ratios):
        prior = _KEPT * before + (1 - _KEPT) * np.maximum(ratio - 1, 0)
        gain = np.maximum(prior / (1 + prior), _LEAST_GAIN)
        spectra[index] *= gain
        before = gain**2 * ratio
    # The squared windows of four overlapping frames add up to 2.
    result = np.zeros(len(padded))
    for index, frame in enumerate(np.fft.irfft(spectra, axis=1) * window):
        result[index * _HOP : index * _HOP + _FRAME] += frame / 2
    return to_samples(result[_FRAME : _FRAME + len(samples)])


def _noise(powers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean power of the quietest frames in each band."""
    energies = powers.sum(axis=1)
    there = np.flatnonzero(energies > _SILENT * np.median(energies))
    if not len(there):
        return np.ones(powers.shape[1])
    quiet = there[np.argsort(energies[there])][: max(_LEAST_FRAMES, len(there) // _QUIET_SHARE)]
    return np.asarray(powers[quiet].mean(axis=0) * _NOISE_MARGIN + 1.0)
