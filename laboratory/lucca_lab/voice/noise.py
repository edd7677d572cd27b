"""Silence, the level of speech, and white noise at a level relative to it."""

import numpy as np

from lucca_core.protocol.speech import Samples
from speech_node.audio import RATE_HZ, to_samples

_LOUD = 0.05
"""Fraction of the peak above which a sample counts as speech when the speech level is measured."""


def silence(duration_s: float) -> Samples:
    """Digital silence."""
    return np.zeros(round(duration_s * RATE_HZ), dtype=np.int16)


def speech_power(samples: Samples) -> float:
    """Mean square of the samples louder than a twentieth of the peak, so that pauses do not count."""
    values = samples.astype(np.float64)
    loud = np.abs(values) > _LOUD * np.abs(values).max(initial=0.0)
    return float(np.mean(values[loud] ** 2)) if loud.any() else 0.0


def with_noise(samples: Samples, snr_db: float, rng: np.random.Generator) -> Samples:
    """Adds white noise `snr_db` below the speech level."""
    sigma = np.sqrt(speech_power(samples) / 10 ** (snr_db / 10))
    return to_samples(samples + rng.normal(scale=max(sigma, 1e-9), size=len(samples)))
