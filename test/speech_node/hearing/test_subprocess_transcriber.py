"""A transcriber in a process of its own: results, errors and deadlines that are kept."""

import functools
import multiprocessing
import os
import threading
import time

import numpy as np
import pytest
from spoken import OddTranscriber, broken

from lucca_core.errors import SpeechError
from speech_node.hearing.subprocess_transcriber import SubprocessTranscriber

SOUND = np.arange(512, dtype=np.int16)


def sound(first):
    return np.array([first] + [0] * 9, dtype=np.int16)


@pytest.fixture
def child():
    made = []

    def make(what=OddTranscriber, **limits):
        made.append(SubprocessTranscriber('odd', what, **({'timeout_s': 30.0, 'load_timeout_s': 240.0} | limits)))
        return made[-1]

    yield make
    for item in made:
        item.close()
        assert not item._process.is_alive()


def test_what_the_child_makes_of_it_comes_back(child):
    transcriber = child()
    heard = transcriber.transcribe(SOUND)
    assert (heard.text, heard.confidence) == ('512 samples', 0.5)
    assert heard.transcription_s > 0
    assert transcriber.pid != os.getpid()


def test_an_error_of_the_child_is_raised_here_and_does_not_end_it(child):
    transcriber = child()
    pid = transcriber.pid
    with pytest.raises(SpeechError, match='cannot make it out'):
        transcriber.transcribe(sound(1))
    assert transcriber.transcribe(SOUND).text == '512 samples'
    assert transcriber.pid == pid


def test_a_child_that_dies_is_made_anew(child):
    transcriber = child()
    with pytest.raises(SpeechError, match='process died with exit code -9 during transcription'):
        transcriber.transcribe(sound(2))
    assert transcriber.transcribe(SOUND).text == '512 samples'


def test_a_deadline_is_kept_and_the_child_is_made_anew(child):
    transcriber = child(timeout_s=0.5)
    started_s = time.monotonic()
    with pytest.raises(SpeechError, match=r'transcription took more than 0\.5 s'):
        transcriber.transcribe(sound(3))
    assert time.monotonic() - started_s < 8.0


def test_what_cannot_be_loaded_says_why():
    with pytest.raises(SpeechError, match='no model in /nowhere'):
        SubprocessTranscriber('odd', functools.partial(broken), timeout_s=1.0, load_timeout_s=60.0)


def test_one_that_is_being_loaded_is_given_up_when_its_node_is_told_to_end():
    asked = []

    def is_ending():
        asked.append(None)
        return len(asked) > 2

    with pytest.raises(SpeechError, match='odd: told to end during loading'):
        SubprocessTranscriber(
            'odd', functools.partial(time.sleep, 600.0), timeout_s=1.0, load_timeout_s=600.0, is_ending=is_ending
        )
    assert 'odd' not in {child.name for child in multiprocessing.active_children()}


def test_one_that_died_is_not_loaded_again_for_a_node_that_ends(child):
    ending = threading.Event()
    transcriber = child(is_ending=ending.is_set)
    with pytest.raises(SpeechError, match='process died'):
        transcriber.transcribe(sound(2))
    ending.set()
    with pytest.raises(SpeechError, match='odd: told to end before loading'):
        transcriber.transcribe(SOUND)
    assert not transcriber._process.is_alive()


def test_closing_does_not_wait_for_a_child_that_is_made_anew(child):
    transcriber = child()
    with pytest.raises(SpeechError, match='process died'):
        transcriber.transcribe(sound(2))
    transcriber._make = functools.partial(time.sleep, 600.0)
    failed = []

    def transcribe():
        try:
            transcriber.transcribe(SOUND)
        except SpeechError as error:
            failed.append(str(error))

    old = transcriber._process
    thread = threading.Thread(target=transcribe)
    thread.start()
    deadline_s = time.monotonic() + 60.0
    while transcriber._process is old and time.monotonic() < deadline_s:
        threading.Event().wait(0.01)
    transcriber.close()
    thread.join(60.0)
    assert not thread.is_alive()
    assert 'told to end during loading' in failed[0]


def test_a_closed_one_says_so(child):
    transcriber = child()
    transcriber.close()
    with pytest.raises(SpeechError, match='odd is closed'):
        transcriber.transcribe(SOUND)
