"""A grammar hears commands in any talk: it acts without a yes only while the robot is attentive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech_node.config import SpeechConfig
from speech_node.hearing.command_book import load_commands
from speech_node.hearing.reaction_policy import NOTHING, YES_OR_NO, ReactionKind, ReactionPolicy
from speech_node.interfaces import IntentKind, Transcript

BOOK = load_commands()
CONFIG = SpeechConfig(act_confidence=0.8, ask_confidence=0.4, answer_s=10.0, attention_s=60.0)
SENTENCES = sorted(BOOK.text_of(item) for item in BOOK.sentences)
LATE_S = 1.0
"""Time from the beginning of an utterance to the decision about it."""


class Robot:
    """A policy with the clock of a test."""

    def __init__(self, config=CONFIG):
        self.policy = ReactionPolicy(config)
        self.now_s = 0.0

    def hear(self, text, confidence=0.95, after_s=2.0):
        """The decision about an utterance that begins so long after the last decision."""
        start_s = self.now_s + after_s
        self.now_s = start_s + LATE_S
        heard = Transcript(text, confidence, 'en', 0.1, BOOK.intent_of(text) if text else None)
        return self.policy.react(heard, start_s, self.now_s, self.now_s)

    def confirm(self, text):
        """A command and a yes, after which the robot is attentive."""
        assert self.hear(text).kind is ReactionKind.ASK
        assert self.hear('yes').text == text


@pytest.fixture
def robot():
    return Robot()


@pytest.mark.parametrize('text', ['build a tower', 'cancel the tower', 'what are you doing', 'go on with the task'])
def test_a_sure_command_out_of_nothing_needs_a_yes(robot, text):
    reaction = robot.hear(text, 1.0)
    assert (reaction.kind, reaction.text) == (ReactionKind.ASK, f'Did you mean: {text}?')
    reaction = robot.hear('yes')
    assert (reaction.kind, reaction.text) == (ReactionKind.PASS, text)


def test_after_a_yes_commands_act_and_each_renews_it(robot):
    robot.confirm('build a tower')
    for _ in range(4):
        assert robot.hear('fill the bowl', after_s=59.0).kind is ReactionKind.PASS
    assert robot.hear('fill the bowl', after_s=61.0).kind is ReactionKind.ASK


@pytest.mark.parametrize(
    ('text', 'confidence'), [('', 0.0), ('fill the bowl', 0.5), ('fill the bowl', 0.1), ('no', 0.9), ('yes', 0.9)]
)
def test_anything_but_a_sure_command_ends_it(robot, text, confidence):
    robot.confirm('build a tower')
    assert robot.hear(text, confidence).kind is not ReactionKind.PASS
    assert robot.hear('sort the objects', 1.0).kind is ReactionKind.ASK


def test_a_stop_is_never_asked_about_and_ends_it(robot):
    assert robot.hear('Stop.').kind is ReactionKind.STOP
    robot.confirm('build a tower')
    assert robot.hear('Stop!').kind is ReactionKind.STOP
    assert robot.hear('build a tower').kind is ReactionKind.ASK


def test_a_stop_word_that_no_transcript_has_ends_it_and_drops_the_question(robot):
    robot.confirm('build a tower')
    robot.policy.forget_before(robot.now_s)
    assert robot.hear('fill the bowl').kind is ReactionKind.ASK
    robot.policy.forget_before(robot.now_s)
    assert robot.hear('yes').kind is ReactionKind.IGNORE


def test_a_command_that_began_before_a_stop_word_leads_to_nothing(robot):
    robot.policy.forget_before(5.0)
    assert robot.hear('build a tower', after_s=4.0).kind is ReactionKind.IGNORE
    assert robot.hear('yes').kind is ReactionKind.IGNORE
    robot.policy.forget_before(4.0)
    assert robot.hear('Stop.', after_s=-5.0).kind is ReactionKind.STOP
    assert robot.hear('build a tower').kind is ReactionKind.ASK


def test_what_was_said_while_the_yes_was_heard_is_asked_about(robot):
    robot.confirm('build a tower')
    assert robot.hear('fill the bowl', after_s=-0.5).kind is ReactionKind.ASK


def test_of_two_commands_at_once_the_second_does_not_end_attention(robot):
    robot.confirm('build a tower')
    assert robot.hear('fill the bowl').kind is ReactionKind.PASS
    assert robot.hear('sort the objects', after_s=-0.5).kind is ReactionKind.PASS


def test_a_no_leaves_everything_as_it_is(robot):
    robot.hear('build a tower')
    assert robot.hear('no').text == NOTHING
    assert robot.hear('yes').kind is ReactionKind.IGNORE
    assert robot.hear('build a tower').kind is ReactionKind.ASK


def test_an_unsure_yes_is_asked_for_again(robot):
    robot.hear('build a tower')
    assert robot.hear('yes', 0.6).text == YES_OR_NO
    assert robot.hear('yes', 0.6).text == 'build a tower'
    assert robot.hear('fill the bowl').kind is ReactionKind.PASS


def test_a_yes_that_began_before_the_question_is_no_answer_to_it(robot):
    robot.hear('build a tower')
    assert robot.hear('yes', after_s=-0.5).kind is ReactionKind.IGNORE
    assert robot.hear('yes', after_s=0.5).text == 'build a tower'


def test_a_no_counts_whenever_it_began(robot):
    robot.hear('build a tower')
    robot.hear('no', after_s=-0.5)
    assert robot.hear('yes', after_s=0.5).kind is ReactionKind.IGNORE


def test_a_yes_that_began_before_the_second_question_is_no_answer_to_it(robot):
    robot.hear('build a tower')
    assert robot.hear('yes', 0.6).text == YES_OR_NO
    assert robot.hear('yes', 0.6, after_s=-0.5).kind is ReactionKind.IGNORE
    assert robot.hear('yes', 0.6).text == 'build a tower'


def test_the_wake_word_takes_the_place_of_a_yes():
    robot = Robot(SpeechConfig(wake_word='hello robot'))
    assert robot.hear('build a tower').kind is ReactionKind.IGNORE
    assert robot.hear('hello robot build a tower').text == 'build a tower'


def test_without_any_attention_every_command_needs_a_yes():
    robot = Robot(SpeechConfig(attention_s=0.0))
    for after_s in (2.0, 0.0, -0.1):
        assert robot.hear('build a tower', after_s=after_s).kind is ReactionKind.ASK
        assert robot.hear('yes').text == 'build a tower'


@pytest.mark.parametrize('text', ["don't do that", 'not now', 'no, wait', 'yeah, no', 'Yes, but no'])
def test_a_refusal_in_free_speech_that_began_before_the_question_is_no_command(text):
    robot = Robot(SpeechConfig(transcriber='faster-whisper:tiny.en'))
    assert robot.hear('build a tower', 0.5).kind is ReactionKind.ASK
    reaction = robot.policy.react(
        Transcript(text, 0.99, 'en', 0.1, None), robot.now_s - 0.5, robot.now_s + 1.0, robot.now_s + 1.0
    )
    assert (reaction.kind, reaction.text) == (ReactionKind.SAY, NOTHING)


@pytest.fixture
def whisper():
    return Robot(SpeechConfig(transcriber='faster-whisper:tiny.en'))


REQUESTS = [
    'build a tower',
    'cancel the tower',
    'Could you put the apple and the pear into box 1, please?',
    'Fruit belongs in box 1.',
    'It is late. Give me the pear.',
    'First move the cube to box 2 and then place the can inside the bowl!',
    'Sorting.',
    'And the pear.',
    "No, I didn't mean the pear.",
    'Of course.',
]
TALK = [
    *('what are you doing', 'My sister lives in Graz.', 'Did Ben build a tower?', 'Never touch the cup.'),
    *('Hello there!', 'Thanks a lot.', 'I like tea.'),
]


@pytest.mark.parametrize('text', REQUESTS)
def test_a_request_in_free_speech_out_of_nothing_needs_a_yes(whisper, text):
    assert whisper.hear(text).kind is ReactionKind.ASK
    assert (reaction := whisper.hear('yes')).kind is ReactionKind.PASS
    assert reaction.text == text
    assert whisper.hear('fill the bowl').kind is ReactionKind.PASS


@pytest.mark.parametrize('text', TALK)
def test_talk_in_free_speech_is_passed_on_and_changes_nothing_about_attention(whisper, text):
    assert whisper.hear(text).kind is ReactionKind.PASS
    assert whisper.hear('fill the bowl').kind is ReactionKind.ASK
    assert whisper.hear('yes').text == 'fill the bowl'
    assert whisper.hear(text, after_s=30.0).kind is ReactionKind.PASS
    assert whisper.hear('fill the bowl', after_s=20.0).kind is ReactionKind.PASS
    assert whisper.hear(text, after_s=50.0).kind is ReactionKind.PASS
    assert whisper.hear('fill the bowl', after_s=20.0).kind is ReactionKind.ASK


@pytest.mark.parametrize('text', REQUESTS)
def test_a_request_in_free_speech_that_began_before_a_stop_word_leads_to_nothing(whisper, text):
    whisper.confirm('fill the bowl')
    whisper.policy.forget_before(whisper.now_s + 5.0)
    assert whisper.hear(text, after_s=4.0).kind is ReactionKind.IGNORE


QUESTION = 'I see two cubes. Shall I put the red cube in box 1?'


@pytest.mark.parametrize('transcriber', ['pocketsphinx', 'faster-whisper:tiny.en'])
class TestQuestionsInConversation:
    """A question of the coordinator, such as `Shall I …?`, can be answered by voice."""

    def asked(self, transcriber, text=QUESTION):
        robot = Robot(SpeechConfig(transcriber=transcriber))
        robot.policy.ask_in_conversation(text, 0.0)
        return robot

    @pytest.mark.parametrize('answer', ['yes', 'no'])
    def test_a_yes_and_a_no_are_passed_on_once(self, transcriber, answer):
        robot = self.asked(transcriber)
        reaction = robot.hear(answer)
        assert (reaction.kind, reaction.text) == (ReactionKind.PASS, answer)
        assert robot.hear(answer).kind is ReactionKind.IGNORE

    @pytest.mark.parametrize(
        'text',
        [
            'Do you mean the pear?',
            'I did not understand “soon”. Shall I put the cup in box 1 and leave the rest out?',
            'Then nothing is left, shall I stop?',
            'You may mean the can. Isn’t it that one?',
        ],
    )
    def test_what_a_yes_answers_is_a_question(self, transcriber, text):
        assert self.asked(transcriber, text).hear('yes').kind is ReactionKind.PASS

    def test_an_unsure_yes_is_asked_for_again(self, transcriber):
        robot = self.asked(transcriber)
        assert robot.hear('yes', 0.7).text == YES_OR_NO
        assert robot.hear('yes', 0.95).text == 'yes'

    def test_a_yes_that_began_before_it_or_too_late_is_none(self, transcriber):
        robot = self.asked(transcriber)
        assert robot.hear('yes', after_s=-0.5).kind is ReactionKind.IGNORE
        assert robot.hear('yes', after_s=60.0).kind is ReactionKind.IGNORE

    def test_the_time_in_which_it_is_spoken_does_not_count(self, transcriber):
        robot = self.asked(transcriber, f'Shall I {"word " * 40}?')
        assert robot.hear('yes', after_s=25.0).kind is ReactionKind.PASS

    @pytest.mark.parametrize(
        'text', ['I have finished.', 'Hello, Ana. How are you today?', 'Shall I? No.', 'Which cube do you mean?']
    )
    def test_a_text_that_no_yes_answers_opens_nothing(self, transcriber, text):
        robot = self.asked(transcriber, text)
        assert robot.hear('yes').kind is ReactionKind.IGNORE

    def test_a_stop_word_closes_it_and_none_before_it_does(self, transcriber):
        robot = self.asked(transcriber)
        robot.policy.forget_before(0.5)
        assert robot.hear('yes').kind is ReactionKind.IGNORE
        robot.policy.ask_in_conversation(QUESTION, robot.now_s)
        robot.policy.forget_before(0.4)
        assert robot.hear('yes').kind is ReactionKind.PASS

    def test_an_older_one_and_the_own_words_replace_no_open_question(self, transcriber):
        robot = Robot(SpeechConfig(transcriber=transcriber))
        asked = robot.hear('build a tower')
        robot.policy.ask_in_conversation(QUESTION, robot.now_s - 0.5)
        robot.policy.ask_in_conversation(asked.text, robot.now_s + 0.1)
        assert robot.hear('yes').text == 'build a tower'

    def test_a_later_one_takes_the_place_of_an_open_question_and_its_yes_moves_nothing_else(self, transcriber):
        robot = Robot(SpeechConfig(transcriber=transcriber))
        robot.hear('build a tower')
        robot.policy.ask_in_conversation(QUESTION, robot.now_s + 0.5)
        assert robot.hear('yes').text == 'yes'
        assert robot.hear('yes').kind is ReactionKind.IGNORE

    def test_long_talk_that_is_not_understood_closes_it_without_a_word(self, transcriber):
        robot = self.asked(transcriber)
        assert robot.policy.react(Transcript('', 0.0), 1.0, 4.0, 4.0).kind is ReactionKind.IGNORE
        assert robot.hear('yes', after_s=5.0).kind is ReactionKind.IGNORE

    def test_it_does_not_make_the_robot_attentive_until_it_is_answered(self, transcriber):
        robot = self.asked(transcriber)
        assert robot.hear('fill the bowl').kind is ReactionKind.ASK
        robot = self.asked(transcriber)
        robot.hear('yes')
        assert robot.hear('fill the bowl').kind is ReactionKind.PASS


@pytest.mark.parametrize(
    ('attentive', 'confidence', 'passed'), [(True, 0.97, 'No, the pear'), (True, 0.6, 'no'), (False, 0.97, 'no')]
)
def test_of_a_correction_only_a_sure_one_to_an_attentive_robot_is_passed_on(whisper, attentive, confidence, passed):
    if attentive:
        whisper.confirm('put the red cube in box 1')
    whisper.policy.ask_in_conversation(QUESTION, whisper.now_s)
    reaction = whisper.hear('No, the pear', confidence)
    assert (reaction.kind, reaction.text) == (ReactionKind.PASS, passed)


@given(
    st.lists(
        st.tuples(st.sampled_from([*SENTENCES, 'yes', 'yes', 'no', '']), st.floats(0, 1), st.floats(-2, 90)),
        max_size=40,
    )
)
def test_no_command_is_passed_on_without_a_yes_or_within_attention(said):
    robot = Robot()
    asked, asked_s, attentive_s, attentive_until_s, yeses = '', 0.0, 0.0, -1.0, []
    for text, confidence, after_s in said:
        start_s = robot.now_s + after_s
        reaction = robot.hear(text, confidence, after_s)
        kind = BOOK.intent_of(text).kind if text else None
        if reaction.kind is ReactionKind.PASS and kind is IntentKind.YES:
            assert reaction.text == asked
            assert asked_s <= start_s
            yeses.append(confidence)
            assert max(yeses) >= 0.5
            assert len(yeses) == 2 or confidence >= CONFIG.act_confidence
        elif reaction.kind is ReactionKind.PASS:
            assert reaction.text == text
            assert attentive_s < start_s <= attentive_until_s
            assert confidence >= CONFIG.act_confidence
        elif reaction.text == YES_OR_NO:
            yeses.append(confidence)
            asked_s = robot.now_s
        if reaction.kind is ReactionKind.ASK:
            asked, asked_s, yeses = text, robot.now_s, []
        if reaction.kind is ReactionKind.PASS and not attentive_s < start_s <= attentive_until_s:
            attentive_s = robot.now_s
        attentive_until_s = robot.now_s + 60.0 if reaction.kind is ReactionKind.PASS else -1.0
