"""The voice: sentences in order, silence when told."""

import itertools
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import FakePlayer

from lucca_core.errors import SpeechError
from speech_node.speaking.speech_queue import Sentences, SpeechQueue, sentences_of


def test_sentences_are_cut_where_they_end():
    assert sentences_of('I sort. Then I build a tower! Shall I?') == ['I sort.', 'Then I build a tower!', 'Shall I?']
    assert sentences_of('Ask Dr. Low about 3.5 apples') == ['Ask Dr. Low about 3.5 apples']
    assert sentences_of('one\ntwo') == ['one', 'two']
    assert sentences_of('  ') == []


def test_the_first_sentence_is_ready_while_the_second_is_being_written():
    cutter = Sentences()
    assert cutter.add('I will so') == []
    assert cutter.add('rt. Then') == ['I will sort.']
    assert cutter.flush() == ['Then']
    assert cutter.flush() == []


@given(st.text(alphabet='ab .!?\n', max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_it_makes_no_difference_in_which_pieces_text_comes(text, cuts):
    cutter = Sentences()
    found = []
    edges = [0, *sorted(cut for cut in cuts if cut <= len(text)), len(text)]
    for low, high in itertools.pairwise(edges):
        found += cutter.add(text[low:high])
    whole = ''.join(found + cutter.flush())
    assert [letter for letter in whole if letter.strip()] == [letter for letter in text if letter.strip()]


class Slow:
    """A speaker whose sound is the length of the text, made when the test lets it."""

    name = 'slow'

    def __init__(self):
        self.asked = []
        self.go = threading.Semaphore(0)
        self.came = threading.Semaphore(0)

    def synthesise(self, text):
        self.asked.append(text)
        self.came.release()
        self.go.acquire()
        if 'broken' in text:
            raise SpeechError('no voice')
        return np.ones(len(text), dtype=np.int16)


@pytest.fixture
def parts():
    speaker, player = Slow(), FakePlayer()
    delays = []
    voice = SpeechQueue(speaker, player, on_sound=delays.append)
    yield voice, speaker, player, delays
    for _ in range(20):
        speaker.go.release()
    voice.close()
    assert player.closed


def wait_until(condition, timeout_s=10.0):
    pause = threading.Event()
    for _ in range(round(timeout_s / 0.01)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError('not within the deadline')


def test_the_first_sentence_sounds_before_the_second_is_made(parts):
    voice, speaker, player, delays = parts
    voice.say('Hello there. How are you?')
    speaker.go.release()
    wait_until(lambda: len(player.played) == 1)
    assert len(player.played[0]) == len('Hello there.')
    assert len(delays) == 1
    speaker.go.release()
    wait_until(lambda: len(player.played) == 2)
    assert len(delays) == 1


def test_what_is_being_made_when_silence_is_asked_for_never_sounds(parts):
    voice, speaker, player, _ = parts
    voice.say('One. Two. Three.')
    assert speaker.came.acquire(timeout=10)
    voice.fall_silent()
    speaker.go.release()
    wait_until(lambda: not voice.speaking)
    assert player.played == []
    assert player.stops == 1
    assert speaker.asked == ['One.']
    voice.say('Four.')
    speaker.go.release()
    wait_until(lambda: len(player.played) == 1)


def test_a_sentence_that_cannot_be_spoken_does_not_end_the_voice(parts):
    voice, speaker, player, _ = parts
    voice.say('This is broken. This is not.')
    speaker.go.release()
    speaker.go.release()
    wait_until(lambda: len(player.played) == 1)
    assert len(player.played[0]) == len('This is not.')


def test_of_too_many_sentences_the_oldest_is_dropped_and_named(parts, caplog):
    voice, speaker, _, _ = parts
    voice.say('Being made.')
    assert speaker.came.acquire(timeout=10)
    voice.say(' '.join(f'This is {number}.' for number in range(51)))
    assert "not spoken: 'This is 0.': more than 50 sentences wait" in caplog.text
    assert 'This is 1.' not in caplog.text
    voice.fall_silent()
