"""Noise at a level relative to the speech."""

import numpy as np
import pytest

from lucca_lab.voice.noise import in_room, silence, speech_power, with_noise, with_other
from speech_node.audio import RATE_HZ, to_samples


@pytest.mark.parametrize('snr_db', [10.0, 20.0, 35.0])
def test_noise_is_as_far_below_the_speech_as_asked_for(snr_db: float) -> None:
    tone = to_samples(10_000 * np.sin(2 * np.pi * 440.0 * np.arange(RATE_HZ // 2) / RATE_HZ))
    sound = np.concatenate([silence(0.5), tone, silence(0.5)])
    noisy = with_noise(sound, snr_db, np.random.default_rng(0))
    noise = noisy[: RATE_HZ // 2].astype(float)
    assert 10 * np.log10(speech_power(sound) / np.mean(noise**2)) == pytest.approx(snr_db, abs=0.5)


TONE = to_samples(3_000 * np.sin(2 * np.pi * 440.0 * np.arange(RATE_HZ // 2) / RATE_HZ))


@pytest.mark.parametrize('count', [1_000, 8_000, 20_000])
def test_other_sound_is_as_far_below_and_fills_the_same_time(count: int) -> None:
    other = to_samples(70 * np.sin(2 * np.pi * 700.0 * np.arange(count) / RATE_HZ))
    both = with_other(TONE, other, 10.0)
    assert len(both) == len(TONE)
    added = both.astype(float) - TONE
    assert 10 * np.log10(np.mean(TONE.astype(float) ** 2) / np.mean(added**2)) == pytest.approx(10.0, abs=0.5)


def test_silence_under_a_sound_changes_nothing() -> None:
    assert np.array_equal(with_other(TONE, silence(0.1), 10.0), TONE)


def test_a_room_goes_on_after_the_sound_more_and_more_softly() -> None:
    rng = np.random.default_rng(0)
    sound = rng.normal(0, 3000, RATE_HZ // 2).astype(np.int16)
    wet = in_room(np.concatenate([sound, silence(0.4)]), 0.3, 3.0, rng).astype(float)
    assert len(wet) == len(sound) + round(0.4 * RATE_HZ)
    soon, later, last = (np.mean(part**2) for part in np.split(wet[len(sound) :], [1600, 3200])[:3])
    assert soon > 10 * later > 100 * last
    # Half as much again, once the reverberation has built up.
    assert np.mean(wet[RATE_HZ // 3 : len(sound)] ** 2) == pytest.approx(1.5 * 3000**2, rel=0.1)
