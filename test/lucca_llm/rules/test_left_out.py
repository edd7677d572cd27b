"""What is in the way of an otherwise clear request is left out in a question, and never passed over."""

import pytest

from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.descriptions import read_description, read_with_less

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
    ],
)
def test_what_is_here_and_what_restricts_is_not_left_out(text):
    assert list(read_with_less(text, '', THINGS, PLACES)) == []


def test_a_reading_that_needs_all_words_is_as_it_was():
    assert read_description('Put the apple in the bowl.', '', THINGS, PLACES).is_understood


@pytest.mark.parametrize('text', ['Put the apple in the box on my left.', 'Put the apple in the box to the left.'])
def test_a_box_at_a_side_is_called_by_its_side_so_that_it_is_asked_which_one(text):
    (directive,) = read_description(text, '', THINGS, ('box 1', 'box 2')).program.directives
    assert directive.target is not None
    assert directive.target.words == ('left', 'box')
