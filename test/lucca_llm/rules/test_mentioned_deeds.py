"""Deeds by what is mentioned: things, and where each goes, whatever else is said. They are only asked about."""

import re

import pytest
from conversation import ask
from hypothesis import given
from hypothesis import strategies as st

from lucca_llm.rules.prompts.table_view import read_table_lines
from lucca_llm.rules.utterances.mentioned_deeds import mentioned_deeds

LINES = (
    'Objects on the table: apple (red), banana (yellow), cup (blue), mug, hammer, red cube, blue cube',
    'In box 1: none',
    'In box 2: pear (green)',
    'In bowl: none',
    'In tower: none',
)
TABLE = read_table_lines(LINES)


@pytest.mark.parametrize(
    ('said', 'deeds'),
    [
        ('Shove they cubes in the second box, will ye', 'Put all the cubes in box 2.'),
        ('sling us the banana', 'Give me the banana.'),
        ('Beam the hamer up into box 1', 'Put the hammer in box 1.'),
        ('dump the fruit in the bowl and hand me the cup', 'Put all the fruit in the bowl. Give me the cup.'),
        ('the cup, my mug and the hammer: box 1', 'Put the cup, the mug and the hammer in box 1.'),
        ('box one: cup, mug; box two: hammer', 'Put the cup and the mug in box 1. Put the hammer in box 2.'),
        ('everything green goes in the bowl', 'Put all the green things in the bowl.'),
        ('the red cube in box 1, the blue one in box 2', ''),  # there is also a blue cup
        ('everything into box 1', 'Put everything in box 1.'),
        ('See the banana? I want it.', 'Give me the banana.'),
        ('show us the hammer, lad', 'Point at the hammer.'),
        ('pile up the cubes', 'Put all the cubes on the tower.'),
        # something is open
        ('sling the banana', ''),
        ('shove it in box 1', ''),
        ('the cube in box 1', ''),
        ('the cup in box 1 and the mug', ''),
        ('the cup mug in box 1', ''),
        ('box 1 or box 2 for the cup', ''),
        # something is taken out, told by its place, or done in another way
        ('everything but the cup in box 1', ''),
        ("the cup in box 1, the mug doesn't", ''),
        ('the cup next to the mug in box 1', ''),
        ('half of the fruit in box 1', ''),
        ('pour the cup into the bowl', ''),
        ('everything that is heavy in box 1', ''),
        ('I like the mug. Give me the cup.', ''),
    ],
)
def test_deeds(said, deeds):
    assert mentioned_deeds(said, TABLE) == deeds


@pytest.mark.parametrize(
    'said',
    [
        'My brother shoved the cup into box 1.',
        'I had a banana like that in box 1.',
        'Apples can be so tasty, taking us on journeys!',
        'How these apples take us to other worlds!',
        'The cup is in box 1, I see.',
        'as it rains, shove the cup in box 1',
        'Bob: shove the cup in box 1',
        'shove the cup in box 1 if Bob agrees',
        'by no means shove the cup in box 1',
        'shove the cup in box 1. No, leave it.',
    ],
)
def test_what_tells_or_is_withheld_is_not_asked_about(said):
    assert 'Shall I do it' not in ask(said, table='\n'.join(LINES))


WORDS = 'the cup mug cubes box 1 2 bowl me give put and , . not everything to'.split()  # noqa: SIM905


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_it_only_asks(words):
    said = ' '.join(words) or 'cup'
    answer = ask(f'Sling {said}', table='\n'.join(LINES))
    if 'Shall I do it' in answer:
        assert re.fullmatch(r'<cannot_do\([^“]*Shall I do it: “[^“”]+”\?\)>', answer)
