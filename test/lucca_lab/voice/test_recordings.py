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

from lucca_core.errors import ConfigError, SpeechError, StackError
from lucca_lab.commands.groups import eval_app
from lucca_lab.voice import recordings
from lucca_lab.voice.recordings import RecordingOutcome, hear_recordings, read_recording, upper_bound
from lucca_lab.voice.situations import HeardUtterance, effect
from speech_node.audio import RATE_HZ, write_wav
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands
from speech_node.interfaces import Transcript
from speech_node.speaking.espeak_speaker import EspeakSpeaker


def test_silence_leads_to_nothing(tmp_path):
    (tmp_path / 'speaker').mkdir()
    for name in ('a.wav', 'speaker/b.WAV'):
        write_wav(tmp_path / name, np.zeros(RATE_HZ, dtype=np.int16))
    options = ['--wav-dir', str(tmp_path), '--kind', 'talk', '--out', str(tmp_path / 'out'), '--json']
    result = CliRunner().invoke(eval_app, ['voice', *options])
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
    _, line = (tmp_path / 'out' / 'recordings.jsonl').read_text().splitlines()
    assert json.loads(line) == {
        'file': 'a.wav',
        'audio_s': 1.0,
        'acted': False,
        'asked': False,
        'acted_attentive': False,
        'asked_attentive': False,
        'confirmed': False,
        'stops': 0,
        'heard': [],
    }


class Counting:
    """An ear that hears a command or a yes in everything, and is interrupted after some files."""

    def __init__(self, most):
        self.most = most
        self.files = 0

    def utterances(self, samples):
        if self.files == self.most:
            raise KeyboardInterrupt
        self.files += 1
        text = ('build a tower', 'yes', 'fill the bowl')[self.files % 3]
        return [HeardUtterance(Transcript(text, 0.99, intent=load_commands().intent_of(text)), 0.1, 0.9)]

    def effect(self, heard, situation):
        return effect(SpeechConfig(), heard, situation, lambda transcript: transcript.intent is not None)

    def stops(self, samples):
        return 0


@pytest.fixture
def interrupted(monkeypatch, tmp_path):
    """Hears five recordings, of which another run has heard three and was killed while it wrote one down."""
    for name in 'abcde':
        write_wav(tmp_path / f'{name}.wav', np.zeros(RATE_HZ, dtype=np.int16))
    file = tmp_path / 'out' / 'recordings.jsonl'

    def hear(most, **options):
        ear = Counting(most)
        monkeypatch.setattr(recordings, '_ear', lambda transcriber: ear)
        return ear, hear_recordings(tmp_path, outcomes_file=file, **options)

    with pytest.raises(KeyboardInterrupt):
        hear(3)
    with file.open('a') as opened:
        opened.write('{"file": "torn')
    return hear, file


def test_no_recording_is_heard_twice(interrupted, tmp_path):
    hear, file = interrupted
    ear, report = hear(100)
    assert ear.files == 2
    assert (report.files, report.acted, report.asked, report.confirmed) == (5, 0, 3, 2)
    again, same = hear(0)
    assert (again.files, same) == (0, report)
    assert len(file.read_text().splitlines()) == 6
    (tmp_path / 'b.wav').unlink()
    assert hear(0)[1].files == 4


def test_what_was_heard_before_counts_as_when_it_was_heard(interrupted):
    kept = [RecordingOutcome.from_json(json.loads(line)) for line in interrupted[1].read_text().splitlines()[1:4]]
    ear = Counting(3)
    assert [one.heard for one in kept] == [tuple(ear.utterances(None)) for _ in kept]


def test_outcomes_of_another_folder_or_transcriber_are_not_mixed_in(interrupted):
    hear, file = interrupted
    with pytest.raises(StackError, match='another --out'):
        hear(100, transcriber='faster-whisper:tiny.en')
    file.write_text('{"file": "a.wav", "acted": false}\n')
    with pytest.raises(StackError, match='another --out'):
        hear(100)
    file.write_text('no JSON')
    with pytest.raises(StackError, match='another --out'):
        hear(100)


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
