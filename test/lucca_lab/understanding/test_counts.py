"""So many of several: what was taken already counts, though no list tells its colour any more."""

import itertools

import pytest

from lucca_lab.understanding.drawn_request import POINTED, USER, DrawnRequest
from lucca_lab.understanding.requests import Verdict, judge_requests

YELLOW = ('kazoo', 'trowel', 'zither')
TABLE = (*(f'{name} (yellow)' for name in YELLOW), 'gasket (green)', 'anvil (black)')


@pytest.mark.parametrize(
    ('text', 'place'),
    [
        ('Hand me two yellow objects.', USER),
        ('Put two yellow objects in box 2.', 'box 2'),
        ('Point at two yellow objects.', POINTED),
    ],
)
def test_so_many_are_taken_and_no_more(text, place):
    wanted = tuple(frozenset({(place, a), (place, b)}) for a, b in itertools.combinations(YELLOW, 2))
    request = DrawnRequest(text=text, kind='count', mood='imperative', objects=TABLE, wanted=wanted)
    [judged] = judge_requests([request], llm='embedded').judged
    assert judged.verdict is Verdict.RIGHT, judged


def test_what_another_demand_names_does_not_count():
    deeds = [('trowel', 'kazoo', 'gasket'), ('trowel', 'zither', 'gasket'), ('kazoo', 'zither', 'gasket')]
    wanted = tuple(frozenset((USER, name) for name in names) for names in deeds)
    for text in ('Hand me the gasket and two yellow objects.', 'Hand me two yellow objects and the gasket.'):
        request = DrawnRequest(text=text, kind='count', mood='imperative', objects=TABLE, wanted=wanted)
        [judged] = judge_requests([request], llm='embedded').judged
        assert judged.verdict is Verdict.RIGHT, judged
