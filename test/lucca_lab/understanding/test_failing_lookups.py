"""The memory of people stops answering in the middle of a turn: the robot says so, and moves nothing."""

import pytest

from lucca_core.errors import StackError
from lucca_core.protocol.people import MeetRequest, RecallRequest
from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.stack import stack_on_table

PLACES = ('box 1', 'box 2', 'bowl', USERS_SIDE)
OBJECTS = ('apple (red)', 'pear (green)', 'red cube', 'blue cube', 'green cube')


def hangs(request):
    """Whether it is a lookup of the turn, and not the recall before it."""
    return isinstance(request, RecallRequest) and bool(request.kinds)


def never(request):
    return isinstance(request, MeetRequest | RecallRequest)


def said(*texts, failing=hangs):
    """What comes of the last text, for which requests of one kind are not answered in time."""
    with stack_on_table(sample_objects(OBJECTS), PLACES) as robot:
        for text in texts[:-1]:
            robot.say(text, 'Ana')
        ask = robot._people._ask

        def asked(request):
            if failing(request):
                raise StackError('memory/recall gave no answer within 8 s')
            return ask(request)

        robot._people._ask = asked
        return robot.say(texts[-1], 'Ana')


@pytest.mark.parametrize('failing', [hangs, never])
@pytest.mark.parametrize(
    'texts',
    [
        ("give me Mira's cube",),
        ('the blue cube belongs to Mira', "give me Mira's cube"),
        ('the blue cube belongs to Mira', 'the blue cube belongs to Ben', "give me Mira's cube"),
        ("Mira's cube is the red one", "put all the cubes except Mira's into box 1"),
    ],
)
def test_whose_a_thing_is_cannot_be_looked_up(texts, failing):
    last = said(*texts, failing=failing)
    assert not last.performed
    assert 'I cannot look up now whose' in last.said, last


def test_my_thing_among_several_is_asked_about_or_left():
    for failing, told in ((hangs, 'I cannot look up now whose'), (never, 'Which one do you mean')):
        last = said('the red cube is mine', 'give me my cube', failing=failing)
        assert told in last.said
        assert not last.performed


def test_nothing_is_said_to_be_forgotten_or_unknown_if_it_could_not_be_looked_up():
    last = said('My flat is in Bonn.', 'forget that my flat is in Bonn')
    assert 'I cannot look that up now. Please ask me again later' in last.said


def test_what_was_looked_up_halfway_moves_nothing():
    """The first lookup is answered; the second, whether somebody said later that it is another's, is not."""
    asked = []

    def second(request):
        if hangs(request):
            asked.append(request.query)
        return len(asked) > 1

    last = said('the blue cube belongs to Mira', "give me Mira's cube", failing=second)
    assert asked[:2] == ['Mira cube', 'the blue cube']
    assert not last.performed
    assert 'I cannot look up now whose' in last.said


@pytest.mark.parametrize('failing', [hangs, never])
@pytest.mark.parametrize('question', ['whose is the blue cube?', 'where does my aunt live?'])
def test_a_question_is_not_answered_as_if_nobody_had_told(question, failing):
    last = said('the blue cube belongs to Mira', question, failing=failing)
    assert 'I cannot look that up now' in last.said, last


def test_things_are_not_put_away_by_half_of_what_was_told():
    told = ('I always put the apple in box 1.', 'I always put the red cube in box 2.')
    last = said(*told, 'tidy up the way I always do', failing=hangs)
    assert not last.performed
    assert 'look up now' in last.said, last
