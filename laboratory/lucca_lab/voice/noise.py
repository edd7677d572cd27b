"""Silence, the level of speech, and the addition of white noise, other sound or reverberation relative to it."""

import numpy as np
from scipy.signal import fftconvolve

from lucca_core.protocol.speech import Samples
from speech_node.audio import RATE_HZ, to_samples

_LOUD = 0.05
"""The share of the peak above which a sample counts as speech in measurements of its level."""


def silence(duration_s: float) -> Samples:
    """Digital silence."""
    return np.zeros(round(duration_s * RATE_HZ), dtype=np.int16)


def speech_power(samples: Samples) -> float:
    """Mean square of the samples louder than a twentieth of the peak, so that pauses do not count."""
    values = samples.astype(np.float64)
    loud = np.abs(values) > _LOUD * np.abs(values).max(initial=0.0)
    return float(np.mean(values[loud] ** 2)) if loud.any() else 0.0


def with_noise(samples: Samples, snr_db: float, rng: np.random.Generator) -> Samples:
    """Adds white noise at `snr_db` below the speech level."""
    sigma = np.sqrt(speech_power(samples) / 10 ** (snr_db / 10))
    return to_samples(samples + rng.normal(scale=max(sigma, 1e-9), size=len(samples)))


def with_other(samples: Samples, other: Samples, snr_db: float) -> Samples:
    """Adds another sound at `snr_db` below the speech level. It is repeated or cut to the same length."""
    power = speech_power(other)
    if power == 0.0:
        return samples
    gain = np.sqrt(speech_power(samples) / power / 10 ** (snr_db / 10))
    return to_samples(samples + gain * np.resize(other, len(samples)))


def in_room(samples: Samples, decay_s: float, direct_db: float, rng: np.random.Generator) -> Samples:
    """Adds a reverberation that decays by 60 dB in `decay_s` and is `direct_db` below the direct sound.

    The length stays the same: what would sound after the end is cut off.
    """
    time_s = np.arange(round(decay_s * RATE_HZ)) / RATE_HZ
    tail = rng.normal(size=len(time_s)) * 10 ** (-3 * time_s / decay_s)
    tail *= np.sqrt(10 ** (-direct_db / 10) / np.sum(tail**2))
    return to_samples(samples + fftconvolve(samples.astype(np.float64), tail)[: len(samples)])
