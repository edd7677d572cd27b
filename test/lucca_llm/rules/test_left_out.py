"""What is in the way of an otherwise clear request is left out in a question, and never passed over."""

import pytest

from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.plans.left_out import without_locators
from lucca_llm.rules.utterances.descriptions import read_description, read_with_less

THINGS = tuple(ListedObject(name) for name in ('apple', 'mug', 'spoon'))
PLACES = ('box 1', 'bowl', 'drawer')


@pytest.mark.parametrize(
    ('text', 'left_out'),
    [
        ('Put the apple in the drawer under the sink.', ('under the sink',)),
        ('Move the mug from behind the toilet to the bowl.', ('from behind the toilet',)),
        ('Put the apple in the drawer to the left of the stove.', ('to the left of the stove',)),
        ('Put the apple in the back of the drawer.', ('the back of',)),
        ('Put the apple in the salad bowl.', ('salad',)),
        ('Put the apple in the bowl lid.', ('lid',)),
        (
            'Take the mug from the couch and put it in the drawer beside the fridge.',
            ('from the couch', 'beside the fridge'),
        ),
    ],
)
def test_the_fewest_phrases_are_left_out_and_count_as_unread(text, left_out):
    reading = next(read_with_less(text, '', THINGS, PLACES))
    assert reading.unread == left_out
    assert not reading.is_understood


@pytest.mark.parametrize(
    'text',
    [
        'Put the apple in the drawer under the mug.',
        'Put the apple in the bowl without the spoon.',
        'Put no apple in the bowl unless the sink is empty.',
        'Put the two apples in the drawer.',
        'Put everything in the bowl under the sink except fruit.',
        'Put everything in the bowl near the stove not fruit.',
        'Put the apple in the bowl near the stove unless hot.',
        'Put the apple in the bowl near the lamp if ripe.',
        'Put the apple in the bowl on the shelf before lunch.',
        'Put the apple in the bowl near the lamp after dinner.',
        'Put the apple in the bowl near the lamp half.',
        'Put the apple in the bowl near the lamp two.',
        'Put the apple in the bowl near the lamp 2.',
        'Put the apple in the bowl near the lamp wash.',
        'Put the apple in the bowl by the stove never.',
        'Put the apple in the bowl at noon.',
        'Put the apple in the bowl in an emergency.',
        'Put the apple in the bowl under no circumstances.',
        'Put all but those on the couch in the bowl.',
        'Do not put the apple in the drawer under the sink.',
        'Put the non apple in the bowl.',
        'Put the unwanted apple in the bowl.',
        'Put the missing apple in the bowl.',
        'Put the apple in the wrong bowl.',
        'Put the other apple in the bowl.',
        'Put the least ripe apple in the bowl.',
        'Put the red apple in the drawer.',
        'Put the eleven apples in the bowl.',
        'Put the unloved apple in the bowl.',
        'Put the forbidden apple in the bowl.',
        'Put the apple in the bowl in minutes.',
        'Put the semi-missing apple in the bowl.',
        'Put everything in the bowl except the salad spoon.',
        'Put the apple in the bowl twice.',
        'Put the apple in the bowl almost.',
        'Put the apple in the bowl maybe.',
        'Put the apple in the bowl tomorrow.',
    ],
)
def test_what_is_here_and_what_restricts_is_not_left_out(text):
    assert list(read_with_less(text, '', THINGS, PLACES)) == []


@pytest.mark.parametrize('restricts', ['except fruit', 'unless hot', 'if ripe', 'twice', 'not the mug', '2', 'wash'])
def test_a_landmark_ends_before_what_restricts(restricts):
    text = f'Put everything in the bowl under the sink {restricts}.'
    assert without_locators(text, THINGS, PLACES) == text


def test_what_restricts_is_kept_when_a_locator_before_it_is_left_out():
    (less, *_) = read_with_less('Put everything in the bowl under the sink, except the mug.', '', THINGS, PLACES)
    assert less.unread == ('under the sink',)
    assert less.program == read_description('Put everything in the bowl, except the mug.', '', THINGS, PLACES).program


@pytest.mark.parametrize('text', ['Put the apple in the box on my left.', 'Put the apple in the box to the left.'])
def test_a_box_at_a_side_is_called_by_its_side_so_that_it_is_asked_which_one(text):
    (directive,) = read_description(text, '', THINGS, ('box 1', 'box 2')).program.directives
    assert directive.target is not None
    assert directive.target.words == ('left', 'box')
