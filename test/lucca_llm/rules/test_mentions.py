"""What a text may speak of: colours and numbers bind, only words that are none are taken for slips."""

import pytest

from lucca_llm.rules.prompts.table_view import read_table_lines
from lucca_llm.rules.utterances.mentions import mentions_in

TABLE = read_table_lines(
    [
        'Objects on the table: apple (red), banana (yellow), cup (blue), mug, hammer, red cube, blue cube, '
        'nail 1, nail 2',
        'In box 1: none',
        'In box 2: pear (green)',
        'In bowl: none',
        'In tower: none',
    ]
)


def things(said):
    return {item.name for item in mentions_in(said, TABLE).things}


@pytest.mark.parametrize(
    ('said', 'names'),
    [
        ('sling us the cup', {'cup'}),
        ('sling us the red cube', {'red cube'}),
        ('sling us the red and the blue cube', {'red cube', 'blue cube'}),
        ('beam the red cup up', set()),
        ('they cubes', {'red cube', 'blue cube'}),
        ('nail 2', {'nail 2'}),
        ('the nails', {'nail 1', 'nail 2'}),
        ('the red one', {'apple', 'red cube'}),
        ('whatever is green', {'pear'}),
        ('the fruit', {'apple', 'banana', 'pear'}),
        ('gren cueb, hamer', {'red cube', 'blue cube', 'hammer'}),
        ('that all for one like take', set()),
    ],
)
def test_things(said, names):
    assert things(said) == names


@pytest.mark.parametrize('said', ['dear', 'near', 'late', 'mine', 'come', 'snug', 'plug'])
def test_a_word_of_english_is_no_slip(said):
    assert things(f'{said} it') == set()


@pytest.mark.parametrize(
    ('said', 'places'),
    [
        ('in the bowl', {'bowl'}),
        ('in the second box', {'box 2'}),
        ('box two, box 1', {'box 1', 'box 2'}),
        ('bxo 1', {'box 1'}),
        ('box wan', {'box 1', 'box 2'}),
        ('in the box', set()),
        ('the plum, into one', {'box 1'}),
        ('one banana, first of all', set()),
        ('you two, sling it over', set()),
        ('build something with them', {'tower'}),
        ('shove it in my hand, she is late, back', set()),
    ],
)
def test_places(said, places):
    assert set(mentions_in(said, TABLE).places) == places


def test_kinds_are_several_things():
    assert mentions_in('the cubes and the fruit', TABLE).kinds == ('cubes', 'fruit')
    assert mentions_in('that tool', TABLE).kinds == ()
    assert mentions_in('the green ones', TABLE).kinds == ('green things',)


def test_things_beside_each_other_are_a_list():
    assert mentions_in('the cup, my mug and the hammer in box 1', TABLE).lists == (frozenset({'cup', 'mug', 'hammer'}),)
    assert mentions_in('the cup is near, so sling us the mug', TABLE).lists == ()


@pytest.mark.parametrize('said', ['everything', 'the rest', 'all the others', 'all of them', 'them all'])
def test_others_are_meant(said):
    assert mentions_in(f'sling us {said}', TABLE).means_others


@pytest.mark.parametrize(
    'said', ['all right', 'first of all', 'take a rest', 'all day', 'the whole time', 'each to their own']
)
def test_no_others_are_meant(said):
    assert not mentions_in(f'{said}, sling us the cup', TABLE).means_others


def test_what_is_described_tells_something():
    assert mentions_in('the thing for driving nails in', TABLE).describes
    assert not mentions_in('that thing there', TABLE).describes
    assert not mentions_in('in box one', TABLE).describes


def test_one_of_two_boxes_needs_its_number_but_an_only_one_does_not():
    only = read_table_lines(['Objects on the table: cup', 'In box 1: none'])
    assert mentions_in('in the box', only).places == ('box 1',)
