"""Sound as numbers: WAV files, rates, levels, noise."""

import io
import wave

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import SpeechError
from speech_node.audio import (
    RATE_HZ,
    read_wav,
    resampled,
    scaled,
    silence,
    speech_power,
    to_samples,
    with_noise,
    write_wav,
)


def tone(hz=440.0, duration_s=0.5, rate_hz=RATE_HZ, peak=10_000):
    return to_samples(peak * np.sin(2 * np.pi * hz * np.arange(round(duration_s * rate_hz)) / rate_hz))


@given(st.lists(st.integers(-32768, 32767), max_size=300))
def test_what_is_written_is_read_again(values):
    samples = np.array(values, dtype=np.int16)
    file = io.BytesIO()
    write_wav(file, samples)
    file.seek(0)
    assert np.array_equal(read_wav(file), samples)


def test_a_file_of_two_channels_and_another_rate_becomes_one_channel_at_16_khz(tmp_path):
    file = tmp_path / 'stereo.wav'
    left = tone(rate_hz=44_100)
    with wave.open(str(file), 'wb') as writer:
        writer.setnchannels(2)
        writer.setsampwidth(2)
        writer.setframerate(44_100)
        writer.writeframes(np.stack([left, left], axis=1).tobytes())
    read = read_wav(file)
    assert abs(len(read) - RATE_HZ // 2) <= 2
    spectrum = np.abs(np.fft.rfft(read))
    assert abs(np.fft.rfftfreq(len(read), 1 / RATE_HZ)[spectrum.argmax()] - 440) < 3


@pytest.mark.parametrize('content', [b'', b'RIFF', b'no sound at all' * 20])
def test_what_is_no_wav_is_refused_by_name(tmp_path, content):
    file = tmp_path / 'noise.wav'
    file.write_bytes(content)
    with pytest.raises(SpeechError, match=r'noise\.wav cannot be read as WAV'):
        read_wav(file)


def test_eight_bits_are_refused(tmp_path):
    file = tmp_path / 'old.wav'
    with wave.open(str(file), 'wb') as writer:
        writer.setnchannels(1)
        writer.setsampwidth(1)
        writer.setframerate(16_000)
        writer.writeframes(bytes(100))
    with pytest.raises(SpeechError, match='should hold 16-bit numbers'):
        read_wav(file)


@pytest.mark.parametrize('snr_db', [10.0, 20.0, 35.0])
def test_noise_is_as_far_below_the_speech_as_asked_for(snr_db):
    sound = np.concatenate([silence(0.5), tone(), silence(0.5)])
    noisy = with_noise(sound, snr_db, np.random.default_rng(0))
    noise = noisy[: RATE_HZ // 2].astype(float)
    assert 10 * np.log10(speech_power(sound) / np.mean(noise**2)) == pytest.approx(snr_db, abs=0.5)


def test_scaling_keeps_silence_and_sets_the_peak():
    assert not scaled(silence(0.1)).any()
    assert np.abs(scaled(tone(peak=300))).max() == 12_000


def test_too_loud_is_clipped_and_does_not_wrap_around():
    assert list(to_samples(np.array([1e6, -1e6]))) == [32767, -32768]


def test_the_same_rate_changes_nothing():
    sound = tone()
    assert resampled(sound, RATE_HZ) is sound
