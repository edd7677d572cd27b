"""Plain requests: a small language, read against the words that are allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_llm.rules.utterances.plain_requests import LEAVE, PlainVocabulary, read_plain, settled

CUP, MUG, PEAR = 'cup', 'mug', 'pear'
WORDS = PlainVocabulary(
    {
        'the cup': frozenset({CUP}),
        'the mug': frozenset({MUG}),
        'the pear': frozenset({PEAR}),
        'all the dishes': frozenset({CUP, MUG}),
        'everything': frozenset({CUP, MUG, PEAR}),
    },
    ('in box 1', 'in box 10', 'on the tower'),
)


def settle(text):
    return ' '.join(item.text for item in settled(read_plain(text, WORDS), WORDS))


@pytest.mark.parametrize(
    'text',
    [
        'Give me the cup.',
        'Put the cup, the mug and the pear in box 10.',
        'Put everything except the cup on the tower. Give me the cup.',
        'Put all the dishes in box 1. Point at the pear.',
    ],
)
def test_what_is_allowed_is_read_as_it_stands(text):
    assert ' '.join(item.text for item in read_plain(text, WORDS)) == text == settle(text)


@pytest.mark.parametrize(
    'text',
    [
        '', 'Nothing.', 'Give me the giraffe.', 'Put the cup.', 'Put the cup in box 2.', 'Give me the cup',
        'give me the cup.',
        'Give me the cup except the mug.', 'Give me everything except the giraffe.', 'Give me the cup. Yes.',
        'Give me the cup.\x1b', 'Give me the cup. ' * 40, 'Give me cup.', 'Give me all the toys.',
        'Put the cup in box 1. Put the mug in box 1. Put the pear in box 1. Give me the cup. Give me the mug. '
        'Give me the pear. Point at the pear.',
    ],
)  # fmt: skip
def test_anything_else_is_nothing(text):
    assert read_plain(text, WORDS) == ()


@pytest.mark.parametrize(
    ('text', 'settled_'),
    [
        ('Leave the cup.', ''),
        ('Leave the cup. Give me the mug.', 'Give me the mug.'),
        ('Give me the cup. Leave the cup.', ''),
        ('Give me the cup and the mug. Leave the cup.', ''),
        ('Put everything in box 1. Leave the cup.', 'Put everything except the cup in box 1.'),
        ('Put all the dishes in box 1. Leave the mug.', 'Put all the dishes except the mug in box 1.'),
        ('Put the cup in box 1. Put the cup on the tower.', 'Put the cup on the tower.'),
        ('Put the cup and the mug in box 1. Give me the cup.', ''),
        ('Put all the dishes in box 1. Give me the cup.', ''),
        ('Put everything in box 1. Put everything on the tower.', ''),
        ('Give me the cup and the cup. Give me the cup.', 'Give me the cup.'),
    ],
)
def test_what_is_left_is_excepted_and_contradictions_are_nothing(text, settled_):
    assert settle(text) == settled_


PHRASES = st.lists(st.sampled_from([*WORDS.things]), min_size=1, max_size=3)
SENTENCES = st.builds(
    lambda verb, things, place: f'{verb} {" and ".join(things)}{place if verb == "Put" else ""}.',
    st.sampled_from(['Give me', 'Put', 'Leave', 'Point at']),
    PHRASES,
    st.sampled_from([' in box 1', ' on the tower']),
)


@given(st.lists(SENTENCES, min_size=1, max_size=5))
def test_nothing_is_done_twice_and_nothing_that_is_left(sentences):
    read = read_plain(' '.join(sentences), WORDS)
    done = [name for item in settled(read, WORDS) for name in item.objects(WORDS)]
    left = {name for item in read if item.verb == LEAVE for name in item.objects(WORDS)}
    assert len(done) == len(set(done))
    assert not left & set(done)
