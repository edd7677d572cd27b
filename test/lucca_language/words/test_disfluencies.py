"""Disfluencies: what is left out of a text, and what stays because it may be meant."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_language.reading.reading import read
from lucca_language.words import disfluencies
from lucca_language.words.disfluencies import fluent
from lucca_language.words.hesitations import hesitations

DESCRIPTIONS = yaml.safe_load(
    (Path(__file__).parents[2] / 'lucca_llm' / 'rules' / 'descriptions.yaml').read_text(encoding='utf-8')
)
CLEAN = sorted(text for texts in DESCRIPTIONS.values() for text in texts)
HESITATIONS = ('um', 'uh', 'er', 'erm', 'hmm', 'mm', 'Umm', 'uhm')
SPOKEN = [
    *('um', 'uh', 'the', 'a', 'cup', 'cups', 'red', 'box', '1', 'two', 'put', 'give', 'me', 'in', 'on', 'can', 'you'),
    *('know', 'like', 'and', 'no', 'not', 'stop', 'ban', 'banana', 'pleeease', 'sooo', 'I', 'mean', 'that', 'is', 'it'),
    *(',', '...', '.', '?', '–', "what's", 'called', 'thing', 'mug', 'very', 'Um', 'hmm', 'AAA'),
]


@pytest.mark.parametrize(
    ('said', 'read_as'),
    [
        ('um can you uh put the the apple in uh box one', 'can you put the apple in box one'),
        ('okay so uh hand me hand me the mug please', 'okay so hand me the mug please'),
        (
            'hey uh robot like could you um stack the the blue block and uh the green block',
            'hey robot could you stack the blue block and the green block',
        ),
        ('all the um all the cubes in box two please', 'all the cubes in box two please'),
        ("put the ban banana into the uh what's it called the round thing the bowl", 'put the banana into the bowl'),
        ('Put the ba- banana in the, the bowl.', 'Put the banana in the bowl.'),
        (
            'Put the cup, um, in box 1, and, uh, the mug, you know, in box 2.',
            'Put the cup in box 1, and the mug in box 2.',
        ),
        ('Um. Put um, the cup in the... uh... bowl.', 'Put the cup in the bowl.'),
        ("I'd like uh the mug, erm.", "I'd like the mug."),
        ('can I have the banana pleeeease', 'can I have the banana please'),
        ('Sooo put the red uh cube in box uh 1', 'So put the red cube in box 1'),
        ('can can you give me the can', 'can you give me the can'),
    ],
)
def test_what_is_said_while_looking_for_words_is_left_out(said: str, read_as: str) -> None:
    assert fluent(said) == read_as


@pytest.mark.parametrize(
    'said',
    [
        'give me the cup, uh, the mug',
        'put the cup uh the mug in box 1',
        'put it in uh on the tower',
        'put the red um blue cube in box 1',
        'put the cup in uh put the mug in box 1',
        'put it in box one uh two',
        'put the others uh the cups in box 1',
    ],
)
def test_what_may_be_a_correction_stays_and_is_asked_about(said: str) -> None:
    assert fluent(said) == said
    assert not read(said).is_understood


@pytest.mark.parametrize(
    'said',
    [
        'put the cup, no wait, the mug in box 1',
        'the cup, I mean the mug',
        'sorry, the mug',
        'stop stop stop',
        'give me a cup give me a cup',
        'put the cup on the cup on the tray',
        'put the cup in box 1, box 1',
        'a box 1 1',
        'I think that that cup is very very nice',
        'the box that it is in in the kitchen',
        'the other can can go into the box',
        'ban bananas from the bowl',
        'a 5 mm screw',
        'put the AAA batteries in box 1',
        'my name is Um',
        'she said “um the the cup”',
        'no no the cup',
        'uh huh',
        'um',
        'do you know the cup',
        'I like the cup',
        "what's it called?",
    ],
)
def test_what_is_meant_stays(said: str) -> None:
    assert fluent(said) == said


def test_names_of_things_here_stay() -> None:
    assert fluent('give me the ball ball', ['ball ball']) == 'give me the ball ball'
    assert fluent('give me the ball ball', ['cup']) == 'give me the ball'
    assert fluent('put the cup in um 1', ['um 1']) == 'put the cup in um 1'
    assert hesitations('put the cup in um 1', ['um']) == []


def test_a_hesitation_that_stays_is_not_understood() -> None:
    assert 'um' in read('Put the apple in the salad um bowl.', names=frozenset({'apple', 'salad bowl'})).unread


@pytest.mark.parametrize(
    ('text', 'word'),
    [
        ('put the cubes in box 1 unlss tey are red', 'unlss'),
        ('put the cups in box 1 excpet the red one', 'excpet'),
        ('do nto touch the cup', 'nto'),
    ],
)
def test_a_mistyped_restriction_is_not_understood(text: str, word: str) -> None:
    assert word in read(text).unread


@pytest.mark.parametrize('text', CLEAN)
def test_a_text_without_disfluencies_is_unchanged(text: str) -> None:
    assert fluent(text) == text


@given(st.lists(st.sampled_from(SPOKEN), max_size=14).map(' '.join))
@settings(deadline=None, max_examples=300)
def test_what_is_fluent_stays_as_it_is(said: str) -> None:
    assert fluent(fluent(said)) == fluent(said)


@given(st.lists(st.sampled_from(SPOKEN), max_size=14).map(' '.join))
@settings(deadline=None, max_examples=300)
def test_nothing_is_added_and_no_denial_is_lost(said: str) -> None:
    before, after = (re.findall(r'\w+', text.lower()) for text in (said, fluent(said)))
    assert set(after) <= {*before, 'please', 'so'}
    assert len(after) <= len(before)
    for word in ('no', 'not', 'stop', 'two', '1', 'mean', 'very'):
        assert after.count(word) == before.count(word)


@given(st.sampled_from(CLEAN), st.data())
@settings(deadline=None, max_examples=150)
def test_a_hesitation_anywhere_changes_no_reading(text: str, data: Any) -> None:
    gaps = [match.start() for match in re.finditer(r'(?<=\w) (?=\w)', text)]
    at = data.draw(st.sampled_from(gaps))
    hesitation = data.draw(st.sampled_from(HESITATIONS[:-2]))
    said = fluent(f'{text[:at]} {hesitation}{text[at:]}')
    assert said == text or not read(said).is_understood


def test_most_hesitations_are_left_out() -> None:
    said = [
        (text, f'{text[: match.start()]} uh{text[match.start() :]}')
        for text in CLEAN
        for match in re.finditer(r'(?<=\w) (?=\w)', text)
    ]
    assert sum(fluent(hesitating) == text for text, hesitating in said) >= 0.95 * len(said)


def test_a_text_of_fillers_is_read_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    counted = disfluencies._Said._filler_at

    def count(said: disfluencies._Said, at: int) -> int:
        nonlocal calls
        calls += 1
        return counted(said, at)

    monkeypatch.setattr(disfluencies._Said, '_filler_at', count)
    words = 100
    fluent('put the cup in box 1, ' + 'like, ' * words)
    assert calls <= 60 * words  # once for each word in each round
