"""Commands by a grammar: understood when said, and nothing made up when not."""

import math

import pytest
from spoken import speak

from lucca_core.errors import ConfigError
from speech_node.audio import silence
from speech_node.commands import CommandBook, Intent, IntentKind, Phrase, load_commands
from speech_node.config import SpeechConfig
from speech_node.pocketsphinx_transcriber import Fit, PocketsphinxTranscriber, fit_confidence, jsgf

CONFIG = SpeechConfig()


@pytest.fixture(scope='module')
def transcriber():
    return PocketsphinxTranscriber(load_commands())


@pytest.mark.parametrize(
    ('text', 'voice'),
    [('sort the objects', 'en-us'), ('build a tower', 'en-us+klatt2'), ('put the red cube in box two', 'en-us+f3')],
)
def test_a_command_is_understood_and_written_with_digits(transcriber, text, voice):
    heard = transcriber.transcribe(speak(text, voice, snr_db=35.0))
    assert heard.text == text.replace('two', '2')
    assert heard.confidence > CONFIG.act_confidence
    assert heard.language == 'en'


@pytest.mark.parametrize(
    'text', ['the train to london leaves at half past nine', 'this song is very old', 'the dog is asleep']
)
def test_ordinary_talk_is_no_command(transcriber, text):
    heard = transcriber.transcribe(speak(text, snr_db=35.0))
    assert heard.confidence < CONFIG.act_confidence


def test_silence_is_nothing(transcriber):
    heard = transcriber.transcribe(silence(1.0))
    assert (heard.text, heard.confidence) == ('', 0.0)


def test_confidence_grows_with_the_fit():
    sure = [fit_confidence(Fit(mean, 1.4 * mean)) for mean in (-4.5, -6.5, -9.0, -math.inf)]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > 0.95
    assert sure[-1] < 0.05


def test_a_word_without_pronunciation_is_named_and_can_be_given_one():
    phrase = Phrase('fetch the flurbl', Intent(IntentKind.ASK))
    with pytest.raises(ConfigError, match='no pronunciation is known of flurbl'):
        PocketsphinxTranscriber(CommandBook((phrase,)))
    PocketsphinxTranscriber(CommandBook((phrase,), pronunciations={'flurbl': 'F L ER B AH L'}))


def test_the_grammar_holds_each_sentence_and_the_wake_word_before_all_but_answers():
    text = jsgf(load_commands(wake_word='lucca'))
    assert 'lucca put the <slot' in text
    assert '(in box one | in box two | on the tower | in the bowl)' in text
    assert '| yes |' in text
