"""Other names for things and places are written as the robot's own, where only one can be meant."""

import pytest
from conversation import ask
from hypothesis import given
from hypothesis import strategies as st

from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.stack import stack_on_table
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.glosses import kinds_above
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.utterances.descriptions import read_description, read_with_less
from lucca_llm.rules.utterances.own_names import in_own_names, with_own_names

NAMES = ('soap bar', 'soap bar', 'remote control', 'salt shaker', 'cream cheese', 'cup', 'cd')
PLACES = ('sofa', 'garbage can', 'box 1')


@pytest.mark.parametrize(
    ('said', 'read'),
    [
        ('Put the cup on the couch.', 'Put the cup on the sofa.'),
        ('Put it in the trash bin', 'Put it in the garbage can'),
        ('Put two bars of soap on the sofa', 'Put two soap bars on the sofa'),
        ('Put the bar of soap in box 1', 'Put the soap bar in box 1'),
        ('Put the cream cheese box in box 1', 'Put the cream cheese in box 1'),
        ('take the cup from the kitchen counter', 'take the cup from the table'),
        ('move the cup from desk to the sofa', 'move the cup from the table to the sofa'),
        ('take the cup from the desk and put it in box 1', 'take the cup from the table and put it in box 1'),
        ("put two CD's in box 1", 'put two CDs in box 1'),
        ('Put it in the trash can', 'Put it in the garbage can'),
        ('Put it in the garbage bin', 'Put it in the garbage can'),
        ('Put the soap in box 1', 'Put the soap bar in box 1'),
        ('Give me two shakers', 'Give me two salt shakers'),
        ('Put the cup in the kitchen garbage can', 'Put the cup in the garbage can'),
        ('Put the soap bar in box 1', 'Put the soap bar in box 1'),
    ],
)
def test_they_become_the_names_here(said, read):
    assert with_own_names(said, [ListedObject(name, ()) for name in NAMES], PLACES) == read


@pytest.mark.parametrize(
    ('said', 'names', 'places'),
    [
        ('Put the cup on the couch.', ('cup',), ('sofa', 'couch')),
        ('Give me the salt', ('salt shaker',), PLACES),
        ('Give me the soap', ('soap bar', 'soap bottle'), PLACES),
        ('Give me the shaker', ('salt shaker', 'pepper shaker'), PLACES),
        ('Give me the cushion', ('pillow', 'cushion'), PLACES),
        ('Give me the dog', ('hot dog',), PLACES),
        ('Put the cup in the kitchen', ('cup',), ('kitchen cabinet',)),
        ('Put the cup in the kitchen stove', ('cup',), ('stove', 'kitchen stove')),
        ('Put the cup in the bathroom stove', ('cup',), ('stove', 'kitchen cabinet')),
        ('Put it on the toilet tank', ('cup',), ('toilet',)),
        ('Give me the cup box', ('cup',), PLACES),
        ('take the cup from the desk', ('cup',), ('desk',)),
        ('take the cup from the shelf', ('cup',), PLACES),
        ('give me the can', ('cup',), PLACES),
        ('Take the cup from the desk drawer and put it in box 1.', ('cup',), PLACES),
        ('Take the cup from the kitchen counter drawer.', ('cup',), PLACES),
        ('Put the bike in box 1.', ('motorcycle', 'bicycle'), PLACES),
        ('Put the bike in box 1.', ('motorcycle',), PLACES),
        ('Give me the cable.', ('cablegram',), PLACES),
        ('Give me the carrot.', ('carrot cake',), PLACES),
        ('Give me the carrot cake.', ('carrot',), PLACES),
        ('Give me the egg roll.', ('egg',), PLACES),
        ('Give me the cookie.', ('cookie sheet',), PLACES),
        ('Give me the milk.', ('milk chocolate bar',), PLACES),
        ('Give me the drum stick.', ('drum',), PLACES),
        ('Give me the candle.', ('candle stick',), PLACES),
        ('Put the cup in the vessel.', ('cup',), ('bowl',)),
        ('Give me the instrument.', ('tuning fork',), PLACES),
        ('Put the cup on the couch.', ('cup', 'bed'), PLACES),
        ('Put the cup in box 1.', ('jar (large', 'cup *', '', ' '), ('tray *', '')),
    ],
)
def test_what_may_be_something_else_stays(said, names, places):
    assert with_own_names(said, [ListedObject(name, ()) for name in names], places) == said


HOUSEHOLD = any_of(
    'candle ruler pen pencil scissors hammer screwdriver wrench pliers knife fork spoon spatula ladle whisk '
    'plate saucer mug glass bottle jug kettle teapot pan pot lid tray basket vase lamp phone tablet laptop '
    'keyboard mouse charger cable battery book notebook magazine newspaper envelope stamp card wallet purse '
    'key keychain watch clock necklace ring bracelet glasses sunglasses hat cap glove sock shoe shirt towel '
    'sponge toothbrush toothpaste comb brush razor pillow blanket doll ball baseball football puzzle dice '
    'domino chess block cube truck apple pear banana orange lemon lime peach plum grape cherry strawberry '
    'pineapple mango kiwi tomato potato carrot onion garlic pepper cucumber lettuce bread egg cheese butter '
    'milk cookie cake candy chocolate chip cracker cereal rice pasta can jar tape glue stapler eraser '
    'sharpener magnet nail screw bolt nut bulb plug aspirin pill syringe bleach detergent vinegar salt sugar '
    'honey ketchup mustard mayonnaise tissue napkin statue telegram umbrella belt scarf mitten apron bucket '
    'broom mop dustpan iron thermos corkscrew grater colander sieve funnel thimble needle button zipper'
)


def test_no_kind_above_a_thing_is_its_name():
    assert len(HOUSEHOLD) > 150
    for label in sorted(HOUSEHOLD):
        for kind in sorted(kinds_above(label) - {label}):
            said = f'Give me the {kind}.'
            assert with_own_names(said, [ListedObject(label)], ('box 1',)) == said, label


@pytest.mark.parametrize(
    ('kind', 'label'),
    [
        ('beverage', 'chocolate'),
        ('cement', 'glue'),
        ('cloak', 'domino'),
        ('lamp', 'bulb'),
        ('device', 'battery'),
        ('cushion', 'pillow'),
        ('carrot', 'carrot cake'),
    ],
)
def test_nothing_moves_because_of_a_kind_that_wordnet_has(kind, label):
    with stack_on_table(sample_objects((f'{label} (red)', 'apple (red)')), ('box 1', 'box 2')) as robot:
        for said in (f'Give me the {kind}.', f'Put the {kind} in box 1.'):
            assert robot.say(said, 'Ana').performed == ()


@pytest.mark.parametrize(
    'said',
    [
        'Do not touch the bar of soap. Put everything in box 1.',
        'Put everything in box 1, but never move the bar of soap.',
        "Put everything in box 1, and don't put anything on the couch.",
    ],
)
def test_a_name_in_a_prohibition_is_asked_about_and_never_rewritten(said):
    things = (ListedObject('soap bar'), ListedObject('cup'))
    reading = read_description(said, '', things, ('sofa', 'box 1'))
    assert said in reading.unread
    assert list(read_with_less(said, '', things, ('sofa', 'box 1'))) == []
    with pytest.raises(LookupError, match='Do you mean'):
        in_own_names(turn(said, 'Objects on the table: soap bar, cup', 'In sofa: none', 'In box 1: none'))


def test_in_conversation_only_what_is_asked_for_changes():
    table = 'Objects on the table: cup, remote control\nIn sofa: none'
    assert ask('put the cup on the couch', table=table) == '<do(put the cup on the sofa)>'
    assert ask('remember that my couch is new', table=table) == '<remember(my couch is new)>'


def turn(said, *table):
    return ConversationTurn(said, 'Ana', True, (), table, (), (), (), ())


@pytest.mark.parametrize('said', ['Never touch the couch.', 'You may use the couch again.', 'Learn: tidy the couch.'])
def test_what_prohibits_permits_and_teaches_keeps_its_words(said):
    assert in_own_names(turn(said, 'Objects on the table: sofa, cup')).said == said


@pytest.mark.parametrize('said', ['You may touch the couch again.', 'Learn a task called x: put the cup on the couch.'])
def test_they_do_so_of_places(said):
    assert in_own_names(turn(said, 'Objects on the table: cup', 'In sofa: none')).said == said


def test_a_prohibition_with_another_name_for_a_place_is_asked_about():
    table = 'Objects on the table: cup\nIn garbage can: none'
    assert ask('Never put anything in the trash bin.', table=table).startswith('<cannot_do(Do you mean')


@given(
    st.lists(
        st.sampled_from(["'s", 's', "'", 'the', 'give', 'me', 'box', 'of', 'soap', 'from', 'desk', '2', ',', '(']),
        max_size=6,
    )
)
def test_any_words_can_be_read(words):
    with_own_names(' '.join(words), [ListedObject(name, ()) for name in NAMES], PLACES)
