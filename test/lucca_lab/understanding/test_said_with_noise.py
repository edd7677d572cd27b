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


@pytest.mark.parametrize(
    ('text', 'question', 'deeds'),
    [
        (
            'stak the cubse on teh towre',
            'I do not know the words “stak”, “cubse” and “towre”. Shall I do it: “stack the cubes on the tower”?',
            {'<put_on_tower(red cube)>', '<put_on_tower(blue cube)>', '<put_on_tower(green cube)>'},
        ),
        (
            'bannana adn mug into box1',
            'I do not know the word “bannana”. Shall I do it: “banana and mug into box 1”?',
            {'<move_to_box_1(banana)>', '<move_to_box_1(mug)>'},
        ),
        (
            'cna you give me the hamer?',
            'I do not know the words “cna” and “hamer”. Shall I do it: “give me the hammer”?',
            {'<give(hammer)>'},
        ),
    ],
)
def test_a_typing_mistake_is_asked_about_and_a_yes_does_what_was_asked(
    text: str, question: str, deeds: set[str]
) -> None:
    asked, done = said(text, 'yes')
    assert (asked.end, asked.performed, asked.said) == (End.ASKED, (), question)
    assert set(done.performed) == deeds


def test_a_mistyped_article_needs_no_question() -> None:
    [done] = said('put teh cup in box 1 pleas')
    assert done.performed == ('<move_to_box_1(cup)>',)


@pytest.mark.parametrize(
    'text',
    [
        'do nto touch the cup',
        'dont tuch the cup',
        'put all cubes excpet the red one in box 1',
        'put the cups in box 1 unles they are blue',
        'put the cubes in box 1 unlss tey are red',
        'put teh wug in box 1',
        'the gren cueb is nice',
        'I said piont at teh yelow bal yesterday',
    ],
)
def test_no_typing_mistake_moves_something(text: str) -> None:
    first, second = said(text, 'yes')
    assert (first.performed, second.performed) == ((), ())
