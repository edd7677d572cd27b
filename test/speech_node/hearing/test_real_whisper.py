"""The trained Whisper tiny.en on synthetic voices, where `lucca models get whisper-tiny.en` has brought it.

Every test is run twice: with Whisper alone (`+none`), and with Moonshine, which it has by itself where it is there.

TRAINED_MODELS_DIR names the folder of models, otherwise `.venv/models`. Nothing is downloaded here.
"""

import importlib.util
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from spoken import speak

from lucca_core.trained_models import MODELS_VARIABLE, MOONSHINE_TINY_EN, WHISPER_TINY_EN
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.stack import stack_on_table
from lucca_lab.understanding.talk import CONTAINERS, OBJECTS
from speech_node.audio import RATE_HZ
from speech_node.components import book_for, make_transcriber
from speech_node.config import SpeechConfig
from speech_node.hearing.moonshine_model import ScoringMoonshine
from speech_node.hearing.reaction_policy import ReactionKind, ReactionPolicy
from speech_node.interfaces import Intent, IntentKind

MODELS = Path(os.environ.get('TRAINED_MODELS_DIR', Path(__file__).parents[3] / '.venv' / 'models'))
TALK = 'the meeting was moved to friday because the train was late'
CONFIG = SpeechConfig(transcriber='faster-whisper:tiny.en', device='cpu', transcription_timeout_s=600.0)
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec('faster_whisper') is None, reason='faster-whisper is not installed'
)


@pytest.fixture(
    scope='module',
    params=[('+none', WHISPER_TINY_EN), ('', WHISPER_TINY_EN, MOONSHINE_TINY_EN)],
    ids=lambda param: len(param) - 1,
)
def whisper(request):
    second, *needed = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODELS_VARIABLE, str(MODELS))
        for model in needed:
            if not model.is_there:
                pytest.skip(f'{model.name} is not there')
        config = replace(CONFIG, transcriber=f'{CONFIG.transcriber}{second}')
        transcriber = make_transcriber(config, book_for(config))
        yield transcriber
        transcriber.close()


@pytest.mark.parametrize(
    ('said', 'meant'),
    [
        ('put the red cube in box one', Intent(IntentKind.ACT, 'move_to_box_1', 'red cube')),
        ('build a tower', Intent(IntentKind.START, 'tower')),
        ('yes', Intent(IntentKind.YES)),
    ],
)
def test_a_command_is_heard_as_what_it_means(whisper, said, meant):
    heard = whisper.transcribe(speak(said))
    assert heard.intent == meant
    assert heard.confidence >= CONFIG.act_confidence


def test_other_talk_is_neither_acted_on_nor_asked_about(whisper):
    heard = whisper.transcribe(speak(TALK))
    assert heard.intent is None
    assert ReactionPolicy(CONFIG).react(heard, 0.0, 0.0, 0.0).kind is ReactionKind.IGNORE


def test_a_command_in_an_utterance_of_twelve_seconds_is_heard(whisper):
    heard = whisper.transcribe(speak('put the red cube in box one', pad_s=6.0)[: 12 * RATE_HZ])
    assert heard.intent == Intent(IntentKind.ACT, 'move_to_box_1', 'red cube')


def test_moonshine_hears_twelve_seconds():
    """The longest utterance by default. Whisper would hear it alone, so this asks Moonshine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODELS_VARIABLE, str(MODELS))
        if not MOONSHINE_TINY_EN.is_there:
            pytest.skip(f'{MOONSHINE_TINY_EN.name} is not there')
        moonshine = ScoringMoonshine(MOONSHINE_TINY_EN.path)
    said = speak(f'{TALK} and nobody had told the others about it so we waited in the hall until the rain was over')
    assert len(said) > 9.5 * RATE_HZ
    sound = moonshine.encode(np.pad(said, (0, max(0, 12 * RATE_HZ - len(said)))))
    heard = moonshine.transcript(sound)
    assert heard.startswith('The meeting was moved to Friday because the train was late')
    assert heard.rstrip('.').endswith('until the rain was over')
    right, wrong = moonshine.scores(sound, [heard, heard.replace('rain', 'soup')])
    assert right > wrong + 5


@pytest.mark.parametrize(
    'said',
    [
        'he told me to put the banana in the bowl',
        'i will not put the jello in the bowl',
        'never help with the dessert',
        'did he give me the white cube',
    ],
)
def test_a_command_that_nobody_gives_is_not_acted_on(whisper, said):
    heard = whisper.transcribe(speak(said))
    assert heard.intent is None or heard.confidence < CONFIG.act_confidence


def test_a_sentence_that_teaches_a_task_is_passed_on_after_a_yes_and_learned(whisper):
    policy = ReactionPolicy(CONFIG)
    heard = policy.react(
        whisper.transcribe(speak('a new task called breakfast, put the banana in the bowl')), 0.0, 0.0, 0.0
    )
    assert heard.kind in (ReactionKind.ASK, ReactionKind.PASS)
    if heard.kind is ReactionKind.ASK:
        heard = policy.react(whisper.transcribe(speak('yes')), 3.0, 3.0, 3.0)
        assert heard.kind is ReactionKind.PASS
    with stack_on_table(sample_objects(OBJECTS), CONTAINERS) as robot:
        assert 'breakfast' in robot.say(heard.text).said
        assert robot.say('start the breakfast').performed == ('<place_in_bowl(banana)>',)
