"""`lucca eval voice` goes on where it was interrupted."""

import json

import pytest

from lucca_cli.output import Output
from lucca_core.errors import StackError
from lucca_core.trained_models import MODELS_VARIABLE, MOONSHINE_TINY_EN
from lucca_lab.voice import voice_evaluation
from lucca_lab.voice.outcomes_file import all_settings
from lucca_lab.voice.trials import SpeechOutcome
from lucca_lab.voice.voice_evaluation import OUTCOMES, run_eval


class Counting:
    """An ear that notes what it was told, and is interrupted after some of it."""

    def __init__(self, most):
        self.said = []
        self.most = most

    def run(self, trial):
        if len(self.said) == self.most:
            raise KeyboardInterrupt
        self.said.append(trial.key)
        return SpeechOutcome(right=True, acted=True, asked=False, stops=1, heard=trial.text, confidence=0.9)


@pytest.fixture
def measured(monkeypatch, tmp_path):
    def run(most, seed=0):
        ear = Counting(most)
        monkeypatch.setattr(voice_evaluation, 'make_ear', lambda transcriber: ear)
        try:
            return ear, run_eval(tmp_path, Output(), count=8, snrs_db=(20.0,), voices=('en-us',), seed=seed)
        except KeyboardInterrupt:
            return ear, None

    return run, tmp_path


def test_nothing_is_said_twice(measured):
    run, out = measured
    first, rows = run(5)
    assert rows is None
    # As a kill leaves it.
    with (out / OUTCOMES).open('a') as file:
        file.write('{"key": "torn')
    second, rows = run(100)
    assert len(first.said) == 5
    assert not set(first.said) & set(second.said)
    assert [row['said'] for row in rows] == [8, 8, 8, 2, 2, 8, 8, 8]
    assert json.loads((out / 'voice.json').read_text()) == rows
    third, again = run(100)
    assert third.said == []
    assert again == rows


def test_outcomes_of_another_seed_are_not_mixed_in(measured):
    run, _ = measured
    run(100)
    with pytest.raises(StackError, match=r'trials\.jsonl holds outcomes of another seed'):
        run(100, seed=1)


@pytest.mark.parametrize('before', ['faster-whisper:tiny.en', 'faster-whisper:tiny.en+none'])
def test_outcomes_without_a_second_ear_are_not_those_with_one(monkeypatch, tmp_path, before):
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    alone = all_settings(before)
    (tmp_path / 'moonshine-tiny.en').mkdir()
    for file in MOONSHINE_TINY_EN.files:
        (tmp_path / file.place).touch()
    assert all_settings('faster-whisper:tiny.en+none') == alone
    assert all_settings('faster-whisper:tiny.en') == all_settings('faster-whisper:tiny.en+moonshine-tiny.en') != alone
