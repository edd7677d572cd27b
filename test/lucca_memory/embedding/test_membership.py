"""Membership from the vectors of a thing and a kind."""

import numpy as np
import pytest
from tiny_membership import random_membership, write_membership

from lucca_core.errors import ModelUnusable
from lucca_memory.embedding.membership import Membership

DIMENSIONS = 6


@pytest.fixture
def numbers():
    return random_membership(DIMENSIONS)[0]


def test_a_score_is_the_product_of_both_sides_and_what_speaks_for_each(tmp_path, numbers):
    form = Membership(write_membership(tmp_path / 'form.npz', *random_membership(DIMENSIONS, {'base_sha256': 'abc'})))
    assert (form.base_sha256, form.dimensions) == ('abc', DIMENSIONS)
    random = np.random.default_rng(4)
    things, kinds = (random.normal(0, 1, (count, DIMENSIONS)).astype(np.float32) for count in (2, 3))
    exact = {name: values.astype(float) for name, values in numbers.items()}
    own = things @ exact['thing.down'] + exact['thing.offset']
    other = kinds @ exact['kind.down'] + exact['kind.offset']
    wanted = own @ other.T + (things @ exact['thing.weight'])[:, None] + kinds @ exact['kind.weight'] - 0.5
    np.testing.assert_allclose(form.scores(things, kinds), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    'changed',
    [
        {'thing.offset': np.zeros(2)},
        {'kind.down': np.zeros((DIMENSIONS + 1, 3))},
        {'constant': np.zeros(2)},
        {'constant': np.zeros(1, int)},
        {'kind.weight': np.full(DIMENSIONS, np.nan)},
        {'thing.down': np.zeros(DIMENSIONS)},
    ],
)
def test_other_numbers_are_refused(tmp_path, numbers, changed):
    about = random_membership(DIMENSIONS)[1]
    file = write_membership(tmp_path / 'form.npz', numbers | changed, about)
    with pytest.raises(ModelUnusable, match=r'form\.npz holds no form'):
        Membership(file)


@pytest.mark.parametrize('missing', ['constant', 'thing.weight'])
def test_a_form_in_part_is_refused(tmp_path, numbers, missing):
    about = random_membership(DIMENSIONS)[1]
    del numbers[missing]
    with pytest.raises(ModelUnusable):
        Membership(write_membership(tmp_path / 'form.npz', numbers, about))


def test_what_says_another_format_is_refused(tmp_path):
    file = write_membership(tmp_path / 'form.npz', *random_membership(DIMENSIONS, {'format': 'another'}))
    with pytest.raises(ModelUnusable, match='another'):
        Membership(file)
