"""What a person waits for after each thing said."""

import numpy as np
import pytest

from lucca_lab.voice.noise import silence
from lucca_lab.voice.response_times import Turns, lines, quiet_end_s
from speech_node.audio import RATE_HZ
from speech_node.interfaces import Transcript

SOUND = np.full(512, 300, dtype=np.int16)
HEARD = Transcript('build a tower', 0.99, 'en', transcription_s=0.2)


def said_and_done(turns):
    turns.said('build a tower')
    turns.ended(10.0)
    turns.heard(HEARD, 10.75)
    turns.sounded(silence(0.032), 10.8)
    turns.sounded(SOUND, 10.9)
    turns.sounded(SOUND, 10.95)
    turns.moved(11.5)
    turns.moved(11.8)


def test_each_time_is_that_of_the_first_after_the_last_sound():
    turns = Turns(0.5)
    said_and_done(turns)
    (turn,) = turns.all()
    assert (turn.text_s, turn.first_word_s, turn.first_motion_s) == (0.75, 0.9, 1.5)
    assert turn.own_s == pytest.approx(0.05)


def test_a_motion_for_what_was_said_before_does_not_count():
    turns = Turns(0.5)
    turns.said('build a tower')
    turns.ended(10.0)
    turns.moved(10.3)
    turns.heard(HEARD, 10.75)
    turns.moved(11.0)
    assert turns.all()[0].first_motion_s == 1.0


def test_what_is_told_before_the_end_is_known_counts_when_it_came_after_it():
    turns = Turns(0.5)
    turns.said('yes')
    turns.sounded(SOUND, 9.9)
    turns.sounded(SOUND, 10.4)
    turns.ended(10.0)
    assert turns.all()[0].first_word_s == pytest.approx(0.4)


def test_what_never_came_is_a_dash():
    turns = Turns(0.5)
    turns.said('mumble')
    turns.ended(10.0)
    said_and_done(turns)
    head, first, second = lines(turns.all())
    assert first.split()[1:] == ['-'] * 6
    assert second.split()[-6:] == ['750', '500', '200', '50', '900', '1500']
    assert len(head) == len(first) == len(second)


@pytest.mark.parametrize('quiet_s', [0.0, 0.25])
def test_silence_at_the_end_is_measured(quiet_s):
    assert quiet_end_s(np.concatenate([SOUND, silence(quiet_s)])) == pytest.approx(quiet_s, abs=1 / RATE_HZ)
    assert quiet_end_s(silence(0.3)) == pytest.approx(0.3)
