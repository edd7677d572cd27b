"""Noise at a level relative to the speech."""

import numpy as np
import pytest

from lucca_lab.voice.noise import silence, speech_power, with_noise
from speech_node.audio import RATE_HZ, to_samples


@pytest.mark.parametrize('snr_db', [10.0, 20.0, 35.0])
def test_noise_is_as_far_below_the_speech_as_asked_for(snr_db: float) -> None:
    tone = to_samples(10_000 * np.sin(2 * np.pi * 440.0 * np.arange(RATE_HZ // 2) / RATE_HZ))
    sound = np.concatenate([silence(0.5), tone, silence(0.5)])
    noisy = with_noise(sound, snr_db, np.random.default_rng(0))
    noise = noisy[: RATE_HZ // 2].astype(float)
    assert 10 * np.log10(speech_power(sound) / np.mean(noise**2)) == pytest.approx(snr_db, abs=0.5)
