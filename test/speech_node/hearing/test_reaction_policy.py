"""What becomes of something heard: only what is sure moves anything, the rest is asked about or left alone."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands
from speech_node.hearing.reaction_policy import NOTHING, YES_OR_NO, ReactionKind, ReactionPolicy
from speech_node.interfaces import Transcript

BOOK = load_commands()
CONFIG = SpeechConfig(transcriber='transformers:any', act_confidence=0.8, ask_confidence=0.4, answer_s=10.0)
"""An ear of free speech; for what attention changes, see test_attention.py."""
SENTENCES = sorted(BOOK.text_of(item) for item in BOOK.sentences)


def heard(text, confidence=0.95):
    return Transcript(text, confidence, 'en', 0.1)


def commanded(text, confidence=0.95):
    return Transcript(text, confidence, 'en', 0.1, BOOK.intent_of(text))


class Policy(ReactionPolicy):
    """Decides at once about what was said, which took no time unless that is told."""

    def react(self, heard, said_s, end_s=None):
        return super().react(heard, said_s, said_s if end_s is None else end_s, said_s if end_s is None else end_s)


@pytest.fixture
def policy():
    return Policy(CONFIG)


def attend(policy):
    """A command and a yes, after which the robot is attentive."""
    assert policy.react(commanded('build a tower'), -4.0).kind is ReactionKind.ASK
    assert policy.react(commanded('yes'), -2.0).kind is ReactionKind.PASS


def test_what_is_sure_is_passed_on(policy):
    attend(policy)
    reaction = policy.react(commanded('put the apple in box 1'), 0.0)
    assert (reaction.kind, reaction.text) == (ReactionKind.PASS, 'put the apple in box 1')


def test_what_is_not_sure_is_asked_about_and_passed_on_after_yes(policy):
    assert policy.react(commanded('build a tower', 0.5), 0.0).text == 'Did you mean: build a tower?'
    reaction = policy.react(commanded('yes please', 0.6), 4.0)
    assert (reaction.kind, reaction.text) == (ReactionKind.SAY, YES_OR_NO), 'a yes may move the arms'
    reaction = policy.react(commanded('yes please', 0.97), 5.0)
    assert (reaction.kind, reaction.text) == (ReactionKind.PASS, 'build a tower')
    assert policy.react(commanded('yes'), 6.0).kind is ReactionKind.IGNORE


@pytest.mark.parametrize('before', ['Alisa is not very good at', ''])
def test_a_command_after_talk_that_is_not_understood_is_asked_about(policy, before):
    attend(policy)
    assert policy.react(heard(before, 0.0), 10.0, 13.0).kind is ReactionKind.IGNORE
    assert policy.react(commanded('fill the bowl'), 14.0, 15.2).kind is ReactionKind.ASK


def test_after_no_nothing_happens(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    assert policy.react(commanded('no'), 1.0).kind is ReactionKind.SAY
    assert policy.react(commanded('yes'), 2.0).kind is ReactionKind.IGNORE


def test_a_question_is_forgotten_in_time(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    assert policy.react(commanded('yes'), 10.1).kind is ReactionKind.IGNORE


def test_who_is_asked_again_has_as_long_to_answer_as_before(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    policy.react(commanded('yes', 0.6), 9.0)
    assert policy.react(commanded('yes'), 18.9).text == 'build a tower'


@pytest.mark.parametrize('confidence', [0.79, 0.56])
def test_two_yeses_that_leave_little_doubt_together_are_one(policy, confidence):
    policy.react(commanded('build a tower', 0.5), 0.0)
    assert policy.react(commanded('yes', confidence), 1.0).text == YES_OR_NO
    assert policy.react(commanded('yes', confidence), 2.0).kind is ReactionKind.PASS


def test_doubt_of_one_question_says_nothing_about_the_next(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    policy.react(commanded('yes', 0.79), 1.0)
    policy.react(commanded('fill the bowl', 0.5), 2.0)
    assert policy.react(commanded('yes', 0.79), 3.0).kind is ReactionKind.SAY


def test_a_yes_that_is_not_certain_is_left_alone_where_nothing_was_asked(policy):
    assert policy.react(commanded('yes', 0.6), 0.0).kind is ReactionKind.IGNORE


def test_a_yes_that_is_hardly_heard_is_no_yes(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    assert policy.react(commanded('yes', 0.3), 1.0).kind is ReactionKind.IGNORE


def test_talk_that_is_longer_than_an_answer_closes_the_question(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    reaction = policy.react(heard('You had the...', 0.0), 1.0, 2.7)
    assert (reaction.kind, reaction.text) == (ReactionKind.SAY, NOTHING)
    assert policy.react(commanded('yes'), 3.0).kind is ReactionKind.IGNORE
    assert policy.react(heard('Before we go on', 0.0), 4.0, 7.0).kind is ReactionKind.IGNORE, 'nothing was asked'


def test_an_answer_that_was_not_understood_may_be_said_again(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    assert policy.react(heard('Yet, please.', 0.0), 1.0, 2.5).kind is ReactionKind.IGNORE
    assert policy.react(commanded('yes please'), 4.0).text == 'build a tower'


def test_talk_that_began_before_the_question_does_not_close_it(policy):
    policy.react(commanded('build a tower', 0.5), 3.0)
    assert policy.react(heard('and then we had dinner', 0.0), 2.0, 5.0).kind is ReactionKind.IGNORE
    assert policy.react(commanded('yes'), 6.0).text == 'build a tower'


def test_talk_without_the_wake_word_closes_the_question_too():
    policy = Policy(replace(CONFIG, wake_word='lucca'))
    assert policy.react(commanded('lucca build a tower', 0.5), 0.0).kind is ReactionKind.ASK
    assert policy.react(heard('I think it had happened before'), 1.0, 3.5).text == NOTHING
    assert policy.react(commanded('yes'), 4.0).kind is ReactionKind.IGNORE


def test_another_command_takes_the_place_of_the_question(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    assert policy.react(commanded('fill the bowl'), 1.0).text == 'Did you mean: fill the bowl?'
    assert policy.react(commanded('yes'), 2.0).text == 'fill the bowl'


@given(st.lists(st.tuples(st.sampled_from(SENTENCES), st.floats(0, 0.799)), max_size=30))
def test_nothing_that_is_not_sure_is_passed_on_without_two_yeses_that_are_rather_so(said):
    policy = Policy(CONFIG)
    asked, yeses = '', []
    for number, (text, confidence) in enumerate(said):
        reaction = policy.react(commanded(text, confidence), number / 10)
        if confidence >= 0.4 and BOOK.intent_of(text).kind == 'yes':
            yeses.append(confidence)
        if reaction.kind is ReactionKind.PASS:
            assert reaction.text == asked
            assert len(yeses) == 2
            assert min(yeses) >= 0.5
            assert (1 - yeses[0]) * (1 - yeses[1]) <= 0.2 + 1e-9
        if reaction.kind is ReactionKind.ASK:
            asked, yeses = text, []
        elif reaction.text != YES_OR_NO and confidence >= 0.4:
            asked = ''


def test_weak_yeses_however_many_pass_nothing_on():
    policy = Policy(CONFIG)
    assert policy.react(commanded('build a tower', 0.5), 0.0).kind is ReactionKind.ASK
    said = [policy.react(commanded('yes', 0.45), 1.0 + number).kind for number in range(10)]
    assert ReactionKind.PASS not in said
    assert said.count(ReactionKind.SAY) == 2


@pytest.mark.parametrize('text', ['', '   '])
def test_nothing_understood_is_left_alone(policy, text):
    assert policy.react(commanded(text), 0.0).kind is ReactionKind.IGNORE


def test_free_speech_has_no_intents():
    policy = Policy(CONFIG)
    attend(policy)
    assert policy.react(heard('Could you tidy up, please?'), 0.0).kind is ReactionKind.PASS
    assert policy.react(heard('Tidy up.', 0.5), 1.0).text == 'Did you mean: Tidy up?'
    assert policy.react(heard('Yeah, sure.'), 2.0).text == 'Tidy up.'
    assert policy.react(heard('Right the cup and put it back on the table'), 3.0).kind is ReactionKind.PASS


@pytest.mark.parametrize('text', ['Yes please.', 'Right.', 'Yes, go ahead.', 'Sure, that one.', 'Yes, that is right'])
def test_a_yes_may_have_words_beside_it_that_ask_for_nothing(policy, text):
    policy.react(heard('Tidy up.', 0.5), 0.0)
    assert policy.react(heard(text), 1.0).text == 'Tidy up.'


@pytest.mark.parametrize(
    'text', ['Yeah, no.', 'Yes, but not now.', 'Sure, don’t.', 'Right, do not.', "Yes, I didn't.", 'Yes, but no.']
)
def test_a_yes_with_a_denial_is_a_no(policy, text):
    policy.react(heard('Tidy up.', 0.5), 0.0)
    reaction = policy.react(heard(text), 1.0)
    assert (reaction.kind, reaction.text) == (ReactionKind.SAY, NOTHING)


@pytest.mark.parametrize('text', ['Nah.', 'Not now.', 'Do not.', 'Forget it.', 'Not that one.'])
def test_a_no_has_many_forms(policy, text):
    policy.react(heard('Tidy up.', 0.5), 0.0)
    reaction = policy.react(heard(text), 1.0)
    assert (reaction.kind, reaction.text) == (ReactionKind.SAY, NOTHING)


@pytest.mark.parametrize('text', ['Right, stop the tower.', 'Yes, wait.', 'Correct the red one.', 'Sure, box two.'])
def test_a_yes_with_other_words_is_no_answer(policy, text):
    policy.react(heard('Tidy up.', 0.5), 0.0)
    assert policy.react(heard(text), 1.0).text in (text, f'Did you mean: {text[:-1]}?')


@pytest.mark.parametrize('text', ['No, the pear.', "Don't take the pear.", 'Not that one.', 'Wrong box.'])
def test_a_correction_is_passed_on_where_nothing_was_asked(policy, text):
    attend(policy)
    assert policy.react(heard(text), 0.0).kind is ReactionKind.PASS


@pytest.mark.parametrize('text', ['No.', 'No, no.', 'No, thank you.', 'Never mind.'])
def test_a_mere_no_is_left_alone_where_nothing_was_asked(policy, text):
    assert policy.react(heard(text), 0.0).kind is ReactionKind.IGNORE


def test_a_name_that_is_said_makes_nobody_the_speaker():
    policy = Policy(SpeechConfig(transcriber='transformers:any', person='somebody'))
    reaction = policy.react(heard('My name is Ada.'), 0.0)
    assert (reaction.kind, reaction.text, policy.person) == (ReactionKind.PASS, 'My name is Ada.', 'somebody')


def test_without_the_wake_word_nothing_is_passed_on_but_answers():
    config = SpeechConfig(transcriber='transformers:any', wake_word='hey lucca')
    policy = Policy(config)
    assert policy.react(commanded('build a tower'), 0.0).kind is ReactionKind.IGNORE
    assert policy.react(commanded('hey lucca'), 0.0).kind is ReactionKind.IGNORE
    assert policy.react(commanded('hey lucca build a tower'), 0.0).text == 'build a tower'
    policy.react(commanded('Hey Lucca, build a tower', 0.5), 1.0)
    assert policy.react(commanded('yes'), 2.0).text == 'build a tower'


@pytest.mark.parametrize('text', ['Hello robot, stop.', 'hello robot okay stop right there'])
def test_a_stop_after_the_wake_word_is_a_stop(text):
    policy = Policy(SpeechConfig(transcriber='transformers:any', wake_word='hello robot'))
    assert policy.react(heard(text, 0.25), 0.0).kind is ReactionKind.STOP


@pytest.mark.parametrize('text', ['Stop.', 'please stop now', 'HALT!', 'Whoa, stop!', 'Stop, I said.'])
def test_a_stop_and_nothing_else_stops_even_if_unsure_and_without_the_wake_word(text):
    policy = Policy(SpeechConfig(transcriber='transformers:any', wake_word='hello robot'))
    assert policy.react(heard(text, 0.25), 0.0).kind is ReactionKind.STOP
    assert policy.react(heard(text, 0.1), 0.0).kind is ReactionKind.IGNORE


def test_a_stop_ends_the_question_before_it(policy):
    policy.react(commanded('build a tower', 0.5), 0.0)
    assert policy.react(heard('Stop!'), 1.0).kind is ReactionKind.STOP
    assert policy.react(commanded('yes'), 2.0).kind is ReactionKind.IGNORE


def test_a_sentence_about_stopping_is_no_stop(policy):
    assert policy.react(heard('the bus stop is over there'), 0.0).kind is ReactionKind.PASS
