"""The lexicon of controlled English."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import verb_lemmas

NOUNS = sorted(noun for noun in lexicon().parents if not lexicon().is_category(noun))


def plural(word: str, irregular: Mapping[str, str]) -> str:
    if ' of ' in word:
        before, _, after = word.partition(' of ')
        return f'{plural(before, irregular)} of {after}'
    for form, base in irregular.items():
        if base == word:
            return form
    head, _, last = word.rpartition(' ')
    prefix = f'{head} ' if head else ''
    if head:
        return prefix + plural(last, irregular)
    if last.endswith('y') and last[-2:-1] not in 'aeiou':
        return f'{last[:-1]}ies'
    if last.endswith(('ch', 'sh', 's', 'x', 'z')):
        return f'{last}es'
    return f'{last}s'


def test_there_are_300_nouns() -> None:
    assert len(NOUNS) >= 300


@given(st.sampled_from(NOUNS))
def test_the_singular_of_the_plural_is_the_noun(noun: str) -> None:
    words = lexicon()
    singular = words.singular(noun if noun in words.mass else plural(noun, words.irregular))
    assert singular == noun or noun in words.same.get(singular, ())


@given(st.sampled_from(NOUNS))
def test_every_noun_is_of_some_category(noun: str) -> None:
    assert any(lexicon().is_category(kind) for kind in lexicon().parents[noun])


@pytest.mark.parametrize(
    ('noun', 'kind', 'is_one'),
    [
        ('apple', 'fruit', True), ('apple', 'food', True), ('cup', 'kitchenware', True), ('cup', 'container', True),
        ('can', 'container', True), ('bowl', 'dishware', True), ('baseball', 'container', False),
        ('baseball', 'ball', True), ('tin', 'can', True), ('mug', 'cup', True), ('jelly', 'jello', True),
        ('hammer', 'tool', True), ('pencil', 'office supply', True), ('carrot', 'fruit', False),
        ('zorb', 'fruit', False), ('cola', 'soda', True), ('cola', 'drink', True), ('soda', 'cola', False),
    ],
)  # fmt: skip
def test_kinds(noun: str, kind: str, is_one: bool) -> None:
    assert lexicon().is_a(noun, kind) is is_one


@pytest.mark.parametrize(
    ('form', 'noun'),
    [('knives', 'knife'), ('berries', 'berry'), ('glasses', 'glass'), ('boxes', 'box'), ('potatoes', 'potato')],
)
def test_plurals(form: str, noun: str) -> None:
    assert lexicon().singular(form) == noun


@pytest.mark.parametrize('form', ['s', 'red s', 'cup of s', 'es'])
def test_of_a_letter_something_is_left(form: str) -> None:
    assert lexicon().singular(form) == form
    assert '' not in verb_lemmas(form)


@pytest.mark.parametrize(
    ('form', 'lemma'),
    [
        ('putting', 'put'),
        ('gave', 'give'),
        ('belongs', 'belong'),
        ('stacked', 'stack'),
        ('dropping', 'drop'),
        ('placed', 'place'),
    ],
)
def test_verbs(form: str, lemma: str) -> None:
    assert lemma in verb_lemmas(form)


def test_the_categories_above_a_noun_and_the_broadest_of_them() -> None:
    assert lexicon().above('lemon') >= {'citrus', 'fruit', 'food'}
    assert 'citrus' not in lexicon().above('citrus')
    assert lexicon().broadest('crackers') == lexicon().broadest('qwxz') == frozenset()
    assert 'food' in lexicon().broadest('cracker')
    assert 'snack' not in lexicon().broadest('cracker')


def test_a_lone_s_has_a_singular() -> None:
    assert lexicon().singular('s') == 's'
