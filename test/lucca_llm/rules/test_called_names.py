"""People's names for objects and places become the names here if nothing else can be meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.called_names import with_names_here, with_places_restored
from lucca_llm.rules.descriptions import read_description

BOXES = ('box 1', 'box 2')
DRAWERS = ('wooden cabinet', 'top drawer of the wooden cabinet', 'bottom drawer of the wooden cabinet')


def table(*names):
    """Objects by name, with a colour in brackets."""
    things = []
    for name in names:
        label, _, colour = name.partition(' (')
        things.append(ListedObject(label, (colour.rstrip(')'),) if colour else ()))
    return things


@pytest.mark.parametrize(
    ('said', 'objects', 'meant'),
    [
        ('Put the red mug in box 1.', ['red coffee mug', 'apple'], 'Put the red coffee mug in box 1.'),
        ('Put the red mug in box 1.', ['red coffee mug', 'red tea mug'], 'Put the red mug in box 1.'),
        ('Put the red mug in box 1.', ['red coffee mug', 'mug (red)'], 'Put the red mug in box 1.'),
        ('Give me the frying pan.', ['frypan', 'apple'], 'Give me the frypan.'),
        ('Give me the frying pan.', ['frypan', 'skillet'], 'Give me the frying pan.'),
        ('Give me the frying pan.', ['frypan', 'frying pan'], 'Give me the frying pan.'),
        ('Put the aubergine in box 2.', ['eggplant'], 'Put the eggplant in box 2.'),
        ('Put the cream cheese box in box 1.', ['cream cheese'], 'Put the cream cheese in box 1.'),
        ('Put the cream cheese box 1.', ['cream cheese'], 'Put the cream cheese box 1.'),
        ('Put the pear in the apple box.', ['apple', 'pear'], 'Put the pear in the apple box.'),
        ('Give me the milk.', ['milk carton'], 'Give me the milk carton.'),
        ('Give me the milk.', ['milk carton', 'milk bottle'], 'Give me the milk.'),
        ('Put the milk in the cup.', ['milk carton', 'cup'], 'Put the milk in the cup.'),
        ('Give me the milk jug.', ['milk carton', 'jug'], 'Give me the milk jug.'),
        ('Give me the milk one.', ['milk carton', 'jug'], 'Give me the milk one.'),
        ('Put the blue mug in box 1.', ['blue can', 'mug'], 'Put the blue mug in box 1.'),
        ('Point at the blue.', ['blue can', 'mug'], 'Point at the blue.'),
        ('Give me the tomato soup.', ['tomato-soup can'], 'Give me the tomato-soup can.'),
    ],
)
def test_an_object_gets_its_name_here_if_it_is_the_only_one_meant(said, objects, meant):
    assert with_names_here(said, table(*objects), BOXES) == meant


@pytest.mark.parametrize(
    ('said', 'place'),
    [
        ('Put the cup in the cabinet.', 'wooden cabinet'),
        ('Put the cup on top of the cabinet.', 'wooden cabinet'),
        ('Put the cup in the top drawer of the cabinet.', 'top drawer of the wooden cabinet'),
        ('Put the cup in the top drawer.', 'top drawer of the wooden cabinet'),
        ('Put the cup into the bottom drawer of the wooden cabinet.', 'bottom drawer of the wooden cabinet'),
        ('Put the cup in the drawer.', None),
    ],
)
def test_a_place_is_known_by_the_end_of_its_name_if_no_other_ends_so(said, place):
    reading = read_description(said, '', table('cup', 'mug'), DRAWERS)
    targets = [' '.join(item.target.words) for item in reading.program.directives if item.target]
    if place is None:
        assert not set(targets) & set(DRAWERS)
    else:
        assert reading.is_understood
        assert targets == [place]


def test_names_that_are_used_as_they_are_stay():
    objects = table('red coffee mug', 'frypan', 'coke can', 'white bowl')
    said = 'Put the red coffee mug in box 1, give me the frypan, and put the coke can and the white bowl in box 2.'
    assert with_names_here(said, objects, BOXES) == said


@given(st.text(max_size=80), st.lists(st.sampled_from(['milk carton', 'frypan', 'red coffee mug', 'cup']), max_size=4))
def test_any_text_is_passed_on_and_restored_without_an_error(said, names):
    called = with_names_here(said, table(*names), DRAWERS)
    assert isinstance(with_places_restored(called, DRAWERS), str)
