"""A stop word in what Whisper writes is never taken for another command, however likely the model finds one.

The model is replaced: it writes what it is told to, and finds one command certain.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.stop_command import STOP_WORDS
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands
from speech_node.hearing.command_matching import Reading
from speech_node.hearing.faster_whisper_transcriber import FasterWhisperTranscriber
from speech_node.hearing.reaction_policy import ReactionKind, ReactionPolicy

BOOK = load_commands()
CONFIG = SpeechConfig()
SECOND = np.zeros(16000, dtype=np.int16)


class SureOfCommand(FasterWhisperTranscriber):
    """Writes `free`, and finds the sentence `likely` of the book much likelier than that or any other."""

    def __init__(self, free, likely):
        self._free_text, self._book, self._certain, self._context, self._spec = free, BOOK, 0.9, (), 'told'
        self._likely = likely
        self._suggest = lambda samples: likely
        self._pad = lambda features: features
        self._model = SimpleNamespace(encode=lambda features: features, feature_extractor=lambda samples: samples)

    def _decoded(self, encoded, before):
        return self._free_text, 0.95

    def _scored(self, encoded, audio_s, texts):
        return [Reading(text, 0.0 if text == self._likely else -50.0) for text in texts]


def reaction(heard):
    return ReactionPolicy(CONFIG).react(heard, 0.0)


def test_without_a_stop_word_the_likely_command_is_taken():
    heard = SureOfCommand('built a tour', 'build a tower').transcribe(SECOND)
    assert heard.intent == BOOK.spoken['build a tower']
    assert reaction(heard).kind is ReactionKind.PASS


@given(word=st.sampled_from(STOP_WORDS), sentence=st.sampled_from(sorted(BOOK.spoken)), first=st.booleans())
def test_a_command_with_a_stop_word_in_it_is_not_taken_for_that_command(word, sentence, first):
    said = f'{word.capitalize()}, {sentence}.' if first else f'{sentence.capitalize()}, {word}.'
    heard = SureOfCommand(said, sentence).transcribe(SECOND)
    assert heard.intent is None
    assert heard.text == said


@pytest.mark.parametrize('said', ['Stop.', 'Halt!', 'freeze', 'Okay, stop right there.', 'STOP! STOP!'])
def test_a_stop_and_nothing_else_stops_although_another_command_is_likely(said):
    heard = SureOfCommand(said, 'build a tower').transcribe(SECOND)
    assert heard.intent is None
    assert reaction(heard).kind is ReactionKind.STOP
