"""What is said instead of what was just said is suggested as the request that it leaves."""

import pytest
from conversation import ask

TABLE = (
    'Objects on the table: apple (red), banana (yellow), cup (blue), mug, can, red cube, blue cube\n'
    'In box 1: none\nIn box 2: none\nIn bowl: none\nIn tower: none'
)


@pytest.mark.parametrize(
    ('text', 'request_'),
    [
        ('Put the apple in box 1. No wait, box 2.', 'put the apple in box 2'),
        ('put the apple in box 1 or rather in the bowl', 'put the apple in the bowl'),
        ('put the apple and the cup in box 1, I mean box 2', 'put the apple and the cup in box 2'),
        ('Give me the cup, sorry, I meant the mug.', 'give the mug to me'),
        ('Give me the cup, no, put it in box 1', 'put the cup in box 1'),
        ('Point at the can, or rather, just give it to me.', 'give the can to me'),
        ('put all cubes in box 1, no, just the red cube', 'put the red cube in box 1'),
    ],
)
def test_a_repair_leaves_one_request(text: str, request_: str) -> None:
    assert ask(text, table=TABLE).endswith(f' Shall I do it: “{request_}”?)>')


@pytest.mark.parametrize(
    'text',
    [
        "Put the red cube in box 1, no, don't.",
        'Put the red cube in box 1, actually leave it.',
        'Put the apple in box 1. Actually, never mind.',
        'Put the apple in box 1, no wait, the banana in box 2.',
        'Stack the cubes, no wait, only the red one.',
        'Put the apple in box 1 and the cup in box 2, no, the bowl.',
        'put the cup with no lid in box 1',
    ],
)
def test_what_may_take_back_more_or_less_is_not_suggested(text: str) -> None:
    assert 'Shall I do it' not in ask(text, table=TABLE)


@pytest.mark.parametrize('text', ["Give me the cup, I can't wait.", 'Put the cup in box 1 and wait.'])
def test_not_every_wait_takes_back_what_was_asked(text: str) -> None:
    assert 'you still want it' not in ask(text, table=TABLE)
