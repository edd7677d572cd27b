"""A campaign counts what broke and names the seed that repeats it."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lucca_lab.attack.attack import Attack, Broken, Counts, Noted, Trial
from lucca_lab.attack.campaign import run_campaign
from lucca_lab.attack.registry import PARTS, find_part


@contextmanager
def _small_numbers(folder: Path) -> Iterator[Trial]:
    def trial(chance: random.Random) -> Counts:
        drawn = chance.randrange(10)
        if drawn == 0:
            raise Broken(f'drew {drawn}')
        if drawn == 1:
            raise KeyError('a bug')
        return {'held': 1}

    yield trial


PART = Attack(name='numbers', promise='No number is below two.', open=_small_numbers, sample=1, count=1)


def test_what_broke_is_counted_and_its_seed_repeats_it(tmp_path):
    report = run_campaign(PART, tmp_path, count=200, seed=40)
    assert report.tried == 200
    assert 0 < report.broke < 100
    assert report.counts == {'held': 200 - report.broke}
    again = run_campaign(PART, tmp_path, count=1, seed=report.first_failing_seed)
    assert (again.broke, again.told[0]) == (1, report.told[0])


@contextmanager
def _noting(folder: Path) -> Iterator[Trial]:
    yield lambda chance: Noted({'held': 1}, f'drew {chance.randrange(10)}')


def test_what_a_trial_notes_is_told_with_its_seed(tmp_path):
    part = Attack(name='notes', promise='All is noted.', open=_noting, sample=1, count=1)
    report = run_campaign(part, tmp_path, count=2, seed=7)
    assert report.counts == {'held': 2}
    assert [note.split(':')[0] for note in report.notes] == ['seed 7', 'seed 8']
    assert report.as_json()['notes'] == report.notes


def test_an_exception_that_nobody_expected_is_a_broken_promise_and_is_named(tmp_path):
    report = run_campaign(PART, tmp_path, count=200, seed=0)
    assert any('KeyError' in told for told in report.told)


def test_an_unknown_part_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(ValueError, match='yaml'):
        find_part('yamll')


@pytest.mark.parametrize('name', PARTS)
def test_each_part_is_listed_by_its_own_name(name):
    pytest.importorskip('rclpy') if '.running.' in PARTS[name] else None
    part = find_part(name)
    assert part.name == name
    assert part.promise.endswith('.')
    assert 0 <= part.sample <= part.count
