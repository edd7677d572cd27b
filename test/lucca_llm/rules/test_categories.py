"""Objects that the lexicon does not know, sorted by the meaning of their names; unsure ones are asked about."""

from typing import Any

import pytest

from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.kinds.meaning import has_meanings

pytestmark = pytest.mark.skipif(not has_meanings(), reason='all-MiniLM-L6-v2 is not installed')

_ON_THE_TABLE = [
    'red cube',
    'apple',
    'blue cube',
    'cup',
    'green cup',
    'mug',
    'hammer',
    'screwdriver',
    'wrench',
    'spoon',
]
_ON_THE_TABLE += [
    'fork',
    'bowl',
    'rubber duck',
    'baseball',
    'soup can',
    'sponge',
    'marker',
    'tape',
    'scissors',
    'plate',
]
_ON_THE_TABLE += ['tennis ball', 'can', 'knife', 'lemon', 'bottle']


def test_what_is_nearest_in_meaning_goes_to_its_place(table: Any) -> None:
    run = table({'cardamom pods': [], 'chainsaw': []}, 'Put spices in box 1 and power tools in box 2.').run()
    assert run.containers['box 1'] == ['cardamom pods']
    assert run.containers['box 2'] == ['chainsaw']
    assert run.finished


def test_what_belongs_to_none_is_asked_about_after_the_rest_was_done(table: Any) -> None:
    run = table(
        {'cardamom pods': [], 'chainsaw': [], 'qwxz': []}, 'Put spices in box 1 and power tools in box 2.'
    ).run()
    assert len(run.done) == 2
    assert run.end == '<cannot_do(Where does the qwxz belong?)>'


def test_the_other_ones_do_not_take_what_has_a_category_of_its_own(table: Any) -> None:
    text = 'Put rain boots in box 1 and other shoes in box 2.'
    run = table({'rubber rain boots': [], 'ballet shoes': []}, text).run()
    assert run.containers['box 1'] == ['rubber rain boots']
    assert run.containers['box 2'] == ['ballet shoes']


def test_what_the_lexicon_decides_needs_no_meaning(table: Any) -> None:
    run = table({'apple': [], 'hammer': [], 'baseball': []}, 'Put fruit in box 1 and tools in box 2.').run()
    assert run.done == ['<move_to_box_1(apple)>', '<move_to_box_2(hammer)>']
    assert run.finished


def test_a_quality_before_a_known_name_makes_no_other_kind_of_it(table: Any) -> None:
    things = {'apple': [], 'hammer': [], 'old cup': [], 'glass cup': [], 'plastic bottle': []}
    run = table(things, 'Put fruit in box 1 and tools in box 2.').run()
    assert run.done == ['<move_to_box_1(apple)>', '<move_to_box_2(hammer)>']
    assert run.finished


def test_an_exception_of_an_unknown_kind_is_not_understood(table: Any) -> None:
    run = table({'apple': [], 'hammer': []}, 'Put fruit in box 1 and tools in box 2, except the gizmo.').run()
    assert run.done == []
    assert 'gizmo' in run.end


def test_a_thing_that_is_called_like_its_kind_makes_the_kind_no_single_thing(table: Any) -> None:
    run = table({'clothes': [], 'hat': [], 'apple': []}, 'Put clothes in box 1 and fruit in box 2.').run()
    assert set(run.containers['box 1']) == {'clothes', 'hat'}
    assert run.containers['box 2'] == ['apple']
    assert run.finished


def test_one_place_alone_takes_nothing_that_is_not_known_to_belong_there(table: Any) -> None:
    run = table({'apple': [], 'cardamom pods': []}, 'Put fruit in box 1.').run()
    assert run.done == ['<move_to_box_1(apple)>']


def test_a_category_that_nothing_is_near_is_not_understood(table: Any) -> None:
    run = table({'apple': [], 'hammer': []}, 'Put zorps in box 1 and tools in box 2.').run()
    assert run.done == []
    assert 'zorp' in run.end


def test_actions_in_other_words_are_known_by_the_places_that_are_listed(table: Any) -> None:
    specs = {
        f'skill_{number}': {
            'description': f'The gripper picks something up and releases it, its home being the {place}.',
            'effect': {'kind': 'contained', 'container': place},
        }
        for number, place in enumerate(['top drawer', 'bottom drawer', 'side table'])
    }
    run = table(
        {'apple': [], 'hammer': [], 'sock': []},
        'Put fruit on the side table, tools in the bottom drawer and clothes in the top drawer.',
        actions=tuple(specs),
        specs=specs,
    ).run()
    assert run.containers == {'top drawer': ['sock'], 'bottom drawer': ['hammer'], 'side table': ['apple']}


def test_a_kind_of_which_nothing_is_here_keeps_no_other_kind_from_its_place(table: Any) -> None:
    run = table({'chainsaw': [], 'power drill': []}, 'Put homework in box 1 and power tools in box 2.').run()
    assert run.containers['box 2'] == ['chainsaw', 'power drill']


def test_a_kind_that_the_lexicon_has_as_a_thing_takes_what_wordnet_has_below_it(table: Any) -> None:
    run = table({'wine glass': [], 'saucepan': [], 'banana': []}, 'Put glasses in box 1 and pans in box 2.').run()
    assert run.containers['box 1'] == ['wine glass']
    assert run.containers['box 2'] == ['saucepan']


def test_what_is_of_two_kinds_for_the_lexicon_goes_to_the_nearer_one(table: Any) -> None:
    things = {'football': [], 'doll': []}
    run = table(things, 'Put toys in box 1, food in the bowl and sports equipment in box 2.').run()
    assert run.containers['box 2'] == ['football']
    assert run.containers['box 1'] == ['doll']


def test_a_quality_in_a_list_is_no_order_to_clean(table: Any) -> None:
    text = 'Put electronics in box 1, clean clothes in box 2, and dirty clothes in the bowl.'
    run = table({'clean leggings': [], 'dirty apron': []}, text).run()
    assert run.containers['box 2'] == ['clean leggings']
    assert run.containers['bowl'] == ['dirty apron']


@pytest.mark.parametrize(
    ('objects', 'text', 'left'),
    [
        ('corkscrew doll hammer', 'Put tools other than the corkscrew in box 1 and toys in box 2.', 'corkscrew'),
        ('corkscrew doll hammer', 'Put tools that are not corkscrews in box 1 and toys in box 2.', 'corkscrew'),
        ('teacup saucer doll', 'Put crockery other than the saucer in box 1 and toys in box 2.', 'saucer'),
        ('revolver doll apple', 'Put toys except the revolver in box 1 and food in box 2.', 'revolver'),
        ('revolver banana doll', 'Put toys in box 1 and food in box 2, except the revolver.', 'revolver'),
        ('corkscrew hammer sandals', 'Put tools in box 1 and footwear in box 2, but not the corkscrew.', 'corkscrew'),
        ('screwdriver hammer sandals', 'Put tools in box 1 and footwear in box 2, except the hammer.', 'hammer'),
        ('pear apple doll', 'Put fruit other than the pear in box 1 and toys in box 2.', 'pear'),
        ('moccasins doll sandals', 'Put footwear except the moccasins in box 1 and toys in box 2.', 'moccasins'),
    ],
)
def test_what_a_kind_is_named_without_stays_where_it_is(table: Any, objects: str, text: str, left: str) -> None:
    run = table({name: [] for name in objects.split()}, text).run()
    assert not [call for call in run.done if left in call]
    assert len(run.done) == 2


def test_what_a_kind_is_named_without_is_one_of_the_rest(table: Any) -> None:
    text = 'Put fruit other than the pear in box 1 and everything else in box 2.'
    run = table({'pear': [], 'apple': [], 'doll': []}, text).run()
    assert run.containers['box 1'] == ['apple']
    assert set(run.containers['box 2']) == {'pear', 'doll'}


@pytest.mark.parametrize('things', [_ON_THE_TABLE[place::5] for place in range(5)])
@pytest.mark.parametrize(
    'text',
    [
        'Put fruit in the bowl and rice chips in box 1.',
        'Put toys in the bowl and moccasins in box 1.',
        'Put spices in the bowl and crackers in box 1.',
        'Put seafood in the bowl and alcohol in box 1.',
        'Put breakfast food in the bowl and vegetables in box 1.',
    ],
)
def test_what_the_lexicon_knows_goes_to_no_kind_that_it_is_not_of(table: Any, things: list[str], text: str) -> None:
    run = table({thing: [] for thing in things}, text).run()
    told = text.split()[1]
    assert [call for call in run.done if not _is_of(call, told)] == []


def _is_of(call: str, kind: str) -> bool:
    label = lexicon().singular(call.partition('(')[2].rstrip(')>'))
    return any(lexicon().is_a(noun, lexicon().singular(kind)) for noun in (label, label.split()[-1]))


def test_kinds_below_a_common_one_may_overlap(table: Any) -> None:
    run = table({'cashews': [], 'hammer': []}, 'Put snacks in box 1 and power tools in box 2.').run()
    assert run.containers['box 1'] == ['cashews']


@pytest.mark.parametrize('thing', ['revolver', 'machete', 'aspirin', 'rat poison', 'dynamite', 'weed killer'])
def test_dangerous_things_are_asked_about_where_no_kind_is_theirs(table: Any, thing: str) -> None:
    run = table({thing: [], 'oregano': []}, 'Put spices in box 1 and office supplies in box 2.').run()
    assert run.done == ['<move_to_box_1(oregano)>']
    assert f'Where does the {thing} belong?' in run.end


def test_dangerous_things_go_to_their_own_kind(table: Any) -> None:
    run = table({'revolver': [], 'aspirin': []}, 'Put weapons in box 1 and medicine in box 2.').run()
    assert run.containers == {**run.containers, 'box 1': ['revolver'], 'box 2': ['aspirin']}


@pytest.mark.parametrize(
    'text',
    [
        'Put the red cups in box 1 and the cubes in box 2.',
        'Put cups that are red in box 1 and cubes in box 2.',
        'Put the cups in box 1, but only the red ones, and the cubes in box 2.',
    ],
)
def test_an_object_without_the_colour_of_a_kind_has_no_place_by_its_name(text: str, table: Any) -> None:
    things = {'red cup': ['red'], 'blue cup': ['blue'], 'red cube': ['red'], 'blue cube': ['blue']}
    run = table(things, text).run()
    assert sorted(run.done) == ['<move_to_box_1(red cup)>', '<move_to_box_2(blue cube)>', '<move_to_box_2(red cube)>']
    assert run.finished
