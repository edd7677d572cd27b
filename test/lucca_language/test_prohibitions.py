"""Which objects the words of a prohibition mean, and that a doubt never lets one out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.protocol.prohibitions import EVERY_PLACE, Prohibition
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_language.prohibitions import (
    Fit,
    barred_in,
    fit,
    is_lifted,
    is_prohibited,
    meaning_of,
    not_understood,
    prompt_lines,
    same_meaning,
    why_prohibited,
)
from lucca_language.reading.selectors import ListedObject

NO, UNSURE, YES = Fit


def thing(label: str, *attributes: str) -> ListedObject:
    return ListedObject(label, attributes)


@pytest.mark.parametrize(
    ('what', 'item', 'expected'),
    [
        ('the red cup', thing('cup', 'red'), YES),
        ('the red cup', thing('cup', 'blue'), NO),
        ('the red cup', thing('cup'), UNSURE),
        ('the red cup', thing('pear', 'red'), NO),
        ('the red cup', thing('gizmo', 'red'), UNSURE),
        ('the red cup', thing('gizmo', 'blue'), NO),
        ('the cup', thing('mug', 'blue'), YES),
        ('the carrot', thing('carrot cake'), UNSURE),
        ('carrots', thing('carrot cake'), UNSURE),
        ('the cup', thing('mug holder'), UNSURE),
        ('fruit', thing('fruit bowl'), UNSURE),
        ('the cake', thing('carrot cake'), YES),
        ('the carrot cake', thing('carrot'), NO),
        ('anything yellow', thing('banana', 'yellow'), YES),
        ('anything yellow', thing('banana'), YES),
        ('anything yellow', thing('pear', 'green'), NO),
        ('anything yellow', thing('pear'), UNSURE),
        ('anything yellow', thing('yellow cube'), YES),
        ('fruit', thing('pear', 'green'), YES),
        ('fruit', thing('hammer'), NO),
        ('snacks', thing('pear', 'green'), UNSURE),
        ('fruit', thing('gizmo'), UNSURE),
        ('anything except the pear', thing('pear'), NO),
        ('anything except the pear', thing('hammer'), YES),
        ('anything except the pear', thing('gizmo'), UNSURE),
        ('everything', thing('gizmo'), YES),
        ('the cup and the pear', thing('pear'), YES),
        ('the red and the yellow cup', thing('cup', 'yellow'), YES),
        ('the red and the yellow cup', thing('cup', 'green'), NO),
        ('anything sharp', thing('knife'), YES),
        ('anything sharp', thing('pear'), NO),
        ('pear 2', thing('pear'), UNSURE),
        ('pear 2', thing('cup'), NO),
        ('the red cube 2', thing('red cube'), UNSURE),
        ('the red cube 2', thing('blue cube'), NO),
        ('the pear', thing('fruit'), UNSURE),
        ('my phone', thing('phone'), YES),
        ('my phone', thing('pear'), NO),
        ('the big cup', thing('cup', 'red'), UNSURE),
        ('what Ana brought yesterday', thing('pear'), UNSURE),
        ('the cup', thing(''), UNSURE),
        ('anything but fruit', thing('_'), UNSURE),
    ],
)
def test_words_mean_objects(what: str, item: ListedObject, expected: Fit) -> None:
    assert fit(what, item) is expected


@pytest.mark.parametrize(
    'what',
    [
        *('it', 'them', 'that', 'the rest', 'everything else', 'two cups', 'things', 'the cup on the left', 'nothing'),
        *('the cup that Ana bought', 'the cup in box 1', 'the ingredients', 'and', '', '<point(pear)>', 'cup; pear'),
        *('the cup until tomorrow', 'the yellow ones', 'the cup if it is hot', 'half of the fruit', 'x' * 200),
    ],
)
def test_words_without_a_meaning_of_their_own_are_not_understood(what: str) -> None:
    assert meaning_of(what) is None
    assert not_understood(what) == (what,)
    assert fit(what, thing('pear')) is UNSURE


@pytest.mark.parametrize('what', ['the blorp', 'mine', 'the big cup', 'metal things', 'anything fragile'])
def test_unknown_words_are_not_understood(what: str) -> None:
    assert not_understood(what)


def test_the_labels_and_attributes_of_what_is_here_are_known_words() -> None:
    assert not not_understood('the blorp', [thing('blorp')])
    assert not not_understood('the metal hammer', [thing('hammer', 'metal')])
    # That would rule out everything, as other labels do not say what their objects are made of.
    assert not_understood('metal things', [thing('hammer', 'metal')])


@pytest.mark.parametrize(
    ('one', 'other', 'same'),
    [
        ('the fruit', 'any fruit', True),
        ('anything yellow', 'yellow things', True),
        ('The red cup', 'the red cup', True),
        ('the red mug', 'the red cup', False),
        ('fruit', 'the pear', False),
        ('the rest', 'rest', True),
    ],
)
def test_two_wordings_may_mean_the_same(one: str, other: str, same: bool) -> None:
    assert same_meaning(one, other) is same


@pytest.mark.parametrize(
    ('kept', 'what', 'place', 'lifted'),
    [
        (Prohibition(what='fruit'), 'the fruit', '', True),
        (Prohibition(what='fruit'), 'the pear', '', False),
        (Prohibition(what='fruit', place='box 1'), 'fruit', '', False),
        (Prohibition(what='fruit', place='box 1'), 'fruit', 'Box 1', True),
        (Prohibition(what='fruit', place='box 1'), 'fruit', 'box 2', False),
        (Prohibition(what='fruit', place='box 1'), 'fruit', EVERY_PLACE, True),
        (Prohibition(what='anything', place='box 1'), 'box 1', EVERY_PLACE, True),
        (Prohibition(what='fruit'), 'fruit', 'box 1', False),
    ],
)
def test_only_what_is_meant_is_lifted(kept: Prohibition, what: str, place: str, lifted: bool) -> None:
    assert is_lifted(kept, what, place) is lifted


def test_a_place_is_prohibited_only_for_what_goes_there() -> None:
    item = TableObject(object_id='1', name='pear 2', label='pear')
    said = Prohibition(what='fruit', place='box 1')
    assert is_prohibited(said, item, 'box 1') is YES
    assert is_prohibited(said, item, 'box 2') is NO
    assert is_prohibited(Prohibition(what='fruit'), item, 'box 2') is YES


def test_prompts_get_the_names_of_the_objects_that_are_meant() -> None:
    seen = Snapshot(
        objects=(
            TableObject(object_id='1', name='cup', label='cup', attributes=('red',)),
            TableObject(object_id='2', name='cup 2', label='cup', attributes=('blue',)),
            TableObject(object_id='3', name='gizmo', label='gizmo'),
        )
    )
    barred = barred_in(
        seen, [Prohibition(what='the red cup'), Prohibition(what='cups', place='bowl'), Prohibition(what='pears')]
    )
    assert prompt_lines(barred) == (
        'Must not be moved (prohibition “the red cup”): cup, gizmo',
        'Must not be put in bowl (prohibition “cups”): cup, cup 2, gizmo',
        'Must not be moved (prohibition “pears”): gizmo',
    )
    assert barred[0].unsure == ('gizmo',)


def test_an_answer_names_the_prohibition_and_how_to_lift_it() -> None:
    said = Prohibition(what='fruit', place='bowl', person='Ana')
    assert why_prohibited(said, 'pear', YES) == (
        'pear is prohibited: “do not put fruit in the bowl”, as Ana said. '
        'To lift it, say “you may put fruit in the bowl again”'
    )
    assert 'nobody can tell whether gizmo is meant' in why_prohibited(said, 'gizmo', UNSURE)


_WORDS = st.sampled_from(
    ['red', 'blue', 'cup', 'mug', 'pear', 'fruit', 'anything', 'the', 'and', 'except', 'toy', 'it']
)
_THINGS = st.builds(
    ListedObject,
    st.sampled_from(['cup', 'mug', 'pear', 'gizmo', 'red cube', 'toy hammer']),
    st.lists(st.sampled_from(['red', 'blue', 'plastic']), max_size=2).map(tuple),
)


@given(st.lists(_WORDS, min_size=1, max_size=5).map(' '.join), _THINGS)
def test_knowing_less_of_an_object_never_lets_it_out(what: str, item: ListedObject) -> None:
    """An object without its attributes, or with a label that nobody knows, is not freed by that."""
    meaning = meaning_of(what)
    if meaning is None:
        assert fit(what, item) is UNSURE
    elif fit(what, item) and item.attributes:
        unknown = ListedObject('gizmo', item.attributes)
        assert fit(what, unknown) or 'except' in what


@given(st.text(max_size=60), _THINGS)
def test_any_text_is_read_without_an_error(what: str, item: ListedObject) -> None:
    assert fit(what, item) in Fit
    not_understood(what, [item])
