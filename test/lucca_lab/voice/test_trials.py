"""What is said in the measurement of the voice, and what counts as right."""

import dataclasses
import random

import numpy as np
import pytest

from lucca_core.stop_command import STOP_WORDS
from lucca_lab.voice.sentences import (
    FRESH_REPORTED,
    FRESH_TALK,
    OTHER_TALK,
    REPORTED,
    TALK,
    UNHEARD_TALK,
    reported,
    talk,
)
from lucca_lab.voice.stop_examples import EVERYDAY
from lucca_lab.voice.stop_voices import (
    FINAL_SPEEDS,
    FINAL_VOICES,
    FRESH_SPEEDS,
    FRESH_VOICES,
    LATER_SPEEDS,
    LATER_VOICES,
    OTHER_SPEEDS,
    OTHER_VOICES,
    TRAINED_SPEEDS,
    TRAINED_VOICES,
)
from lucca_lab.voice.trials import Ear, Kind, SpeechOutcome, table, trials
from speech_node.audio import RATE_HZ
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands
from speech_node.interfaces import Transcript

PLAN = trials(count=60, seed=0, snrs_db=(20.0,), voices=('en-us',))
RIGHT = SpeechOutcome(right=True, acted=False, asked=True, stops=0, heard='', confidence=1.0, acted_attentive=True)
WRONG = dataclasses.replace(RIGHT, right=False)


def test_what_is_reported_was_neither_trained_nor_chosen_on():
    assert not set(FRESH_VOICES) & {*TRAINED_VOICES, *OTHER_VOICES}
    assert not set(FRESH_SPEEDS) & {*TRAINED_SPEEDS, *OTHER_SPEEDS}
    assert not {*FRESH_TALK, *UNHEARD_TALK} & {*TALK, *OTHER_TALK, *EVERYDAY}
    assert not {*FRESH_TALK} & {*UNHEARD_TALK}
    assert not {*FRESH_REPORTED} & {*REPORTED}
    for trial in PLAN:
        if trial.kind is not Kind.COMMAND:
            assert trial.voice in FRESH_VOICES
            assert trial.words_per_minute in FRESH_SPEEDS


@pytest.mark.parametrize(
    ('group', 'voices', 'speeds'),
    [
        ('other', OTHER_VOICES, OTHER_SPEEDS),
        ('fresh', FRESH_VOICES, FRESH_SPEEDS),
        ('later', LATER_VOICES, LATER_SPEEDS),
        ('final', FINAL_VOICES, FINAL_SPEEDS),
    ],
)
def test_the_voices_of_a_group_take_turns(group, voices, speeds):
    planned = trials(count=60, seed=0, snrs_db=(35.0, 20.0), voices=(group,))
    said = [trial for trial in planned if trial.kind is Kind.COMMAND]
    assert len(said) == 60
    assert len({trial.row for trial in said}) == 1
    assert {(trial.voice, trial.words_per_minute, trial.snr_db) for trial in said} == {
        (voice, speed, snr_db) for voice in voices for speed in speeds for snr_db in (35.0, 20.0)
    }


def test_only_a_confident_command_without_a_question_counts_as_sure():
    said = [trial for trial in PLAN if trial.kind is Kind.COMMAND][:4]
    asked = dataclasses.replace(RIGHT, acted_attentive=False, asked_attentive=True, confidence=0.6)
    doubtful = dataclasses.replace(RIGHT, acted_attentive=False, confidence=0.6)
    outcomes = dict(zip((trial.key for trial in said), (RIGHT, WRONG, asked, doubtful), strict=True))
    (row,) = table(said, outcomes)
    assert (row.right, row.surely, row.wrong) == (3, 1, 1)


def test_a_no_counts_as_sure_however_it_was_heard():
    said = [trial for trial in PLAN if trial.kind is Kind.COMMAND][:2]
    doubtful = dataclasses.replace(RIGHT, acted_attentive=False, confidence=0.6)
    outcomes = dict(
        zip((trial.key for trial in said), (dataclasses.replace(doubtful, declined=True), doubtful), strict=True)
    )
    (row,) = table(said, outcomes)
    assert (row.right, row.surely) == (2, 1)


def test_a_reported_command_is_one_of_the_book_inside_another_sentence():
    book = load_commands()
    said = reported(book, random.Random(1), 300)
    assert len(said) == 300
    for sentence in said:
        assert book.intent_of(sentence) is None
        assert any(command in sentence for command in book.sentences)


def test_whoever_acts_on_a_reported_command_misses_the_target():
    said = [trial for trial in PLAN if trial.kind is Kind.REPORTED]
    (row,) = table(said, {trial.key: WRONG for trial in said})
    assert row.kept is False
    quiet = dataclasses.replace(RIGHT, acted_attentive=False, asked_attentive=True)
    (row,) = table(said, {trial.key: quiet for trial in said})
    assert row.kept is True


def test_talk_holds_neither_a_command_nor_a_stop_word():
    book = load_commands()
    said = talk(random.Random(1), 200)
    assert len(set(said)) == 200
    for sentence in said:
        assert book.intent_of(sentence) is None
        assert not set(sentence.split()) & set(STOP_WORDS)


def test_each_trial_has_a_name_of_its_own():
    assert len({trial.key for trial in PLAN}) == len(PLAN)


@pytest.mark.parametrize(('wrong', 'kept'), [(0, True), (9, True), (10, False)])
def test_a_row_keeps_its_target_or_misses_it(wrong, kept):
    said = [trial for trial in PLAN if trial.kind is Kind.COMMAND]
    outcomes = {trial.key: WRONG if trial.number < wrong else RIGHT for trial in said}
    (row,) = table(said, outcomes)
    assert (row.said, row.right, row.kept) == (60, 60 - wrong, kept)
    assert len(row.misses) == wrong


def test_half_a_row_keeps_nothing():
    said = [trial for trial in PLAN if trial.kind is Kind.STOP and trial.text == 'stop']
    (row,) = table(said, {trial.key: RIGHT for trial in said[:10]})
    assert row.kept is None


@pytest.mark.parametrize(('change', 'kept'), [({}, True), ({'acted_attentive': True}, False), ({'asked': True}, False)])
def test_talk_is_left_alone(change, kept):
    said = [trial for trial in PLAN if trial.kind is Kind.TALK]
    nothing = dataclasses.replace(RIGHT, acted_attentive=False, asked=False)
    outcome = dataclasses.replace(nothing, **change)
    outcomes = {trial.key: outcome if trial.number < 10 else nothing for trial in said}
    assert table(said, outcomes)[0].kept is kept


class Deaf:
    """A transcriber that says what it is told to, whatever it hears."""

    name = 'deaf'

    def __init__(self, text, confidence):
        self.transcript = Transcript(text, confidence, intent=load_commands().intent_of(text))

    def transcribe(self, samples):
        return self.transcript

    def close(self):
        pass


@pytest.mark.parametrize(
    ('text', 'confidence', 'right', 'asked'),
    [
        ('build a tower', 0.99, True, False),
        ('build a tower', 0.6, True, True),
        ('build a tower', 0.1, False, False),
        ('fill the bowl', 0.99, False, False),
        ('', 0.99, False, False),
    ],
)
def test_a_command_is_right_when_it_is_passed_on_or_asked_about(monkeypatch, text, confidence, right, asked):
    book = load_commands()
    ear = Ear(book, Deaf(text, confidence), SpeechConfig())
    monkeypatch.setattr(ear._activity, 'probability', lambda samples: float(np.abs(samples).max() > 1000))
    sound = np.zeros(3 * RATE_HZ, dtype=np.int16)
    sound[RATE_HZ : RATE_HZ * 3 // 2 : 20] = 5000
    outcome = ear.hear(sound, Kind.COMMAND, book.intent_of('build a tower'))
    assert (outcome.right, outcome.asked_attentive) == (right, asked)
    assert (outcome.acted, outcome.asked) == (False, bool(text) and confidence > 0.1)
