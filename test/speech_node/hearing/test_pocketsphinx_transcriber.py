"""Commands by a grammar: understood when said, and nothing made up when not."""

import math

import pytest
from spoken import speak

from lucca_core.errors import ConfigError
from lucca_lab.voice.noise import silence
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import CommandBook, Phrase, load_commands
from speech_node.hearing.pocketsphinx_transcriber import AcousticFit, PocketsphinxTranscriber, fit_confidence, jsgf
from speech_node.interfaces import Intent, IntentKind

CONFIG = SpeechConfig()


@pytest.fixture(scope='module')
def transcriber():
    return PocketsphinxTranscriber(load_commands(), certain=CONFIG.act_confidence)


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
    'text',
    [
        'nobody knows where the ball came from',
        'the train to london leaves at half past nine',
        'this song is very old',
        'the dog is asleep',
    ],
)
def test_ordinary_talk_is_no_command(transcriber, text):
    heard = transcriber.transcribe(speak(text, snr_db=35.0))
    assert heard.confidence < CONFIG.act_confidence


class Told(PocketsphinxTranscriber):
    """Hears what it is told: once in the sound as it came, once in that without its noise."""

    def __init__(self, *found):
        self._book, self._certain, self._found = load_commands(), 0.95, list(found)

    def decode(self, samples):
        return self._found.pop(0)


SURE, HALF = AcousticFit(-4.5, -6.0), AcousticFit(-6.8, -8.1)


@pytest.mark.parametrize(
    ('first', 'second', 'text', 'least', 'most'),
    [
        (('build a tower', SURE), None, 'build a tower', 0.95, 1.0),
        (('', AcousticFit(-math.inf, -math.inf)), ('build a tower', SURE), 'build a tower', 0.9, 0.949),
        (('build a tower', HALF), ('build a tower', SURE), 'build a tower', 0.95, 1.0),
        (('build a tower', HALF), ('fill the bowl', SURE), 'fill the bowl', 0.9, 0.949),
        (('', AcousticFit(-math.inf, -math.inf)), ('', AcousticFit(-math.inf, -math.inf)), '', 0.0, 0.0),
    ],
)
def test_what_only_one_of_two_hearings_says_is_never_certain(first, second, text, least, most):
    told = Told(*(found for found in (first, second) if found))
    heard = told.transcribe(silence(1.0))
    assert told._found == []
    assert heard.text == text
    assert least <= heard.confidence <= most


def test_silence_is_nothing(transcriber):
    heard = transcriber.transcribe(silence(1.0))
    assert (heard.text, heard.confidence) == ('', 0.0)


def test_confidence_grows_with_the_fit():
    sure = [fit_confidence(AcousticFit(mean, 1.4 * mean)) for mean in (-4.5, -6.5, -9.0, -math.inf)]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > 0.95
    assert sure[-1] < 0.05


def test_a_word_without_pronunciation_is_named_and_can_be_given_one():
    phrase = Phrase('fetch the flurbl', Intent(IntentKind.ASK))
    with pytest.raises(ConfigError, match='no pronunciation known for flurbl'):
        PocketsphinxTranscriber(CommandBook((phrase,)), certain=0.9)
    PocketsphinxTranscriber(CommandBook((phrase,), pronunciations={'flurbl': 'F L ER B AH L'}), certain=0.9)


def test_the_grammar_holds_each_sentence_and_the_wake_word_before_all_but_answers():
    text = jsgf(load_commands(wake_word='lucca'))
    assert 'lucca put the <slot' in text
    assert '(in box one | in box two | on the tower | in the bowl)' in text
    assert '| yes |' in text
