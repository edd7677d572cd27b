"""What people say with hesitations and typing mistakes, said to the stack."""

import pytest

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.outcomes import End, SentenceOutcome
from lucca_lab.understanding.stack import stack_on_table

OBJECTS = (
    *('apple (red)', 'banana (yellow)', 'cup (blue)', 'mug (white)', 'red cube', 'blue cube', 'green cube'),
    *('yellow ball', 'can (red)', 'hammer'),
)


def said(*texts: str) -> list[SentenceOutcome]:
    with stack_on_table(sample_objects(list(OBJECTS)), ('box 1', 'box 2', 'bowl', 'tower', USERS_SIDE)) as robot:
        return [robot.say(text, 'Ana') for text in texts]


@pytest.mark.parametrize(
    ('text', 'deeds'),
    [
        ('um put the uh the hammer in um box two', ['<move_to_box_2(hammer)>']),
        ('so uh could you could you give me the ap apple please', ['<give(apple)>']),
        ('point at, uh, the the yellow ball pleeease', ['<point(yellow ball)>']),
        ('the mug er goes into into the bowl, you know, please', ['<place_in_bowl(mug)>']),
    ],
)
def test_a_request_with_disfluencies_is_done(text: str, deeds: list[str]) -> None:
    [outcome] = said(text)
    assert list(outcome.performed) == deeds


@pytest.mark.parametrize(
    'text', ['give me the cup, uh, the mug', 'put the can in box 1 um box 2', 'stack the red uh blue cube']
)
def test_what_may_be_a_correction_moves_nothing(text: str) -> None:
    [outcome] = said(text)
    assert (outcome.end, outcome.performed) in ((End.ASKED, ()), (End.REFUSED, ()))


def test_what_is_remembered_is_what_was_said() -> None:
    [outcome] = said('um remember that the key is in the the um drawer')
    assert 'the key is in the the um drawer' in outcome.said


def test_a_yes_with_a_hesitation_is_a_yes() -> None:
    asked, done = said('put the cup in box 1 until it wobbles', 'um, yes')
    assert (asked.end, asked.performed) == (End.ASKED, ())
    assert done.performed == ('<move_to_box_1(cup)>',)
