"""Paraphrased descriptions that the project's files do not hold."""

from typing import Any

import pytest
from described import B1, B2, BO, F, G, P, Rules, T, c, check, k, toy
from either_way import either_way

CASES: list[tuple[str, Rules]] = [
    (
        'put the cans in box 1 and every red object in the bowl',
        [(B1, lambda n: n == 'can'), (BO, lambda n: c(n, 'red'))],
    ),
    (
        'Put all vegetables into box 1 and all tools into box 2.',
        [(B1, lambda n: k(n, 'veg')), (B2, lambda n: k(n, 'tool'))],
    ),
    ('Move everything that is edible to box 1.', [(B1, lambda n: k(n, 'food'))]),
    ('Hand me all the cutlery.', [(G, lambda n: n in ('spoon', 'fork'))]),
    (
        'Sort the fruit into box 1, the vegetables into box 2 and the cutlery into the bowl.',
        [(B1, lambda n: k(n, F)), (B2, lambda n: k(n, 'veg')), (BO, lambda n: n in ('spoon', 'fork'))],
    ),
    ('Put all things that can hold something in box 2.', [(B2, lambda n: k(n, 'cont'))]),
    ('Point at all fruits which are red or green.', [(P, lambda n: k(n, F) and c(n, 'red', 'green'))]),
    (
        'Put the yellow fruits in the bowl and the red fruits in box 1.',
        [(BO, lambda n: k(n, F) and c(n, 'yellow')), (B1, lambda n: k(n, F) and c(n, 'red'))],
    ),
    ('Take the mug and put it in box 2.', [(B2, lambda n: n == 'mug')]),
    ('Point at the objects that are white or black.', [(P, lambda n: c(n, 'white', 'black'))]),
    ('Whatever is red goes in box 1.', [(B1, lambda n: c(n, 'red'))]),
    (
        'Drop all electronics in box 2 and all clothes in box 1.',
        [(B2, lambda n: k(n, 'elec')), (B1, lambda n: k(n, 'cloth'))],
    ),
    ('Build a tower from the green and the yellow cube.', [(T, lambda n: n in ('green cube', 'yellow cube'))]),
    ('Move the red cubes and the blue cubes to box 2.', [(B2, lambda n: k(n, 'cube') and c(n, 'red', 'blue'))]),
    ('Point at the sports equipment.', [(P, lambda n: k(n, 'sport'))]),
    (
        'I want the tools in box 1 and the stationery in box 2.',
        [(B1, lambda n: k(n, 'tool')), (B2, lambda n: k(n, 'stat'))],
    ),
    ('Throw the socks and the toothbrush into box 2.', [(B2, lambda n: n in ('sock', 'toothbrush'))]),
    ('In box 1 put the fruit, in box 2 the vegetables.', [(B1, lambda n: k(n, F)), (B2, lambda n: k(n, 'veg'))]),
    (
        'Put crockery in box 1 while cutlery goes to box 2.',
        [(B1, lambda n: n in ('cup', 'mug', 'bowl', 'plate')), (B2, lambda n: n in ('spoon', 'fork'))],
    ),
    ('Show me every object that is either green or blue.', [(P, lambda n: c(n, 'green', 'blue'))]),
    (
        'Box 1 gets the toys, box 2 gets the tools, and the bowl gets the fruit.',
        [(B1, lambda n: k(n, 'toy') or k(n, 'ball')), (B2, lambda n: k(n, 'tool')), (BO, lambda n: k(n, F))],
    ),
    ('Both the cup and the mug belong in box 2.', [(B2, lambda n: n in ('cup', 'mug'))]),
    (
        'Place each tool into the second box. Place each toy into the first box.',
        [(B2, lambda n: k(n, 'tool')), (B1, toy)],
    ),
    ("I'd like you to hand over the phone and the stapler.", [(G, lambda n: n in ('phone', 'stapler'))]),
    (
        'Fill the bowl with vegetables and box 1 with tools.',
        [(BO, lambda n: k(n, 'veg')), (B1, lambda n: k(n, 'tool'))],
    ),
    ('Point at things you can eat.', [(P, lambda n: k(n, 'food'))]),
    ('Put things that you can write with in box 1.', [(B1, lambda n: n == 'pencil')]),
    ('Get rid of the tools by putting them in box 2.', [(B2, lambda n: k(n, 'tool'))]),
    ('Every object which is a tool or a toy must be put in box 1.', [(B1, lambda n: k(n, 'tool') or toy(n))]),
    ('Yellow: box 1. Red: box 2.', [(B1, lambda n: c(n, 'yellow')), (B2, lambda n: c(n, 'red'))]),
    (
        'Put the cup, the mug, the bottle and the can into box 2.',
        [(B2, lambda n: n in ('cup', 'mug', 'bottle', 'can'))],
    ),
    (
        'Put the red objects in box 1, the yellow ones in box 2 and the green ones in the bowl.',
        [(B1, lambda n: c(n, 'red')), (B2, lambda n: c(n, 'yellow')), (BO, lambda n: c(n, 'green'))],
    ),
    ('Tidy the table up. Put food away in box 1. Put toys away in box 2.', [(B1, lambda n: k(n, 'food')), (B2, toy)]),
    ('Point at the pear and hand me the plum.', [(P, lambda n: n == 'pear'), (G, lambda n: n == 'plum')]),
    ('Gather all items of clothing in box 2.', [(B2, lambda n: k(n, 'cloth'))]),
    (
        'Arrange the table so that all toys are in box 1 and all tools are in box 2.',
        [(B1, toy), (B2, lambda n: k(n, 'tool'))],
    ),
    ('The user wants the hammer and the wrench.', [(G, lambda n: n in ('hammer', 'wrench'))]),
    ('Make sure that every fruit ends up in the bowl.', [(BO, lambda n: k(n, F))]),
    ('At the end, all the fruits should be in the bowl.', [(BO, lambda n: k(n, F))]),
    ('Please put away the toys into box 1, and also the tools.', [(B1, lambda n: toy(n) or k(n, 'tool'))]),
    ('Put every object of type fruit in box 1.', [(B1, lambda n: k(n, F))]),
    (
        'Bring the screwdriver over to me, and put the hammer in box 1.',
        [(G, lambda n: n == 'screwdriver'), (B1, lambda n: n == 'hammer')],
    ),
    ('Collect everything that belongs in the kitchen in box 2.', [(B2, lambda n: k(n, 'kit'))]),
    ('Put all of the fruits and all of the vegetables into box 1.', [(B1, lambda n: k(n, F) or k(n, 'veg'))]),
    (
        'The red, the yellow and the green cube belong on the tower.',
        [(T, lambda n: n in ('red cube', 'yellow cube', 'green cube'))],
    ),
    ('Fruit to box 1, tools to box 2.', [(B1, lambda n: k(n, F)), (B2, lambda n: k(n, 'tool'))]),
    ('For each vegetable on the table, point at it.', [(P, lambda n: k(n, 'veg'))]),
    ('Look for containers and put them in box 2.', [(B2, lambda n: k(n, 'cont'))]),
    ('Find the phone. Give it to me.', [(G, lambda n: n == 'phone')]),
    ('Point your index finger at whatever is black.', [(P, lambda n: c(n, 'black'))]),
    ('Would you mind passing me the spoon and the fork?', [(G, lambda n: n in ('spoon', 'fork'))]),
    ('Let all food go into box 1 and all toys into box 2.', [(B1, lambda n: k(n, 'food')), (B2, toy)]),
    ('Everything that is red has to end up in box 1.', [(B1, lambda n: c(n, 'red'))]),
    ('Please sort: vegetables - box 1, fruits - box 2.', [(B1, lambda n: k(n, 'veg')), (B2, lambda n: k(n, F))]),
    ('My desk is a mess! Put all the stationery in box 1, please.', [(B1, lambda n: k(n, 'stat'))]),
    ('Put the spoon and fork into the bowl.', [(BO, lambda n: n in ('spoon', 'fork'))]),
    (
        'The cubes that are black or white go in box 2. The coloured ones go on the tower.',
        [
            (B2, lambda n: k(n, 'cube') and c(n, 'black', 'white')),
            (T, lambda n: k(n, 'cube') and not c(n, 'black', 'white')),
        ],
    ),
    ('Box 1 should receive every tool and box 2 every toy.', [(B1, lambda n: k(n, 'tool')), (B2, toy)]),
    (
        'What is yellow goes to box 1, what is red goes to box 2.',
        [(B1, lambda n: c(n, 'yellow')), (B2, lambda n: c(n, 'red'))],
    ),
    ('Put tools such as the hammer in box 1.', [(B1, lambda n: k(n, 'tool'))]),
    (
        'All of the cutlery belongs in the bowl, all of the crockery belongs in box 2.',
        [(BO, lambda n: n in ('spoon', 'fork')), (B2, lambda n: n in ('cup', 'mug', 'bowl', 'plate'))],
    ),
    (
        'Put each red or green fruit, as well as each vegetable, in box 1.',
        [(B1, lambda n: (k(n, F) and c(n, 'red', 'green')) or k(n, 'veg'))],
    ),
    (
        'I want you to point at every container and to hand me every tool.',
        [(P, lambda n: k(n, 'cont')), (G, lambda n: k(n, 'tool'))],
    ),
    (
        'Drop the yellow tennis ball in box 1 and the white baseball in box 2.',
        [(B1, lambda n: n == 'tennis ball'), (B2, lambda n: n == 'baseball')],
    ),
    (
        'Stack the coloured cubes. Put the black and the white cube in box 2.',
        [
            (T, lambda n: k(n, 'cube') and not c(n, 'black', 'white')),
            (B2, lambda n: k(n, 'cube') and c(n, 'black', 'white')),
        ],
    ),
    ('Put a red cube and a blue cube on the tower.', [(T, lambda n: n in ('red cube', 'blue cube'))]),
    ('Hand over all writing tools.', [(G, lambda n: n == 'pencil')]),
    ('Put stuff for the kitchen in box 2.', [(B2, lambda n: k(n, 'kit'))]),
    ('Could you point out the containers to me?', [(P, lambda n: k(n, 'cont'))]),
    (
        'The red fruits are for me. The yellow fruits go in the bowl.',
        [(G, lambda n: k(n, F) and c(n, 'red')), (BO, lambda n: k(n, F) and c(n, 'yellow'))],
    ),
    (
        '1. Put the fruit in box 1.\n2. Put the vegetables in box 2.\n3. Point at the phone.',
        [(B1, lambda n: k(n, F)), (B2, lambda n: k(n, 'veg')), (P, lambda n: n == 'phone')],
    ),
    ('- fruit goes in box 1\n- tools go in box 2', [(B1, lambda n: k(n, F)), (B2, lambda n: k(n, 'tool'))]),
    ('Sort by colour: red in box 1, yellow in box 2.', [(B1, lambda n: c(n, 'red')), (B2, lambda n: c(n, 'yellow'))]),
    ('Put all the balls away in box 2.', [(B2, lambda n: k(n, 'ball'))]),
    ('Use box 1 for tools and box 2 for toys.', [(B1, lambda n: k(n, 'tool')), (B2, toy)]),
]


@pytest.mark.parametrize(('text', 'rules', 'memory'), either_way(CASES, lambda case: case[0][:60]))
def test_a_description_never_seen_is_done_right(text: str, rules: Rules, memory: bool, table: Any) -> None:
    check(text, rules, table, memory=memory)
