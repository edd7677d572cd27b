"""Recordings of other people: any folder of WAV files."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from lucca_core.errors import ConfigError
from lucca_lab.commands.groups import eval_app
from lucca_lab.voice.recordings import hear_recordings
from speech_node.audio import RATE_HZ, write_wav


def test_silence_leads_to_nothing(tmp_path):
    (tmp_path / 'speaker').mkdir()
    for name in ('a.wav', 'speaker/b.WAV'):
        write_wav(tmp_path / name, np.zeros(RATE_HZ, dtype=np.int16))
    result = CliRunner().invoke(eval_app, ['voice', '--wav-dir', str(tmp_path), '--kind', 'talk', '--json'])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {'files': 2, 'acted': 0, 'asked': 0, 'stops': 0}


def test_a_folder_without_recordings_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r'there is no \*\.wav'):
        hear_recordings(tmp_path)


def test_an_unknown_transcriber_is_refused(tmp_path):
    write_wav(tmp_path / 'a.wav', np.zeros(RATE_HZ, dtype=np.int16))
    with pytest.raises(ConfigError, match='parrot'):
        hear_recordings(tmp_path, 'parrot')
