"""The same utterances have different effects, depending on what was said before."""

import pytest

from lucca_lab.voice.recordings import RecordingOutcome, acted_in_turn
from lucca_lab.voice.situations import HeardEffect, HeardUtterance, Situation, effect
from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands
from speech_node.interfaces import Transcript

BOOK = load_commands()
GRAMMAR, FREE = SpeechConfig(), SpeechConfig(transcriber='faster-whisper:tiny.en')
NOTHING = HeardEffect(acted=False, asked=False, confirmed=False, stops=0)


def heard(*said):
    """Utterances of a second each, half a second apart."""
    return tuple(
        HeardUtterance(Transcript(text, confidence, intent=BOOK.intent_of(text)), 1.5 * number, 1.5 * number + 1.0)
        for number, (text, confidence) in enumerate(said)
    )


def acts(transcript):
    return transcript.intent is not None


@pytest.mark.parametrize(
    ('situation', 'acted', 'asked'),
    [(Situation.FIRST, False, True), (Situation.ATTENTIVE, True, False), (Situation.ASKED, False, True)],
)
@pytest.mark.parametrize('config', [GRAMMAR, FREE])
def test_a_sure_command(situation, config, acted, asked):
    assert effect(config, heard(('fill the bowl', 0.99)), situation, acts) == HeardEffect(acted, asked, False, 0)


@pytest.mark.parametrize('config', [GRAMMAR, FREE])
def test_a_yes_means_something_only_after_a_question(config):
    said = heard(('yes', 0.99))
    assert effect(config, said, Situation.FIRST, acts) == NOTHING
    assert effect(config, said, Situation.ATTENTIVE, acts) == NOTHING
    assert effect(config, said, Situation.ASKED, acts) == HeardEffect(True, False, True, 0)


@pytest.mark.parametrize('config', [GRAMMAR, FREE])
def test_a_no_that_is_heard_less_surely_declines_all_the_same(config):
    said = heard(('no', config.ask_confidence))
    assert effect(config, said, Situation.FIRST, acts) == NOTHING
    assert effect(config, said, Situation.ASKED, acts) == NOTHING._replace(declined=True)
    assert not effect(config, heard(('yes', config.ask_confidence)), Situation.ASKED, acts).declined


def test_a_sound_may_answer_its_own_question():
    said = heard(('fill the bowl', 0.99), ('yes', 0.99))
    assert effect(GRAMMAR, said, Situation.FIRST, acts) == HeardEffect(True, True, True, 0)


def test_a_stop_counts_whatever_was_before():
    for situation in Situation:
        assert effect(GRAMMAR, heard(('Stop.', 0.99)), situation, acts).stops == 1


@pytest.mark.parametrize(
    ('said', 'acted'),
    [
        (['build a tower', 'yes'], 1),
        (['build a tower', 'yes', 'fill the bowl', 'sort the objects'], 3),
        (['build a tower', '', 'yes', '', 'fill the bowl'], 1),
        (['build a tower', '', '', '', '', '', '', 'yes'], 0),
    ],
)
def test_files_one_after_another(said, acted):
    files = [
        RecordingOutcome(text, 1.5, *[False] * 5, stops=0, heard=heard((text, 0.99 if text else 0.0))) for text in said
    ]
    assert acted_in_turn(files, GRAMMAR) == acted
