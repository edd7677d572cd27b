"""Reviews of proposed calls."""

import pytest

from lucca_llm.model import Message
from lucca_llm.rules.rule_based_model import answer

PROMPT = """Task: blorp
Description: {description}
Action <put_in_crate(object)>: Puts an object in the crate.
Action <put_in_basket(object)>: Puts an object in the basket.
Action <point(object)>: Points at an object.
Done so far: {done}
In crate: none
Objects on the table: {table}

Proposed: {proposed}
Does it fit the task now?
Output yes or no and nothing else.
"""
SORT = 'Fruit goes in the crate. Tools go in the basket.'
POINT = 'First point at every yellow object. Then point at every red object.'


def opinion(proposed, description=SORT, table='pear (green), hammer (red), cup (blue)', done='nothing'):
    text = PROMPT.format(description=description, proposed=proposed, table=table, done=done)
    return answer([Message('user', text)])


@pytest.mark.parametrize(
    ('proposed', 'fits'),
    [
        ('<put_in_crate(pear)>', 'yes'),
        ('<put_in_basket(hammer)>', 'yes'),
        ('<put_in_basket(pear)>', 'no'),
        ('<put_in_crate(cup)>', 'no'),
        ('<put_in_crate(plum)>', 'no'),
        ('<finish_task(blorp)>', 'no'),
        ('<put_in_crate(pear)> <put_in_basket(hammer)>', 'no'),
    ],
)
def test_a_call_fits_if_the_task_still_asks_for_it(proposed, fits):
    assert opinion(proposed) == fits


def test_the_end_fits_when_nothing_is_left():
    assert opinion('<finish_task(blorp)>', table='cup (blue)') == 'yes'


def test_what_has_to_come_first_comes_first():
    table = 'ball (red), duck (yellow)'
    assert opinion('<point(ball)>', POINT, table) == 'no'
    assert opinion('<point(duck)>', POINT, table) == 'yes'
    assert opinion('<point(ball)>', POINT, table, done='<point(duck)>') == 'yes'
