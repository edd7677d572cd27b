"""Commands by a grammar: understood when said, and nothing made up when not."""

import math

import pytest
from spoken import speak

from lucca_core.errors import ConfigError
from lucca_lab.voice.noise import silence
from speech_node.audio import resampled
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
    """Hears what it is told: in the sound as it came, without its noise, and slower."""

    def __init__(self, *found):
        self._book, self._certain, self._found = load_commands(), 0.95, list(found)

    def decode(self, samples):
        return self._found.pop(0)


SURE, LIKELY = AcousticFit(-4.5, -6.0), AcousticFit(-6.0, -8.0)
HALF, NONE = AcousticFit(-6.8, -8.1), AcousticFit(-math.inf, -math.inf)
TOWER, BOWL = 'build a tower', 'fill the bowl'


@pytest.mark.parametrize(
    ('hearings', 'text', 'least', 'most'),
    [
        (((TOWER, SURE), (TOWER, LIKELY), (TOWER, LIKELY)), TOWER, 0.95, 1.0),
        (((TOWER, LIKELY), (TOWER, SURE), (TOWER, LIKELY)), TOWER, 0.95, 1.0),
        (((TOWER, SURE), (TOWER, SURE), (TOWER, HALF)), TOWER, 0.9, 0.949),
        (((TOWER, HALF), (TOWER, SURE), (TOWER, SURE)), TOWER, 0.9, 0.949),
        (((TOWER, SURE), (TOWER, SURE), (BOWL, SURE)), TOWER, 0.9, 0.949),
        (((TOWER, SURE), (TOWER, SURE), ('', NONE)), TOWER, 0.9, 0.949),
        (((TOWER, SURE), (BOWL, HALF)), TOWER, 0.9, 0.949),
        (((TOWER, HALF), (BOWL, SURE)), BOWL, 0.9, 0.949),
        ((('', NONE), (TOWER, SURE)), TOWER, 0.9, 0.949),
        (((TOWER, HALF), (TOWER, HALF)), TOWER, 0.2, 0.6),
        ((('', NONE), ('', NONE)), '', 0.0, 0.0),
    ],
)
def test_only_what_every_hearing_says_is_certain(hearings, text, least, most):
    told = Told(*hearings)
    heard = told.transcribe(silence(1.0))
    assert told._found == []
    assert heard.text == text
    assert least <= heard.confidence <= most


def test_a_word_that_lasts_too_long_is_no_word_of_a_command(transcriber):
    said = speak('build a tower', 'en-us+klatt2', snr_db=35.0)
    assert transcriber.decode(said)[0] == 'build a tower'
    assert transcriber.decode(resampled(said, 16_000, 56_000))[0] == ''


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
