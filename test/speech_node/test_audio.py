"""Sound as numbers: WAV files, rates, levels."""

import io
import os
import struct
import wave

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import SpeechError
from lucca_lab.voice.noise import silence
from speech_node.audio import (
    HIGHEST_RATE_HZ,
    LOWEST_RATE_HZ,
    RATE_HZ,
    read_wav,
    resampled,
    resampling_filter,
    scaled,
    to_samples,
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
    with pytest.raises(SpeechError, match='must hold 16-bit samples'):
        read_wav(file)


def test_scaling_keeps_silence_and_sets_the_peak():
    assert not scaled(silence(0.1)).any()
    assert np.abs(scaled(tone(peak=300))).max() == 12_000


def test_too_loud_is_clipped_and_does_not_wrap_around():
    assert list(to_samples(np.array([1e6, -1e6]))) == [32767, -32768]


def test_the_same_rate_changes_nothing():
    sound = tone()
    assert resampled(sound, RATE_HZ) is sound


@pytest.mark.parametrize('rate_hz', [44_101, 191_999, 8_001, 15_999, 95_993])
def test_an_odd_rate_needs_no_longer_a_filter_than_a_common_one(rate_hz, monkeypatch):
    lengths = []

    def filters(up, down):
        lengths.append(len(made := resampling_filter(up, down)))
        return made

    monkeypatch.setattr('speech_node.audio.resampling_filter', filters)
    sound = resampled(tone(rate_hz=rate_hz), rate_hz)
    assert all(length < 20_000 for length in lengths)
    assert abs(len(sound) - RATE_HZ // 2) <= 3
    spectrum = np.abs(np.fft.rfft(sound))
    assert abs(np.fft.rfftfreq(len(sound), 1 / RATE_HZ)[spectrum.argmax()] - 440) < 3


@given(st.integers(LOWEST_RATE_HZ, HIGHEST_RATE_HZ), st.integers(0, 2_000))
def test_sound_lasts_as_long_at_any_rate(rate_hz, count):
    assert abs(len(resampled(np.zeros(count, np.int16), rate_hz)) - count * RATE_HZ / rate_hz) < 2


@pytest.mark.parametrize('rate_hz', [-1, 0, 1, 7_999, 192_001, 4_000_000_000])
def test_a_rate_that_no_sound_has_is_refused(rate_hz):
    with pytest.raises(SpeechError, match=f'sample rate must be 8000 to 192000 Hz, got {rate_hz}'):
        resampled(tone(), rate_hz)


@pytest.mark.parametrize(
    ('place', 'kind', 'value', 'match'),
    [
        (24, '<I', 4_000_000_000, 'at 4000000000 Hz'),
        (24, '<I', 1, 'at 1 Hz'),
        (22, '<H', 0, 'cannot be read as WAV'),
        (22, '<H', 60_000, 'holds 16-bit samples at 16000 Hz in 60000'),
        (34, '<H', 0, 'cannot be read as WAV'),
        (34, '<H', 24, 'holds 24-bit samples'),
        (20, '<H', 3, 'cannot be read as WAV'),
        (16, '<I', 2, 'cannot be read as WAV'),
        (16, '<I', 2**32 - 1, 'cannot be read as WAV'),
    ],
)
def test_a_header_that_lies_is_refused_by_name(tmp_path, place, kind, value, match):
    file = tmp_path / 'lies.wav'
    write_wav(file, tone())
    data = bytearray(file.read_bytes())
    struct.pack_into(kind, data, place, value)
    file.write_bytes(bytes(data))
    with pytest.raises(SpeechError, match=rf'lies\.wav .*{match}'):
        read_wav(file)


@pytest.mark.parametrize('length', range(46))
def test_a_file_cut_anywhere_in_its_header_is_refused_or_silent(tmp_path, length):
    file = tmp_path / 'cut.wav'
    write_wav(file, tone())
    file.write_bytes(file.read_bytes()[:length])
    try:
        found = len(read_wav(file))
    except SpeechError as error:
        found = 'cut.wav' in str(error)
    assert found in (0, 1)


def test_a_pipe_in_the_place_of_a_file_is_told_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / 'pipe.wav')
    with pytest.raises(SpeechError, match='should be a regular file'):
        read_wav(tmp_path / 'pipe.wav')


def test_a_file_of_more_than_an_hour_is_refused(tmp_path):
    file = tmp_path / 'long.wav'
    write_wav(file, np.zeros(3600 * RATE_HZ + 1, np.int16))
    with pytest.raises(SpeechError, match=r'long\.wav is longer than 3600 s'):
        read_wav(file)
