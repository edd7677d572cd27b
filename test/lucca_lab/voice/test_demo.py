"""How the person of the spoken demo makes itself understood."""

import pytest

from lucca_cli.output import Output
from lucca_core.errors import StackError
from lucca_lab.voice.acoustics import AcousticRoom
from lucca_lab.voice.demo import MOST_TRIES, QUESTION, Person, Spoken, TranscriptLine
from lucca_lab.voice.trials import VOICES
from speech_node.hearing.reaction_policy import NOTHING, YES_OR_NO

SORT = Spoken('sort the objects', VOICES[0], 140, 20.0)


class Still(AcousticRoom):
    """A room without sound; it notes from when on it was waited for the robot."""

    def __init__(self):
        self.since = []

    def wait_for_quiet(self, quiet_s, timeout_s, *, answered_since_s=None):
        self.since.append(answered_since_s)


class Talker(Person):
    """Says what it would say, and gets the answers of the test."""

    def __init__(self, *answers):
        super().__init__(Output(), seed=0)
        self.answers = list(answers)
        self.said = []

    def _say(self, spoken, room):
        self.said.append((spoken.text, spoken.voice))

    def _answer(self):
        return self.answers.pop(0) if self.answers else None


def robot(text):
    return TranscriptLine(1.0, 'robot', text)


def heard(text):
    return TranscriptLine(1.0, 'heard', text)


def texts(talker):
    return [text for text, _ in talker.said]


def test_what_is_understood_is_said_once():
    talker = Talker(heard('sort the objects'))
    talker._command(SORT, Still())
    assert talker.said == [('sort the objects', VOICES[0])]


def test_a_question_is_answered_by_whether_it_is_what_was_meant():
    right = Talker(robot(f'{QUESTION}sort the objects?'), heard('sort the objects'))
    right._command(SORT, Still())
    assert texts(right) == ['sort the objects', 'yes']
    wrong = Talker(robot(f'{QUESTION}build a tower?'), robot(NOTHING), heard('sort the objects'))
    wrong._command(SORT, Still())
    assert texts(wrong) == ['sort the objects', 'no', 'sort the objects']


def test_a_yes_is_said_again_when_the_robot_asks_for_it():
    talker = Talker(robot(f'{QUESTION}sort the objects?'), robot(YES_OR_NO), heard('sort the objects'))
    room = Still()
    talker._command(SORT, room)
    assert texts(talker) == ['sort the objects', 'yes', 'yes']
    assert [since is not None for since in room.since] == [False, True, True], 'a question is heard to its end'


def test_who_gets_no_answer_leaves_it_to_another_voice():
    talker = Talker(None, heard('sort the objects'))
    talker._command(SORT, Still())
    assert talker.said == [('sort the objects', VOICES[0]), ('sort the objects', VOICES[1])]


def test_what_was_misunderstood_is_said_again_and_counted():
    talker = Talker(heard('build a tower'), heard('sort the objects'))
    talker._command(SORT, Still())
    assert texts(talker) == ['sort the objects', 'sort the objects']
    assert talker.misunderstood == 1


def test_what_is_never_understood_ends_the_demo():
    talker = Talker()
    with pytest.raises(StackError, match='not understood'):
        talker._command(SORT, Still())
    assert len(talker.said) == MOST_TRIES
