"""Recordings of other people: any folder of WAV files."""

import json
import logging

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import wavfile
from scipy.stats import binom
from typer.testing import CliRunner

from lucca_core.errors import ConfigError, SpeechError
from lucca_lab.commands.groups import eval_app
from lucca_lab.voice.recordings import hear_recordings, read_recording, upper_bound
from speech_node.audio import RATE_HZ, write_wav
from speech_node.speaking.espeak_speaker import EspeakSpeaker


def test_silence_leads_to_nothing(tmp_path):
    (tmp_path / 'speaker').mkdir()
    for name in ('a.wav', 'speaker/b.WAV'):
        write_wav(tmp_path / name, np.zeros(RATE_HZ, dtype=np.int16))
    result = CliRunner().invoke(eval_app, ['voice', '--wav-dir', str(tmp_path), '--kind', 'talk', '--json'])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert {name: told[name] for name in ('files', 'acted', 'asked', 'stops')} == {
        'files': 2,
        'acted': 0,
        'asked': 0,
        'stops': 0,
    }
    assert told['acted_at_most'] == told['stops_at_most'] == pytest.approx(1 - 0.05 ** (1 / 2), abs=1e-4)


def test_a_folder_without_recordings_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r'there is no \*\.wav'):
        hear_recordings(tmp_path)


def test_an_unknown_transcriber_is_refused(tmp_path):
    write_wav(tmp_path / 'a.wav', np.zeros(RATE_HZ, dtype=np.int16))
    with pytest.raises(ConfigError, match='parrot'):
        hear_recordings(tmp_path, 'parrot')


@pytest.mark.parametrize('kind', ['u1', 'i2', 'i4', 'f4', 'f8'])
@pytest.mark.parametrize('rate_hz', [8_000, 44_100, 48_000])
def test_any_width_rate_and_number_of_channels_is_heard_alike(tmp_path, kind, rate_hz):
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate_hz) / rate_hz)
    full = {'u1': 127, 'i2': 32_767, 'i4': 2**31 - 1}.get(kind, 1.0)
    values = (tone * full + (128 if kind == 'u1' else 0)).astype(kind)
    wavfile.write(tmp_path / 'a.wav', rate_hz, np.stack([values, values], axis=1))
    heard = read_recording(tmp_path / 'a.wav')
    assert abs(len(heard) - RATE_HZ) <= 1
    assert np.abs(heard[500:-500]).max() == pytest.approx(16_384, rel=0.03)


def test_a_file_that_is_no_sound_is_left_out_and_named(tmp_path, caplog):
    write_wav(tmp_path / 'a.wav', np.zeros(RATE_HZ, dtype=np.int16))
    (tmp_path / 'b.wav').write_bytes(b'RIFF, but no sound')
    (tmp_path / 'c.wav').write_bytes(b'')
    with caplog.at_level(logging.WARNING):
        assert hear_recordings(tmp_path).files == 1
    assert 'b.wav' in caplog.text
    assert 'c.wav' in caplog.text
    (tmp_path / 'a.wav').unlink()
    with pytest.raises(SpeechError, match='none of the 2 files'):
        hear_recordings(tmp_path)


def test_what_was_heard_in_each_file_is_written_down(tmp_path):
    write_wav(tmp_path / 'a.wav', np.zeros(RATE_HZ, dtype=np.int16))
    hear_recordings(tmp_path, outcomes_file=tmp_path / 'out' / 'recordings.jsonl')
    (line,) = (tmp_path / 'out' / 'recordings.jsonl').read_text().splitlines()
    assert json.loads(line) == {
        'file': 'a.wav',
        'acted': False,
        'asked': False,
        'acted_attentive': False,
        'asked_attentive': False,
        'confirmed': False,
        'stops': 0,
        'heard': [],
    }


def test_a_stop_word_at_the_very_end_of_a_file_is_heard(tmp_path):
    said = EspeakSpeaker('en-us', words_per_minute=140, timeout_s=60.0).synthesise('stop')
    write_wav(tmp_path / 'a.wav', said[: np.flatnonzero(np.abs(said) > 500)[-1]])
    assert hear_recordings(tmp_path).stops == 1


@given(st.integers(0, 300), st.integers(1, 300))
def test_the_bound_lies_above_the_share_and_so_few_events_are_rare_there(events, more):
    trials = events + more
    bound = upper_bound(events, trials)
    assert events / trials < bound < 1
    assert binom.cdf(events, trials, bound) == pytest.approx(0.05, abs=1e-6)


def test_the_bound_of_nothing_but_events_is_one():
    assert upper_bound(5, 5) == 1.0
