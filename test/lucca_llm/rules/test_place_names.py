"""Long and shortened names of places are read; a name that may be another place, or an object, stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_language.reading.program import Destination
from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.prompts.action_matching import ActionText, match_action
from lucca_llm.rules.prompts.place_names import with_places_joined, with_places_restored
from lucca_llm.rules.utterances.descriptions import read_description

DRAWERS = ('wooden cabinet', 'top drawer of the wooden cabinet', 'bottom drawer of the wooden cabinet')


def table(*names):
    return [ListedObject(name) for name in names]


def targets_of(said, objects, places):
    reading = read_description(said, '', table(*objects), places)
    return reading, [' '.join(item.target.words) for item in reading.program.directives if item.target]


@pytest.mark.parametrize(
    ('said', 'place'),
    [
        ('Put the cup in the cabinet.', 'wooden cabinet'),
        ('Put the cup on top of the cabinet.', 'wooden cabinet'),
        ('Put the cup in the top drawer of the cabinet.', 'top drawer of the wooden cabinet'),
        ('Put the cup in the top drawer.', 'top drawer of the wooden cabinet'),
        ('Put the cup into the bottom drawer of the wooden cabinet.', 'bottom drawer of the wooden cabinet'),
    ],
)
def test_a_place_is_known_by_a_shorter_name_if_no_other_is_called_so(said, place):
    reading, targets = targets_of(said, ['cup', 'mug'], DRAWERS)
    assert reading.is_understood
    assert targets == [place]


@pytest.mark.parametrize(
    ('said', 'objects', 'places'),
    [
        ('Put the cup in the drawer.', ['cup'], DRAWERS),
        ('Put the cup in the box.', ['cup'], ('box 1', 'box 2', 'red box')),
        ('Put the cup in the drawer.', ['cup'], ('drawer 1', 'top drawer')),
        ('Put the cup on the table.', ['cup'], ('basket under the table',)),
        ('Put the cup on the shelf.', ['cup'], ('box on the shelf',)),
        ('Put the cup to the left.', ['cup'], ('shelf on the left',)),
        ('Put the cup on the top.', ['cup'], ('top of the wooden cabinet',)),
        ('Put the cup in the back.', ['cup'], ('back of the shelf',)),
        ('Put the cup on the table.', ['cup'], ('coffee table', 'box 1')),
        ('Put the cup in the bowl.', ['cup', 'bowl'], ('salad bowl', 'box 1')),
        ('Put the cup in the cabinet door.', ['cup'], DRAWERS),
        ('Put the cup in the cabinet one.', ['cup'], DRAWERS),
    ],
)
def test_another_name_is_left_alone(said, objects, places):
    assert with_places_joined(said, table(*objects), places) == said


def test_what_was_not_understood_is_told_without_joined_names():
    reading, _ = targets_of('Put the zorp in the top drawer of the cabinet.', ['cup'], DRAWERS)
    assert 'zorp' in reading.not_understood
    assert '-of-' not in repr(reading)


@given(st.text(max_size=80), st.lists(st.sampled_from([*DRAWERS, 'box 1', 'basket under the table']), max_size=4))
def test_any_text_is_passed_on_and_restored_without_an_error(said, places):
    joined = with_places_joined(said, table('cup'), places)
    assert '-the-' not in with_places_restored(joined, places).replace(said, '')


@pytest.mark.parametrize('said', ['Put the cup in the CABİNET.', 'Put the cup in the cabınet.'])
def test_letters_of_other_languages_are_no_error(said):
    assert with_places_joined(said, table('cup'), DRAWERS) == said


def test_a_name_inside_a_longer_one_is_restored():
    places = ('box on the shelf', 'red box on the shelf')
    joined = with_places_joined('Put the cup in the red box on the shelf.', table('cup'), places)
    assert with_places_restored(joined, places) == 'Put the cup in the red box on the shelf.'


def test_a_long_name_costs_no_time():
    place = ' '.join(f'word{number}' for number in range(40))
    said = 'Put the cup in the word39.'
    assert with_places_joined(said, table('cup'), (place, 'box 1')) == said


def test_a_place_with_a_quality_in_its_name_has_no_other():
    actions = tuple(ActionText(f'move_to_{name}', place=name) for name in ('wooden cabinet', 'box 1'))
    for words, found in (
        (('glass', 'cabinet'), None),
        (('wooden', 'cabinet'), 'move_to_wooden cabinet'),
        (('red', 'box'), 'move_to_box 1'),
        (('other', 'box'), None),
    ):
        assert match_action(actions, 'put', frozenset({'place'}), Destination(words, 'in')) == found


@pytest.mark.parametrize(
    'said', ['Put food on the table, clothes in the basket.', 'food on the table and clothes in the basket']
)
def test_a_table_that_holds_things_is_a_place(said):
    reading = read_description(said, '', (), ('table', 'basket'))
    assert reading.not_understood == ()
    assert [str(directive.target) for directive in reading.program.directives] == ['on table', 'in basket']
