"""A stop word in what Whisper writes is never taken for another command, however likely the model finds one.

The model is replaced: it writes what it is told to, and finds one command certain.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from told_whisper import BOOK, SECOND, ToldWhisper

from lucca_core.stop_command import STOP_WORDS
from speech_node.config import SpeechConfig
from speech_node.hearing.reaction_policy import ReactionKind, ReactionPolicy

CONFIG = SpeechConfig(transcriber='faster-whisper:told')


def sure_of(free, likely):
    """Writes `free`, and finds the sentence `likely` of the book much likelier than that or any other."""
    return ToldWhisper(free, {likely: 0.0})


def reaction(heard):
    return ReactionPolicy(CONFIG).react(heard, 0.0, 0.0, 0.0)


def test_without_a_stop_word_the_likely_command_is_taken():
    heard = sure_of('built a tour', 'build a tower').transcribe(SECOND)
    assert heard.intent == BOOK.spoken['build a tower']
    assert reaction(heard).text == 'Did you mean: build a tower?'


@given(word=st.sampled_from(STOP_WORDS), sentence=st.sampled_from(sorted(BOOK.spoken)), first=st.booleans())
def test_a_command_with_a_stop_word_in_it_is_not_taken_for_that_command(word, sentence, first):
    said = f'{word.capitalize()}, {sentence}.' if first else f'{sentence.capitalize()}, {word}.'
    heard = sure_of(said, sentence).transcribe(SECOND)
    assert heard.intent is None
    assert heard.text == said


@pytest.mark.parametrize('said', ['Stop.', 'Halt!', 'freeze', 'Okay, stop right there.', 'STOP! STOP!'])
def test_a_stop_and_nothing_else_stops_although_another_command_is_likely(said):
    heard = sure_of(said, 'build a tower').transcribe(SECOND)
    assert heard.intent is None
    assert reaction(heard).kind is ReactionKind.STOP
