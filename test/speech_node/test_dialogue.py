"""What becomes of something heard: only what is sure moves anything, the rest is asked about or left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech_node.commands import load_commands
from speech_node.config import SpeechConfig
from speech_node.dialogue import YES_OR_NO, Dialogue, What
from speech_node.ports import Transcript

BOOK = load_commands()
CONFIG = SpeechConfig(act_confidence=0.8, ask_confidence=0.4, answer_s=10.0)
SENTENCES = sorted(BOOK.text_of(item) for item in BOOK.sentences)


def heard(text, confidence=0.95):
    return Transcript(text, confidence, 'en', 0.1)


@pytest.fixture
def dialogue():
    return Dialogue(CONFIG, BOOK)


def test_what_is_sure_is_passed_on(dialogue):
    reaction = dialogue.react(heard('put the apple in box 1'), 0.0)
    assert (reaction.what, reaction.text) == (What.PASS, 'put the apple in box 1')


def test_what_is_not_sure_is_asked_about_and_passed_on_after_yes(dialogue):
    assert dialogue.react(heard('build a tower', 0.5), 0.0).text == 'Did you mean: build a tower?'
    reaction = dialogue.react(heard('yes please', 0.6), 4.0)
    assert (reaction.what, reaction.text) == (What.SAY, YES_OR_NO), 'a yes may move the arms'
    reaction = dialogue.react(heard('yes please', 0.97), 5.0)
    assert (reaction.what, reaction.text) == (What.PASS, 'build a tower')
    assert dialogue.react(heard('yes'), 6.0).what is What.IGNORE


def test_after_no_nothing_happens(dialogue):
    dialogue.react(heard('build a tower', 0.5), 0.0)
    assert dialogue.react(heard('no'), 1.0).what is What.SAY
    assert dialogue.react(heard('yes'), 2.0).what is What.IGNORE


def test_a_question_is_forgotten_in_time(dialogue):
    dialogue.react(heard('build a tower', 0.5), 0.0)
    assert dialogue.react(heard('yes'), 10.1).what is What.IGNORE


def test_who_is_asked_again_has_as_long_to_answer_as_before(dialogue):
    dialogue.react(heard('build a tower', 0.5), 0.0)
    dialogue.react(heard('yes', 0.6), 9.0)
    assert dialogue.react(heard('yes'), 18.9).text == 'build a tower'


@pytest.mark.parametrize('confidence', [0.79, 0.56])
def test_two_yeses_that_leave_little_doubt_together_are_one(dialogue, confidence):
    dialogue.react(heard('build a tower', 0.5), 0.0)
    assert dialogue.react(heard('yes', confidence), 1.0).text == YES_OR_NO
    assert dialogue.react(heard('yes', confidence), 2.0).what is What.PASS


def test_doubt_of_one_question_says_nothing_about_the_next(dialogue):
    dialogue.react(heard('build a tower', 0.5), 0.0)
    dialogue.react(heard('yes', 0.79), 1.0)
    dialogue.react(heard('fill the bowl', 0.5), 2.0)
    assert dialogue.react(heard('yes', 0.79), 3.0).what is What.SAY


def test_a_yes_that_is_not_certain_is_left_alone_where_nothing_was_asked(dialogue):
    assert dialogue.react(heard('yes', 0.6), 0.0).what is What.IGNORE


def test_a_yes_that_is_hardly_heard_is_no_yes(dialogue):
    dialogue.react(heard('build a tower', 0.5), 0.0)
    assert dialogue.react(heard('yes', 0.3), 1.0).what is What.IGNORE


def test_another_command_takes_the_place_of_the_question(dialogue):
    dialogue.react(heard('build a tower', 0.5), 0.0)
    assert dialogue.react(heard('fill the bowl'), 1.0).text == 'fill the bowl'
    assert dialogue.react(heard('yes'), 2.0).what is What.IGNORE


@given(st.lists(st.tuples(st.sampled_from(SENTENCES), st.floats(0, 0.799)), max_size=30))
def test_nothing_that_is_not_sure_is_passed_on_without_two_yeses_that_are_rather_so(said):
    dialogue = Dialogue(CONFIG, BOOK)
    asked, yeses = '', []
    for number, (text, confidence) in enumerate(said):
        reaction = dialogue.react(heard(text, confidence), number / 10)
        if confidence >= 0.4 and BOOK.intent_of(text).kind == 'yes':
            yeses.append(confidence)
        if reaction.what is What.PASS:
            assert reaction.text == asked
            assert len(yeses) == 2
            assert min(yeses) >= 0.5
            assert (1 - yeses[0]) * (1 - yeses[1]) <= 0.2 + 1e-9
        if reaction.what is What.ASK:
            asked, yeses = text, []
        elif reaction.text != YES_OR_NO and confidence >= 0.4:
            asked = ''


def test_weak_yeses_however_many_pass_nothing_on():
    dialogue = Dialogue(CONFIG, BOOK)
    assert dialogue.react(heard('build a tower', 0.5), 0.0).what is What.ASK
    said = [dialogue.react(heard('yes', 0.45), 1.0 + number).what for number in range(10)]
    assert What.PASS not in said
    assert said.count(What.SAY) == 2


@pytest.mark.parametrize('text', ['', '   '])
def test_nothing_understood_is_left_alone(dialogue, text):
    assert dialogue.react(heard(text), 0.0).what is What.IGNORE


def test_free_speech_needs_no_book():
    dialogue = Dialogue(CONFIG, None)
    assert dialogue.react(heard('Could you tidy up, please?'), 0.0).what is What.PASS
    assert dialogue.react(heard('Tidy up.', 0.5), 1.0).text == 'Did you mean: Tidy up?'
    assert dialogue.react(heard('Yeah, sure.'), 2.0).text == 'Tidy up.'
    assert dialogue.react(heard('Right the cup and put it back on the table'), 3.0).what is What.PASS


def test_a_name_that_is_said_makes_nobody_the_speaker():
    dialogue = Dialogue(SpeechConfig(person='somebody'), None)
    reaction = dialogue.react(heard('My name is Ada.'), 0.0)
    assert (reaction.what, reaction.text, dialogue.person) == (What.PASS, 'My name is Ada.', 'somebody')


def test_without_the_wake_word_nothing_is_passed_on_but_answers():
    config = SpeechConfig(wake_word='hey lucca')
    dialogue = Dialogue(config, load_commands(wake_word='hey lucca'))
    assert dialogue.react(heard('build a tower'), 0.0).what is What.IGNORE
    assert dialogue.react(heard('hey lucca'), 0.0).what is What.IGNORE
    assert dialogue.react(heard('hey lucca build a tower'), 0.0).text == 'build a tower'
    dialogue.react(heard('Hey Lucca, build a tower', 0.5), 1.0)
    assert dialogue.react(heard('yes'), 2.0).text == 'build a tower'
