"""Noise is taken out, speech is left."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spoken import speak

from lucca_lab.voice.noise import silence
from speech_node.audio import RATE_HZ
from speech_node.hearing.noise_reduction import without_noise


def test_noise_falls_and_speech_stays():
    clean = np.concatenate([silence(0.5), speak('build a tower'), silence(0.5)]).astype(float)
    noise = np.random.default_rng(0).normal(scale=300.0, size=len(clean))
    left = without_noise((clean + noise).astype(np.int16)).astype(float)
    assert np.mean(left[: RATE_HZ // 4] ** 2) < 0.1 * np.mean(noise**2)
    # In all, what it takes of the speech is less than what it takes of the noise.
    assert np.mean((left - clean) ** 2) < 0.7 * np.mean(noise**2)


def test_sound_without_noise_passes():
    clean = np.concatenate([silence(0.5), speak('build a tower'), silence(0.5)])
    assert np.mean((without_noise(clean).astype(float) - clean) ** 2) < 0.01 * np.mean(clean.astype(float) ** 2)


@given(st.integers(0, 3000), st.sampled_from([0.0, 1.0, 32_767.0]))
@settings(max_examples=20)
def test_it_takes_any_length_and_level(length, level):
    sound = (np.random.default_rng(length).uniform(-level, level, size=length)).astype(np.int16)
    left = without_noise(sound)
    assert left.dtype == np.int16
    assert len(left) == length


@pytest.mark.parametrize('duration_s', [0.5, 2.0])
def test_silence_stays_silence(duration_s):
    assert not without_noise(silence(duration_s)).any()
