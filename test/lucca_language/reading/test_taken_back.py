"""What somebody takes back, leaves undecided or tells by its place is not passed over."""

import pytest

from lucca_language.reading.reading import read
from lucca_language.words.self_corrections import takes_back

NAMES = frozenset({'cup', 'mug', 'pear', 'lunch'})


@pytest.mark.parametrize(
    ('text', 'word'),
    [
        ('Give me the cup, no, the mug.', 'no'),
        ('Give me the cup. No, the mug.', 'No'),
        ('Give me the cup, I mean the mug.', 'mean'),
        ('Put the cup in box 1, sorry, in box 2.', 'sorry'),
        ('Put the cup, or rather the mug, in box 1.', 'rather'),
        ('Put everything but one in box 1.', 'one'),
        ('Put all but two cubes in box 1.', 'two'),
        ('Put the object behind the cup in box 1.', 'behind'),
        ('Give me the cup after the mug is happy.', 'the mug is happy'),
        ('Put the leftmost cube in box 1.', 'leftmost'),
        ('Give me the cup after dinnertime.', 'dinnertime'),
        ('Put everything except the item in box 1.', 'except'),
        ('Put everything except the gizmoid mug in box 1.', 'gizmoid'),
    ],
)
def test_the_word_is_not_understood(text, word):
    assert word in read(text, names=NAMES).not_understood


@pytest.mark.parametrize(
    'text',
    [
        'Put the cup in box 1, not the mug.',
        'Put all but one of the cubes in box 1.',
        'Give me half of the cubes.',
        'Put the cubes in box 1 in alphabetical order.',
        'Give me either the cup or the mug.',
        'Put the mug in box 1, but first give me the cup.',
        'Put everything except the cup in box 1.',
    ],
)
def test_what_only_looks_like_it_is_understood(text):
    assert read(text, names=NAMES).is_understood, read(text, names=NAMES).not_understood


def test_taking_back_needs_something_else_after_it():
    assert takes_back('The cup, no, the mug')
    assert not takes_back('No, thank you.')
    assert not takes_back('There is no cup.')
