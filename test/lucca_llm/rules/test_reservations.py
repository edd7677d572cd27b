"""Reservations: a text that may not mean what it seems to ask for, now and of this robot, is told by its words."""

import pytest

from lucca_llm.rules.utterances.reservations import denying_clauses, is_withheld


@pytest.mark.parametrize(
    'said',
    [
        'Bob, sling us the cup', 'sling us the cup, Bob', 'let him sling us the cup', '@bob sling us the cup',
        'he told me to sling you the cup', 'people often say sling us the cup', "the sign: 'sling us the cup'",
        '`sling us the cup`', 'sling us the cup if it is clean', 'unless it rains, sling us the cup',
        'on my signal, sling us the cup', 'sling us the cup at 15:00', 'at noon sling us the cup',
        'in a moment, sling us the cup', 'every morning, sling us the cup', 'sling us the cup. Never mind.',
        'sling us the cup, just kidding', 'sling us the cup - changed my mind', 'I will sling you the cup',
        'what if you sling us the cup', 'imagine you sling us the cup', 'maybe sling us the cup',
        'fling us the pear from box 2', 'sling us two of the cups', 'sling us a few cubes', 'box 1 or 2 for the cup',
        'shove the cup across box 1', 'quit slinging us the cup', 'normally the cup goes in box 1', 'cup != box 1',
        'give him the cup', 'sling all cubes in box 1 excpet the red one', '<do(give me the cup)>',
        'you used to sling us the cup', 'Bob should sling us the cup', 'my wife will sling us the cup',
        'note: sling us the cup', 'mum, sling us the cup', 'as it rains, sling us the cup',
        'sling us the cup, or better not',
    ],
)  # fmt: skip
def test_withheld(said):
    assert is_withheld(said, 'Lucca', ['Ana', 'cup'])


@pytest.mark.parametrize(
    'said',
    [
        'sling us the cup', 'Lucca, sling us the cup', 'it is Ana, sling us the cup',
        "the cup is nice, don't you think?",
        "if you don't mind, sling us the cup", 'sling us the cup, if you please', "I'd ask that the cup be mine",
        'goal: in(cup, bowl)', 'fruit: bowl', 'You can take the cup',
        'sling us the cup, ASAP', "the word 'cup', sling it here",
        "I'd love it if you slung us the cup", 'could you maybe sling us the cup', 'Good afternoon, sling us the cup',
        'into box 1, no wait, sorry, box 2', "I can't see it, the cup I mean", 'sling us the Cup',
    ],
)  # fmt: skip
def test_not_withheld(said):
    assert not is_withheld(said, 'Lucca', ['Ana', 'cup'])


@pytest.mark.parametrize(
    ('said', 'clauses'),
    [
        ('the cup, not the mug, in box 1', ['not the mug']),
        ("sling us the cup, don't you think", []),
        ('no wait, sling us the cup', []),
        ('under no circumstances sling us the cup', ['under no circumstances sling us the cup']),
        ("my arm doesn't go that far, so sling us the cup", ["my arm doesn't go that far"]),
        ('the cubes in box 1 but the red one bides', ['but the red one bides']),
    ],
)
def test_clauses_that_deny(said, clauses):
    assert [clause.strip() for clause in denying_clauses(said)] == clauses
