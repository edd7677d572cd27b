"""flite speaks in the voice that was asked for, or says why not."""

import shutil
import subprocess

import numpy as np
import pytest

from lucca_core.errors import SpeechError
from speech_node.audio import RATE_HZ
from speech_node.components import make_speaker
from speech_node.config import SpeechConfig
from speech_node.speaking import flite_speaker
from speech_node.speaking.flite_speaker import FliteSpeaker

needs_flite = pytest.mark.skipif(shutil.which('flite') is None, reason='flite is not installed')


@needs_flite
def test_a_text_is_spoken_and_slower_speech_takes_longer():
    speaker = make_speaker(SpeechConfig(speaker='flite:slt'))
    assert speaker is not None
    assert speaker.name == 'flite:slt'
    said = speaker.synthesise('Put the banana in box 2.')
    slow = FliteSpeaker('slt', timeout_s=20.0, words_per_minute=100).synthesise('Put the banana in box 2.')
    assert RATE_HZ < len(said) < 4 * RATE_HZ
    assert len(slow) > 1.4 * len(said)
    assert np.abs(said).max() > 1000
    assert len(speaker.synthesise('-lv')) > 0, 'a text is no option of the program'


@needs_flite
def test_a_voice_that_flite_does_not_have_is_refused_with_those_that_it_has():
    with pytest.raises(SpeechError, match=r"no voice 'klingon'; it has .*slt"):
        FliteSpeaker('klingon', timeout_s=20.0)


def test_without_the_program_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(flite_speaker, 'PROGRAM', 'flite-that-is-not-there')
    with pytest.raises(SpeechError, match='apt-get install flite'):
        FliteSpeaker(timeout_s=1.0)


@pytest.mark.parametrize(
    ('error', 'told'),
    [
        (subprocess.TimeoutExpired('flite', 1.0), 'did not answer within 1 s'),
        (subprocess.CalledProcessError(3, 'flite', stderr=b'no such sound'), 'no such sound'),
        (OSError('not executable'), 'cannot be run: not executable'),
    ],
)
def test_a_program_that_fails_is_an_error_with_its_words(monkeypatch, error, told):
    def fails(*_args, **_options):
        raise error

    monkeypatch.setattr(flite_speaker.shutil, 'which', lambda name: f'/usr/bin/{name}')
    monkeypatch.setattr(subprocess, 'run', fails)
    with pytest.raises(SpeechError, match=told):
        FliteSpeaker(timeout_s=1.0)
