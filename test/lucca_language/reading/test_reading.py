"""Readings: every word has a part in the reading, or is named."""

import pytest

from lucca_core.yaml_file import load_yaml
from lucca_language.reading.reading import read
from lucca_language.words.idle_words import IDLE_WORDS_FILE


@pytest.mark.parametrize(
    'text',
    [
        'Put the cans in box 1 and every red object in the bowl.',
        'Please just put the cup in box 2.',
        'Give me the cup, then the banana.',
        'Put all toys into box 1 but leave the cubes.',
    ],
)
def test_a_sentence_is_understood_if_every_word_has_a_part(text: str) -> None:
    assert read(text).is_understood


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('put the apple in box 1 while whistling', {'whistling'}),
        ('put the fruit in box 1 unless it rains', {'rains'}),
        ('put cubes on the tower until it wobbles', {'wobbles'}),
        ('put most of the cubes in box 1', {'most'}),
        ('put the smallest cube in box 1', {'smallest'}),
        ('swap the apple and the pear', {'swap'}),
        ('put the wonderful cans in box 1', {'wonderful'}),
        ('put the cans in box 1 tomorrow', {'tomorrow'}),
        ('give me the zorp', {'zorp'}),
        ('grok the apple', {'grok'}),
        ('I am hungry', {'hungry'}),
    ],
)
def test_words_without_a_part_are_named(text: str, words: set[str]) -> None:
    reading = read(text)
    assert not reading.is_understood
    assert words <= set(reading.not_understood)


def test_a_word_that_names_an_object_here_is_known() -> None:
    assert read('give me the zorp', names=frozenset({'zorp'})).is_understood


def test_a_word_that_the_text_defines_is_known() -> None:
    assert read('A zorb is a red fruit. Put every zorb in box 1.').is_understood


def test_text_that_asks_for_nothing_is_not_understood() -> None:
    assert not read('').is_understood
    assert not read('please').is_understood


def test_the_words_that_change_nothing_are_few() -> None:
    lists = load_yaml(IDLE_WORDS_FILE)
    assert len({*lists['words'], *' '.join(lists['phrases']).split()}) <= 120


@pytest.mark.parametrize('text', ["What's in the box", "'s know 1", 'put the s in box 1', 's', 'take the red s'])
def test_a_letter_alone_is_read_as_a_word(text: str) -> None:
    assert read(text).program is not None


@pytest.mark.parametrize(
    'what',
    [
        'food storage containers',
        'pancake mix',
        'energy drinks',
        'protein shakes',
        'spreads',
        'dips and toppings',
        'dried fruit',
        'mixed nuts',
        'spice mixes',
        'art supplies',
    ],
)
def test_verbs_that_can_only_be_nouns_here_are_nouns(what: str) -> None:
    text = f'Put {what} in box 1 and apples in box 2.'
    targets = [(directive.kind, str(directive.target)) for directive in read(text).program.directives]
    assert targets == [('do', 'in box 1'), ('do', 'in box 2')]
    assert read(text).unread == ()


@pytest.mark.parametrize('text', ['Take the cup and wash it in box 1.', 'Put the cup in box 1, wash the mug.'])
def test_verbs_behind_a_joint_stay_verbs(text: str) -> None:
    assert read(text).program.directives[1].verb == 'wash'
