"""Exceptions from several kinds at once: nothing that they name is moved, and everything else is."""

import re
from typing import Any

import pytest
from said_at_a_table import run

CUPS_AND_CUBES = 'red cup, blue cup, red cube, blue cube'
TOOLS_AND_FOOD = 'hammer, saw, apple, pear, carrot, doll'


@pytest.mark.parametrize(
    ('text', 'names', 'done'),
    [
        # `The red one` is of the kind that it is excepted from, not of the one before.
        (
            'Put the cups except the red one in box 1 and the cubes except the blue one in box 2.',
            CUPS_AND_CUBES,
            '1 blue cup, 2 red cube',
        ),
        ('Put the pears in box 2. Except for the red ones, put the cups in box 1.', CUPS_AND_CUBES, '1 blue cup'),
        # At the end of a sentence, an exception is one from all that was said in it.
        ('Put cups in box 1 and cubes in box 2, except the blue ones.', CUPS_AND_CUBES, '1 red cup, 2 red cube'),
        ('Put cups in box 1 and cubes in box 2, except for anything blue.', CUPS_AND_CUBES, '1 red cup, 2 red cube'),
        ('Put cups in box 1 and cubes in box 2, but nothing blue.', CUPS_AND_CUBES, '1 red cup, 2 red cube'),
        ('Put cups in box 1 and cubes in box 2, no blue ones please.', CUPS_AND_CUBES, '1 red cup, 2 red cube'),
        ('Put cups in box 1 and cubes in box 2, but leave the blue ones.', CUPS_AND_CUBES, '1 red cup, 2 red cube'),
        ('Put cups in box 1. Put cubes in box 2. Leave the blue ones.', CUPS_AND_CUBES, '1 red cup, 2 red cube'),
        ('Cubes go in box 1 and fruit in box 2, except the red ones.', 'red cube, blue cube, red apple', '1 blue cube'),
        (
            'Put food in box 1 and tools in box 2, except vegetables.',
            TOOLS_AND_FOOD,
            '1 apple, 1 pear, 2 hammer, 2 saw',
        ),
        (
            'Put the fruit in box 1 and everything else in box 2, but not the pear.',
            TOOLS_AND_FOOD,
            '1 apple, 2 hammer, 2 saw, 2 carrot, 2 doll',
        ),
        (
            'Put the fruit in box 1 and the tools in box 2, all but the pear.',
            TOOLS_AND_FOOD,
            '1 apple, 2 hammer, 2 saw',
        ),
        ('Put the food in box 1, everything except the fruit.', TOOLS_AND_FOOD, '1 carrot'),
        # What is asked for by its own name, or as a part of what is excepted, is not meant.
        (
            'Put the pear in box 1 and everything else in box 2, except the fruit.',
            TOOLS_AND_FOOD,
            '1 pear, 2 hammer, 2 saw, 2 carrot, 2 doll',
        ),
        (
            'Put the hammer in the bowl, the tools in box 1 and the fruit in box 2, except the hammer.',
            TOOLS_AND_FOOD,
            'b hammer, 1 saw, 2 apple, 2 pear',
        ),
        (
            'Put corkscrews in box 1 and tools other than corkscrews in box 2.',
            'corkscrew, hammer, doll',
            '1 corkscrew, 2 hammer',
        ),
        # In the middle, it ends where the next kind has a place.
        (
            'Put tools in box 1, but not the saw, and fruit in box 2, but not the pear.',
            TOOLS_AND_FOOD,
            '1 hammer, 2 apple',
        ),
        (
            'Put the cups in box 1, except the red one, and the cubes in box 2.',
            CUPS_AND_CUBES,
            '1 blue cup, 2 red cube, 2 blue cube',
        ),
        (
            'Sort the food, except the fruit, into box 2 and the tools, except the saw, into box 1.',
            TOOLS_AND_FOOD,
            '2 carrot, 1 hammer',
        ),
        (
            'Put everything in box 1 but the saw in box 2.',
            TOOLS_AND_FOOD,
            '1 hammer, 2 saw, 1 apple, 1 pear, 1 carrot, 1 doll',
        ),
        (
            'Everything goes in box 1 but the saw goes in box 2.',
            TOOLS_AND_FOOD,
            '1 hammer, 2 saw, 1 apple, 1 pear, 1 carrot, 1 doll',
        ),
        ('Put the tools in box 1, just not the saw.', TOOLS_AND_FOOD, '1 hammer'),
        # There may be several exceptions in a row.
        (
            'Put the cups in box 1 and the cubes in box 2, but not the blue cube and not the red cup.',
            CUPS_AND_CUBES,
            '1 blue cup, 2 red cube',
        ),
        ('Put the cups and the cubes in box 1, not the red ones, not the blue cup.', CUPS_AND_CUBES, '1 blue cube'),
        ('Put everything except the cups and not the red cube in box 1.', CUPS_AND_CUBES, '1 blue cube'),
        # `Any but the saw` is one, too, and no order to put the saw there.
        ('Put a tool in box 1, any but the saw.', TOOLS_AND_FOOD, '1 hammer'),
        ('Put a tool in box 1, anything but the saw.', TOOLS_AND_FOOD, '1 hammer'),
        # Also if the last kind has no place behind it.
        (
            'Point at the cups and hand me the cubes, but not the red ones.',
            CUPS_AND_CUBES,
            'p blue cup, g blue cube',
        ),
        # Where both kinds have one behind their places, each is one from its own kind.
        (
            'Put the cups in box 1, except for red ones, and the cubes in box 2, except for blue ones.',
            CUPS_AND_CUBES,
            '1 blue cup, 2 red cube',
        ),
        (
            'Put the cups in box 1, except for the red one, and the cubes in box 2, but not the blue cup.',
            CUPS_AND_CUBES,
            '2 red cube, 2 blue cube',
        ),
        # What is put elsewhere after `but` is excepted, too.
        ('All cups in box 1, but the red one in box 2.', CUPS_AND_CUBES, '1 blue cup, 2 red cup'),
        ('Put the cups in box 1 but the red one in box 2.', CUPS_AND_CUBES, '1 blue cup, 2 red cup'),
        ('Put all cups in box 1, but the red one goes in box 2.', CUPS_AND_CUBES, '1 blue cup, 2 red cup'),
        (
            'Put everything in box 1, but the cubes and the red cup in box 2.',
            CUPS_AND_CUBES,
            '1 blue cup, 2 red cup, 2 red cube, 2 blue cube',
        ),
        # But `one cup` may be any of them, and a condition may not hold.
        (
            'Put everything in box 1, but put one cup in box 2.',
            'red cup, blue cup, apple',
            '1 blue cup, 1 apple, 2 red cup',
        ),
        (
            'Put everything in box 1, but the cups in box 2 if there is a plate.',
            'red cup, blue cup, apple',
            '1 red cup, 1 blue cup, 1 apple',
        ),
        # Behind a kind without an exception of its own, it is one from all kinds.
        (
            'Put cups in box 1, except the red one, cubes in box 2 and plates in the bowl, but not the blue ones.',
            'red cup, blue cup, red cube, blue cube, red plate, blue plate',
            '2 red cube, b red plate',
        ),
        # What is asked for by name is excepted by no `ones`.
        (
            'Put the apple in box 1 and give me the cups, but not the red ones.',
            'red apple, red cup, blue cup',
            '1 red apple, g blue cup',
        ),
        # Which one stays is clear if the others go elsewhere.
        (
            'Put the blue things in box 1 and everything else, other than the cup, in box 2.',
            CUPS_AND_CUBES,
            '1 blue cup, 1 blue cube, 2 red cube',
        ),
        ('Point at the cups, but give me the red one.', CUPS_AND_CUBES, 'p red cup, p blue cup, g red cup'),
        ('Put all tools in box 1 but the saw, and fruit in box 2.', TOOLS_AND_FOOD, '1 hammer, 2 apple, 2 pear'),
        # A quality that the lexicon does not know may have an object to name.
        ('Put the cups in box 1, but not the shabby one.', 'shabby cup, red cup', '1 red cup'),
        # `Just the red ones` and `only the red ones` leave the others out.
        ('Put the cups in box 1, just the red one.', CUPS_AND_CUBES, '1 red cup'),
        ('Put the cups in box 1, but just the red one.', CUPS_AND_CUBES, '1 red cup'),
        ('Put the cups and the cubes in box 1, only the red ones.', CUPS_AND_CUBES, '1 red cup, 1 red cube'),
        (
            'Put the cups in box 1, only the red one, and the cubes in box 2.',
            CUPS_AND_CUBES,
            '1 red cup, 2 red cube, 2 blue cube',
        ),
        # At the beginning, it is one from the whole sentence as well.
        (
            'Apart from the pear, put the fruit in box 1 and the tools in box 2.',
            TOOLS_AND_FOOD,
            '1 apple, 2 hammer, 2 saw',
        ),
        (
            'Except for the pear, the saw and the carrot, put everything in box 1.',
            TOOLS_AND_FOOD,
            '1 hammer, 1 apple, 1 doll',
        ),
        ('With the exception of the pear, put the fruit in box 1.', TOOLS_AND_FOOD, '1 apple'),
        ('Apart from the pear, could you put the fruit in box 1?', TOOLS_AND_FOOD, '1 apple'),
        ('With the exception of the pear, all fruit goes in box 1.', TOOLS_AND_FOOD, '1 apple'),
    ],
)
def test_what_is_excepted_stays_where_it_is(text: str, names: str, done: str, table: Any) -> None:
    result = run(table, text, names)
    actions = {'1': 'move_to_box_1', '2': 'move_to_box_2', 'b': 'place_in_bowl', 'p': 'point', 'g': 'give'}
    expected = [f'<{actions[call[0]]}({call[2:]})>' for call in done.split(', ')]
    assert sorted(result.done) == sorted(expected)
    assert result.finished


@pytest.mark.parametrize(
    'text',
    [
        'Except for the pear, the saw and the carrot, everything goes in box 1.',  # after which comma do they end?
        'Apart from the pear, put the carrot in box 1.',  # the pear as well, or not?
        'Put all tools in box 1 but the saw and the fruit in box 2.',  # the saw in box 2 as well, or nowhere?
        'Put the fruit in box 1 and the tools in box 2, but the red ones in the bowl.',  # of which kind?
        'Besides the pear, put the food in box 1.',
        'Except for the pear, the saw,',
        'Put the fruit in box 1 and the tools in box 2 unless they are red.',  # the tools only, or both?
        'Put the fruit in box 1 and the tools in box 2, but only the red ones.',
        'Put the fruit in box 1 and the tools in box 2, just the red ones.',
        'Put the pear in box 1 and the tools in box 2, except it.',
        'Put the fruit in box 1 and the tools in box 2, but not both.',
    ],
)
def test_where_exceptions_are_not_clear_nothing_is_done(text: str, table: Any) -> None:
    result = run(table, text, TOOLS_AND_FOOD)
    assert result.done == []
    assert result.end.startswith('<cannot_do(')


def test_an_exception_that_is_none_of_the_last_objects_is_one_of_those_before(table: Any) -> None:
    result = run(table, 'Point at the tools and hand me the fruit, but not the pear or the saw.', TOOLS_AND_FOOD)
    assert result.done == ['<point(hammer)>', '<give(apple)>']
    assert result.finished


@pytest.mark.parametrize(
    'text',
    [
        'Put all the cups in box 1 except the red one.',
        'Put everything in box 1 but not the red cup.',
        'Put everything in box 1 except a red cup.',
        'Put the cups in box 1, but leave the red one.',
        'Put the cups in box 1, but leave a red one.',
        'Apart from the red cup, put everything in box 1.',
    ],
)
def test_which_one_is_excepted_is_asked(text: str, table: Any) -> None:
    names = ['red cup 1', 'red cup 2', 'blue cup']
    result = table({name: [name.split()[0]] for name in names}, text).run()
    assert result.done == []
    assert 'red cup 1 or red cup 2' in result.end


def test_the_only_one_of_its_kind_may_be_excepted_in_the_singular(table: Any) -> None:
    result = run(table, 'Put the cups and the cubes in box 1, except the red cup.', CUPS_AND_CUBES)
    assert sorted(result.did('move_to_box_1')) == ['blue cube', 'blue cup', 'red cube']


@pytest.mark.parametrize(
    ('text', 'done'),
    [
        ('Put everything in box 1, the red cup excluded.', '1 blue cup, 1 red cube, 1 blue cube'),
        ('Put the cubes in box 1, the red one not included.', '1 blue cube'),
        ('Give me all cubes, red cube excluded.', 'blue cube'),
        ('Put the cubes in box 1, with the red cube excluded.', '1 blue cube'),
        ('Put the cubes in box 1. The red cube is excluded.', '1 blue cube'),
    ],
)
def test_an_exception_said_behind_its_thing_is_one(text: str, done: str, table: Any) -> None:
    calls = run(table, text, CUPS_AND_CUBES).done
    moved = [re.sub('<(?:move_to_box_|give)', '', call).replace('(', ' ').strip(' )>') for call in calls]
    assert sorted(moved) == sorted(done.split(', '))


@pytest.mark.parametrize(
    'text',
    [
        'Put everything in box 1, the cups, the red cube excluded.',
        'Give me all cubes, the red cup, the red cube excluded.',
        'Put everything in box 1, the cup with the cube excluded.',
        'Put the cubes, the red one excluded, and the cups in box 1.',
        'Give me the cups, the red cup excluded, and the red cube.',
        'Look at the cubes and put the rest in box 1.',
        'Look at the things and put the others in box 1.',
    ],
)
def test_what_may_be_excluded_or_asked_for_moves_nothing(text: str, table: Any) -> None:
    assert run(table, text, CUPS_AND_CUBES).done == []
