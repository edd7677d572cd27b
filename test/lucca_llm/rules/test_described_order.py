"""Descriptions with an order."""

from typing import Any

import pytest
from described import B1, B2, BO, F, G, P, Rules, T, c, check, k
from either_way import either_way

CASES: list[tuple[str, Rules]] = [
    ('give me the cup, then the banana', [(G, lambda n: n == 'cup'), (G, lambda n: n == 'banana')]),
    (
        'Point at every tool, then at every piece of stationery.',
        [(P, lambda n: k(n, 'tool')), (P, lambda n: k(n, 'stat'))],
    ),
    (
        'Stack the red cube, then the blue cube, then the green cube.',
        [(T, lambda n: n == 'red cube'), (T, lambda n: n == 'blue cube'), (T, lambda n: n == 'green cube')],
    ),
    (
        'Pass me the pencil and the eraser. Then point at the phone.',
        [(G, lambda n: n in ('pencil', 'eraser')), (P, lambda n: n == 'phone')],
    ),
    (
        'First give me the spoon. Afterwards give me the plate. Finally give me the cookie.',
        [(G, lambda n: n == 'spoon'), (G, lambda n: n == 'plate'), (G, lambda n: n == 'cookie')],
    ),
    ('Point at each container before you point at each fruit.', [(P, lambda n: k(n, 'cont')), (P, lambda n: k(n, F))]),
    (
        'Point at all objects of red colour, then give me all objects of white colour.',
        [(P, lambda n: c(n, 'red')), (G, lambda n: c(n, 'white'))],
    ),
    (
        'Stack all the cubes; start with the red one.',
        [(T, lambda n: n == 'red cube'), (T, lambda n: k(n, 'cube') and n != 'red cube')],
    ),
    (
        'Put the vegetables in the bowl. When the vegetables are in the bowl, give me the spoon.',
        [(BO, lambda n: k(n, 'veg')), (G, lambda n: n == 'spoon')],
    ),
    (
        'Stow away all stationery in box 1, then all electronics in box 2.',
        [(B1, lambda n: k(n, 'stat')), (B2, lambda n: k(n, 'elec'))],
    ),
    (
        'First, all yellow objects go into box 1. Second, all blue objects go into box 2.',
        [(B1, lambda n: c(n, 'yellow')), (B2, lambda n: c(n, 'blue'))],
    ),
    ('Deliver the cookie to the user after the plate.', [(G, lambda n: n == 'plate'), (G, lambda n: n == 'cookie')]),
    (
        'Once the plate has been given to me, give me the cookie.',
        [(G, lambda n: n == 'plate'), (G, lambda n: n == 'cookie')],
    ),
    ('Give me the plate before the cookie.', [(G, lambda n: n == 'plate'), (G, lambda n: n == 'cookie')]),
    (
        'Stack the cubes on the tower in this order: the blue cube, the red cube, the green cube.',
        [(T, lambda n: n == 'blue cube'), (T, lambda n: n == 'red cube'), (T, lambda n: n == 'green cube')],
    ),
    (
        'Point at the fruits first, then the vegetables, and finally the tools.',
        [(P, lambda n: k(n, F)), (P, lambda n: k(n, 'veg')), (P, lambda n: k(n, 'tool'))],
    ),
    (
        'Give me the apple and then put the pear into the bowl and the plum into box 1.',
        [(G, lambda n: n == 'apple'), (BO, lambda n: n == 'pear'), (B1, lambda n: n == 'plum')],
    ),
    (
        'Move the objects that are blue to box 1 after moving the objects that are green to box 2.',
        [(B2, lambda n: c(n, 'green')), (B1, lambda n: c(n, 'blue'))],
    ),
    (
        'Before putting the tools in box 1, point at the phone.',
        [(P, lambda n: n == 'phone'), (B1, lambda n: k(n, 'tool'))],
    ),
    (
        'Give me the red cube, the blue cube and then the apple.',
        [(G, lambda n: n in ('red cube', 'blue cube')), (G, lambda n: n == 'apple')],
    ),
    (
        'Pick up the mug and hand it to me; then pick up the plate and put it in box 2.',
        [(G, lambda n: n == 'mug'), (B2, lambda n: n == 'plate')],
    ),
]


@pytest.mark.parametrize(('text', 'rules', 'memory'), either_way(CASES, lambda case: case[0][:60]))
def test_what_comes_first_is_done_first(text: str, rules: Rules, memory: bool, table: Any) -> None:
    check(text, rules, table, memory=memory, in_order=True)
