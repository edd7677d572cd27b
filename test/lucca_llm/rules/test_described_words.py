"""Descriptions that define words of their own."""

from typing import Any

import pytest
from described import B1, B2, BO, F, G, P, Rules, c, check, k, toy

CASES: list[tuple[str, Rules]] = [
    ('A zorb is a red fruit. Put every zorb in box 1.', [(B1, lambda n: k(n, F) and c(n, 'red'))]),
    ('Zorbs are tools and electronics are frobs. Point at the frobs.', [(P, lambda n: k(n, 'elec'))]),
    (
        'Wugs are yellow toys. Fribbles are red tools or red fruits. Put the wugs in box 1 and the fribbles in box 2.',
        [(B1, lambda n: toy(n) and c(n, 'yellow')), (B2, lambda n: (k(n, 'tool') or k(n, F)) and c(n, 'red'))],
    ),
    ('A blick is anything that is blue. Point at each blick.', [(P, lambda n: c(n, 'blue'))]),
    ('By a dax we mean a container. Put every dax in box 2.', [(B2, lambda n: k(n, 'cont'))]),
    ('We call red objects fendles. Give me the fendles.', [(G, lambda n: c(n, 'red'))]),
    (
        'In this game, a gorp is a vegetable that is not red. Put gorps into the bowl.',
        [(BO, lambda n: k(n, 'veg') and not c(n, 'red'))],
    ),
]


@pytest.mark.parametrize('memory', [True, False], ids=['memory', 'dialogue'])
@pytest.mark.parametrize(('text', 'rules'), CASES, ids=[text[:60] for text, _ in CASES])
def test_a_word_means_what_the_description_says(text: str, rules: Rules, memory: bool, table: Any) -> None:
    check(text, rules, table, memory=memory)
