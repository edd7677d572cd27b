"""Typing mistakes: what is corrected, and what is never guessed."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_language.words.english import is_english
from lucca_language.words.function_words import RESTRICTIONS
from lucca_language.words.mistypings import autocorrected, corrections, may_deny, slips
from lucca_language.words.morphology import NUMBER_WORDS

NAMES = ('apple', 'banana', 'cup', 'can', 'red cube', 'green cube', 'yellow ball', 'hammer', 'box 1', 'box 2', 'tower')


@pytest.mark.parametrize(
    ('typed', 'meant'),
    [
        ('stak all the cubse on the towre', 'stack all the cubes on the tower'),
        ('piont at the yelow bal', 'point at the yellow ball'),
        ('Giv me the gren cueb', 'Give me the green cube'),
        ('put the cu in bx 2', 'put the cup in box 2'),
        ('can you briing me the hamer', 'can you bring me the hammer'),
        ('pput the cupp on the red xube', 'put the cup on the red cube'),
    ],
)
def test_slips_are_corrected_to_words_known_here(typed: str, meant: str) -> None:
    assert corrections(typed, NAMES) == [meant]


@pytest.mark.parametrize(
    'typed',
    [
        'put the cat in box 1',
        'put the hat on the tower',
        'put the cute cube in box 1',
        'she met the hammer',
        'give me the bannana and the wug',
        'do nto touch the banana',
        'put all cubes excpet the gren one in box 1',
        'give me teo cups',
        'give me thre cubes',
        'stpo the tower',
        'give Bananna the cup',
        'put the cup in box 1',
    ],
)
def test_words_of_english_numbers_denials_and_names_are_never_corrected(typed: str) -> None:
    assert corrections(typed, NAMES) == []


def test_words_that_mean_no_object_are_corrected_without_a_question() -> None:
    assert (
        autocorrected('put teh cup adn hte can wiht the ball, pleas') == 'put the cup and the can with the ball, please'
    )
    assert autocorrected('form the tower, Teh') == 'form the tower, Teh'


def test_slips_are_the_words_that_are_no_words() -> None:
    assert slips('stak the kiwis, Bob, in bxo 1', NAMES) == ['stak', 'bxo']


@pytest.mark.parametrize(('word', 'denies'), [('nto', True), ('excpet', True), ('onyl', True), ('nut', False)])
def test_what_may_be_a_denial_is_told(word: str, denies: bool) -> None:
    assert may_deny(word) is denies


@pytest.mark.parametrize('word', ['cute', 'met', 'wore', 'shyly', 'kinder', 'dances', 'dancing', 'kiwis'])
def test_forms_of_words_are_english(word: str) -> None:
    assert is_english(word)


@given(
    st.lists(
        st.sampled_from(
            ['put', 'teh', 'stak', 'nto', 'cueb', 'tow', 'thre', 'not', 'the', 'no', 'two', 'onyl', '1', 'in']
        ),
        max_size=8,
    ).map(' '.join)
)
@settings(deadline=None, max_examples=300)
def test_corrections_keep_denials_and_numbers(typed: str) -> None:
    kept = RESTRICTIONS | NUMBER_WORDS.keys()
    for text in corrections(typed, NAMES):
        said, meant = (
            [word for word in re.findall(r'\w+', each) if word in kept or word.isdigit()] for each in (typed, text)
        )
        assert said == meant
        assert len(text.split()) == len(typed.split())
        assert corrections(text, NAMES) == []
