"""Descriptions with exceptions, conditions and the rest."""

from typing import Any

import pytest
from described import B1, B2, BO, F, G, P, Rules, T, c, check, k, toy
from either_way import either_way

CASES: list[tuple[str, Rules]] = [
    ('point at everything that is not a fruit', [(P, lambda n: not k(n, F))]),
    (
        'Put the balls in the bowl but leave the baseball on the table.',
        [(BO, lambda n: k(n, 'ball') and n != 'baseball')],
    ),
    (
        'Put every red or yellow object that is not a cube in box 1.',
        [(B1, lambda n: c(n, 'red', 'yellow') and 'cube' not in n)],
    ),
    ('Give the user every fruit except the lemon.', [(G, lambda n: k(n, F) and n != 'lemon')]),
    ('Point at all fruits that are neither yellow nor red.', [(P, lambda n: k(n, F) and not c(n, 'red', 'yellow'))]),
    (
        'Toys belong in box 1. Tools belong in box 2. Do not touch cubes.',
        [(B1, lambda n: (k(n, 'toy') or k(n, 'ball')) and not k(n, 'cube')), (B2, lambda n: k(n, 'tool'))],
    ),
    ('Bring me the hammer and the screwdriver, but not the wrench.', [(G, lambda n: n in ('hammer', 'screwdriver'))]),
    (
        'All yellow things go to box 1, everything else goes to box 2.',
        [(B1, lambda n: c(n, 'yellow')), (B2, lambda n: not c(n, 'yellow'))],
    ),
    (
        'Put the black cube in box 1 and the other cubes on the tower.',
        [(B1, lambda n: n == 'black cube'), (T, lambda n: k(n, 'cube') and n != 'black cube')],
    ),
    ('Place the non-red fruits in box 1.', [(B1, lambda n: k(n, F) and not c(n, 'red'))]),
    (
        'Put any object that is not a toy and not a tool into box 1.',
        [(B1, lambda n: not k(n, 'ball') and not k(n, 'toy') and not k(n, 'tool'))],
    ),
    (
        'Clear the table: food goes in box 1, everything else in box 2.',
        [(B1, lambda n: k(n, 'food')), (B2, lambda n: not k(n, 'food'))],
    ),
    (
        'Every cube except the white ones should be stacked on the tower.',
        [(T, lambda n: k(n, 'cube') and not c(n, 'white'))],
    ),
    (
        'If something is a fruit, put it in the bowl; otherwise put it in box 1.',
        [(BO, lambda n: k(n, F)), (B1, lambda n: not k(n, F))],
    ),
    ('Keep the fruit on the table. Put all other food into box 1.', [(B1, lambda n: k(n, 'food') and not k(n, F))]),
    (
        'Put coloured cubes in box 1 and the remaining cubes in box 2.',
        [
            (B1, lambda n: k(n, 'cube') and not c(n, 'black', 'white')),
            (B2, lambda n: k(n, 'cube') and c(n, 'black', 'white')),
        ],
    ),
    ('Put everything but the tools in box 1.', [(B1, lambda n: not k(n, 'tool'))]),
    ("Don't put fruit in box 1. Put vegetables and fruits in box 2.", [(B2, lambda n: k(n, F) or k(n, 'veg'))]),
    (
        'Put fruits that are not yellow into box 1 and fruits that are yellow into box 2.',
        [(B1, lambda n: k(n, F) and not c(n, 'yellow')), (B2, lambda n: k(n, F) and c(n, 'yellow'))],
    ),
    ('The tools go into box 2, unless they are yellow.', [(B2, lambda n: k(n, 'tool') and not c(n, 'yellow'))]),
    (
        'Put anything red into box 1, anything green into box 2, and ignore the rest.',
        [(B1, lambda n: c(n, 'red')), (B2, lambda n: c(n, 'green'))],
    ),
    ('Please point only at the cubes.', [(P, lambda n: k(n, 'cube'))]),
    (
        'Separate the cubes: coloured ones on the tower, the others in box 2.',
        [
            (T, lambda n: k(n, 'cube') and not c(n, 'black', 'white')),
            (B2, lambda n: k(n, 'cube') and c(n, 'black', 'white')),
        ],
    ),
    (
        'Do not move anything that is red. Put every other fruit in the bowl.',
        [(BO, lambda n: k(n, F) and not c(n, 'red'))],
    ),
    ('Everything yellow must be pointed at, and nothing else.', [(P, lambda n: c(n, 'yellow'))]),
    ('Toys go into box 1 with the exception of cubes.', [(B1, lambda n: toy(n) and not k(n, 'cube'))]),
    (
        'The task is simple. All the cubes have to be stacked onto the tower. Ignore everything that is not a cube.',
        [(T, lambda n: k(n, 'cube'))],
    ),
    ('Point at every object that is not yellow and not red.', [(P, lambda n: not c(n, 'yellow', 'red'))]),
    ('Point at every object which is neither food nor a toy.', [(P, lambda n: not k(n, 'food') and not toy(n))]),
    (
        'Fruit that is green goes to box 1; fruit that is not green goes to box 2.',
        [(B1, lambda n: k(n, F) and c(n, 'green')), (B2, lambda n: k(n, F) and not c(n, 'green'))],
    ),
    ('Only vegetables belong in box 1.', [(B1, lambda n: k(n, 'veg'))]),
    ('Put all cubes but the black one on the tower.', [(T, lambda n: k(n, 'cube') and not c(n, 'black'))]),
    (
        'You should never put tools in box 1. Tools go to box 2 and everything edible goes to box 1.',
        [(B2, lambda n: k(n, 'tool')), (B1, lambda n: k(n, 'food'))],
    ),
    (
        'Move every white or black cube into box 1, and place the rest of the cubes on the tower.',
        [
            (B1, lambda n: k(n, 'cube') and c(n, 'white', 'black')),
            (T, lambda n: k(n, 'cube') and not c(n, 'white', 'black')),
        ],
    ),
    ('Point at all objects except cubes and fruits.', [(P, lambda n: not k(n, 'cube') and not k(n, F))]),
    (
        'Objects that are toys go in box 1, and objects that are not toys go in box 2.',
        [(B1, toy), (B2, lambda n: not toy(n))],
    ),
    (
        'Red and green fruits go in the bowl, the other fruits go in box 1.',
        [(BO, lambda n: k(n, F) and c(n, 'red', 'green')), (B1, lambda n: k(n, F) and not c(n, 'red', 'green'))],
    ),
    ('Take every tool that is not black to box 2.', [(B2, lambda n: k(n, 'tool') and not c(n, 'black'))]),
    ('Show me the fruits, but not the yellow ones.', [(P, lambda n: k(n, F) and not c(n, 'yellow'))]),
    ('Any toy goes in box 1 unless it is a cube.', [(B1, lambda n: toy(n) and not k(n, 'cube'))]),
    ('Put the hammer, not the wrench, into box 1.', [(B1, lambda n: n == 'hammer')]),
    ('No toys in box 1! Only food goes in box 1.', [(B1, lambda n: k(n, 'food'))]),
    ('Point at all the toys apart from the teddy bear.', [(P, lambda n: toy(n) and n != 'teddy bear')]),
    ('Keep every tool where it is and put everything else in box 1.', [(B1, lambda n: not k(n, 'tool'))]),
    ('It is forbidden to move cubes. Toys go to box 1.', [(B1, lambda n: toy(n) and not k(n, 'cube'))]),
    (
        'Fruits are not allowed in box 1. Put fruits in box 2, and vegetables in box 1.',
        [(B2, lambda n: k(n, F)), (B1, lambda n: k(n, 'veg'))],
    ),
    ('Point only at red objects.', [(P, lambda n: c(n, 'red'))]),
    ('Point at nothing but tools.', [(P, lambda n: k(n, 'tool'))]),
    ('Show me all things that are not edible.', [(P, lambda n: not k(n, 'food'))]),
    (
        'Find all objects that are food but not fruit and place them in box 2.',
        [(B2, lambda n: k(n, 'food') and not k(n, F))],
    ),
    (
        'The cookie goes in box 2. The other food goes in box 1.',
        [(B2, lambda n: n == 'cookie'), (B1, lambda n: k(n, 'food') and n != 'cookie')],
    ),
    (
        'If a toy is red, put it in box 1. If a toy is not red, put it in box 2.',
        [(B1, lambda n: toy(n) and c(n, 'red')), (B2, lambda n: toy(n) and not c(n, 'red'))],
    ),
    (
        'For each object: if it is a tool, put it in box 1, otherwise point at it.',
        [(B1, lambda n: k(n, 'tool')), (P, lambda n: not k(n, 'tool'))],
    ),
    ('Put all toys into box 1 but leave the cubes.', [(B1, lambda n: toy(n) and not k(n, 'cube'))]),
    (
        'Transfer yellow and white objects to box 1, all the others to box 2.',
        [(B1, lambda n: c(n, 'yellow', 'white')), (B2, lambda n: not c(n, 'yellow', 'white'))],
    ),
    ('Your job: put the electronics into box 1. Leave everything else alone.', [(B1, lambda n: k(n, 'elec'))]),
    ('Move every object to box 1 that is not a toy.', [(B1, lambda n: not toy(n))]),
    (
        'Put objects in box 1 if they are red and in box 2 if they are blue.',
        [(B1, lambda n: c(n, 'red')), (B2, lambda n: c(n, 'blue'))],
    ),
    ('Put vegetables into box 1 (the carrot stays on the table).', [(B1, lambda n: k(n, 'veg') and n != 'carrot')]),
    (
        "Anything that isn't a fruit or a vegetable should go in box 2.",
        [(B2, lambda n: not k(n, F) and not k(n, 'veg'))],
    ),
    (
        'Every fruit but the banana goes in the bowl. The banana goes in box 1.',
        [(BO, lambda n: k(n, F) and n != 'banana'), (B1, lambda n: n == 'banana')],
    ),
    ('Only give me things that I can eat.', [(G, lambda n: k(n, 'food'))]),
    ('Place all non-fruits in box 2.', [(B2, lambda n: not k(n, F))]),
    ('The bowl shall hold the vegetables, nothing else.', [(BO, lambda n: k(n, 'veg'))]),
    ('Put all cubes but the black colored ones in box 1.', [(B1, lambda n: k(n, 'cube') and not c(n, 'black'))]),
    ('Put everything except the white coloured objects in box 2.', [(B2, lambda n: not c(n, 'white'))]),
    (
        'Put all the cubes in box 1, but leave the white colored cube.',
        [(B1, lambda n: k(n, 'cube') and not c(n, 'white'))],
    ),
    (
        'Do not touch the white colored cube. Put the cubes in the bowl.',
        [(BO, lambda n: k(n, 'cube') and not c(n, 'white'))],
    ),
    ('Put the non-white colored cubes in box 1.', [(B1, lambda n: k(n, 'cube') and not c(n, 'white'))]),
    ('Put the cubes that are not black colored in box 1.', [(B1, lambda n: k(n, 'cube') and not c(n, 'black'))]),
    ('Leave the white colored things and put the rest in box 2.', [(B2, lambda n: not c(n, 'white'))]),
    ('Point at the objects that are black in colour.', [(P, lambda n: c(n, 'black'))]),
    ('Give me the white colored objects.', [(G, lambda n: c(n, 'white'))]),
]


@pytest.mark.parametrize(('text', 'rules', 'memory'), either_way(CASES, lambda case: case[0][:60]))
def test_what_is_left_out_stays_where_it_is_or_goes_elsewhere(
    text: str, rules: Rules, memory: bool, table: Any
) -> None:
    check(text, rules, table, memory=memory)
