"""Gerunds: those that say what a thing is for, as `baking tools`, and those that say what to do beside something."""

import pytest

from lucca_language.reading.description_parser import parse
from lucca_language.reading.reading import read


@pytest.mark.parametrize('things', ['baking tools', 'serving bowls', 'cooking oils'])
def test_a_gerund_in_a_list_begins_no_order(things):
    found = parse(f'Put plates in box 1, {things} in box 2, and cups on the tower.').directives
    assert [directive.verb for directive in found] == ['put'] * 3


def test_a_verb_that_ends_like_a_gerund_is_an_order():
    assert [directive.verb for directive in parse('Put the cup in box 1 and bring me the pear.').directives] == [
        'put',
        'bring',
    ]


@pytest.mark.parametrize(
    'text',
    [
        'Put baking tools and fruit in box 1.',
        'Put fruit and baking tools in box 1.',
        'Put fruit, baking tools and plates in box 1.',
        'Put the fruit in box 2, baking tools in box 1.',
        'Baking tools go in box 1 and fruit goes in box 2.',
        'Baking tools in box 1, fruit in box 2.',
    ],
)
def test_a_gerund_that_says_what_things_are_for_is_part_of_their_kind(text):
    items = {item.text: directive for directive in parse(text).directives for item in directive.items}
    assert len(items) >= 2
    assert items['baking tools'].target.words == ('box', '1')
    assert 'baking' in read(text).unknown


@pytest.mark.parametrize(('things', 'noun'), [('baking supplies', 'baking supply'), ('art supplies', 'art supply')])
def test_supplies_of_a_kind_are_an_item_of_a_list_and_no_word_for_just_anything(things, noun):
    text = f'Put {things} and fruit in box 1, tea sets in box 2.'
    kinds = {item.text: directive.target.words[-1] for directive in parse(text).directives for item in directive.items}
    assert kinds == {things: '1', 'fruit': '1', 'tea sets': '2'}
    assert noun in read(text).unknown


@pytest.mark.parametrize(
    ('beside', 'spared'),
    [('leaving the pear', 'the pear'), ('skipping the pear', 'the pear'), ('avoiding the red ones', 'the red ones')],
)
def test_what_is_left_beside_an_order_is_spared(beside, spared):
    for joint in (', ', ' and '):
        first, second = parse(f'Put the fruit in box 1{joint}{beside}.').directives
        assert (first.kind, [item.text for item in first.items]) == ('do', ['the fruit'])
        assert (second.kind, [item.text for item in second.items]) == ('dont', [spared])


def test_what_is_done_beside_an_order_is_read_with_its_own_verb():
    found = parse('Sort the fruit, putting apples in box 1 and stacking the cubes.').directives
    assert [(item.verb, [phrase.text for phrase in item.items]) for item in found] == [
        ('sort', ['the fruit']),
        ('put', ['apples']),
        ('stack', ['the cubes']),
    ]
    [_, poured] = parse('Put the mug in box 1, pouring the milk in the bowl.').directives
    assert poured.verb == 'pour'
