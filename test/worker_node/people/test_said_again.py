"""Which lines go with a line that is to be forgotten: in doubt, none."""

from datetime import UTC, datetime, timedelta

import pytest

from lucca_memory.people.values import Line
from worker_node.people.said_again import says_no_more

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def line(text: str, number: int, *, days: int = 0) -> Line:
    return Line(
        conversation='c', speaker='Ana', text=text, time=NOON + timedelta(days=days), line_id=number, person_id=1
    )


@pytest.mark.parametrize(
    ('forgotten', 'other'),
    [
        ('Yes. My door code is 4711.', 'Yes.'),
        ('I am allergic. My door code is 4711.', 'I am allergic.'),
        ('Thanks a lot for that. My door code is 4711.', 'Thanks a lot for that.'),
        ('Put the pear in box 1. My door code is 4711.', 'Put the pear in box 1.'),
        ('My flight to Rome is tomorrow.', 'My flight to Rome is tomorrow.'),
        ('I had coffee with Bo yesterday.', 'I had coffee with Bo yesterday.'),
        ('My door code changes in two days.', 'My door code changes in two days.'),
        ('My door code is 4711.', 'My door code is 4712.'),
        ('My door code is 4711.', ''),
    ],
)
def test_what_may_say_something_else_stays(forgotten: str, other: str) -> None:
    assert not says_no_more(line(other, 2, days=9), [line(forgotten, 1)])


@pytest.mark.parametrize(
    ('forgotten', 'other', 'days'),
    [
        ('Yes. My door code is 4711.', 'My door code is 4711.', 9),
        ('Yes. My door code is 4711.', 'Yes. My door code is 4711.', 9),
        ('My flight to Rome is tomorrow.', 'My flight to Rome is tomorrow.', 0),
    ],
)
def test_what_surely_says_the_same_goes(forgotten: str, other: str, days: int) -> None:
    assert says_no_more(line(other, 2, days=days), [line(forgotten, 1)])
