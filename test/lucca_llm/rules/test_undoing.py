"""Taking back what was done: only what the request before has brought to its place."""

import pytest
from conversation import ask

TABLE = "Objects on the table: apple (red), blue cube\nIn box 1: green cube\nIn bowl: red cube\nIn user's side: pear"


@pytest.mark.parametrize(
    ('before', 'wish'),
    [
        ('put the green cube in box 1', 'put the green cube on the table'),
        ('put all cubes in box 1', 'put the green cube on the table'),
        ('put all cubes in the bowl', 'put the red cube on the table'),
        ('give me the pear', 'put the pear on the table'),
    ],
)
def test_what_was_elsewhere_before_stays_there(before: str, wish: str) -> None:
    assert ask('undo that', table=TABLE, before=[before]) == f'<do({wish})>'


@pytest.mark.parametrize('before', ['put the apple in box 1', 'put the red cube in box 1', 'give me the green cube'])
def test_nothing_is_taken_back_of_what_was_not_done(before: str) -> None:
    assert ask('undo that', table=TABLE, before=[before]).startswith('<cannot_do(I do not see that I moved the ')
