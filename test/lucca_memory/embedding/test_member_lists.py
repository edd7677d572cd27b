"""Lists of things and kinds, as a file says them."""

import json

import numpy as np
import pytest

from lucca_core.errors import ModelUnusable
from lucca_memory.embedding.member_lists import FORMAT, MemberLists


def names(*said):
    return np.frombuffer('\n'.join(said).encode(), np.uint8)


def told(**changed):
    return np.frombuffer(json.dumps({'format': FORMAT, **changed}).encode(), np.uint8)


@pytest.fixture
def arrays():
    """Pears and plums are fruit and no tools; a hammer is a tool, and it is open whether it is fruit."""
    return {
        'about': told(),
        'things': names('pear', 'hammer', 'plum'),
        'kinds': names('fruit', 'tools'),
        'row': np.array([0, 1, 0], np.uint16),
        'right': np.packbits([[1, 0], [0, 1]], axis=1),
        'known': np.packbits([[1, 1], [0, 1]], axis=1),
    }


@pytest.fixture
def file(tmp_path):
    return tmp_path / 'lists.npz'


def test_what_is_listed_is_known_and_the_rest_is_open(file, arrays):
    np.savez_compressed(file, **arrays)
    lists = MemberLists(file)
    assert [lists.is_of('plum', kind) for kind in ('fruit', 'tools', 'toys')] == [True, False, None]
    assert [lists.is_of('hammer', kind) for kind in ('fruit', 'tools')] == [None, True]
    assert lists.is_of('apple', 'fruit') is None
    assert [lists.lists(name) for name in ('plum', 'apple')] == [True, False]


@pytest.mark.parametrize(
    'changed',
    [
        {'about': told(format='another')},
        {'row': np.array([0, 2, 0], np.uint16)},
        {'row': np.array([0, 1], np.uint16)},
        {'row': np.array([0, 1, 0])},
        {'right': np.zeros((2, 2))},
        {'known': np.zeros((1, 1), np.uint8)},
        {'things': np.array([255], np.uint8)},
    ],
)
def test_a_file_that_holds_something_else_is_refused(file, arrays, changed):
    np.savez(file, **(arrays | changed))
    with pytest.raises(ModelUnusable, match=r'lists\.npz holds no lists'):
        MemberLists(file)


def test_a_file_that_is_cut_off_is_refused(file, arrays):
    np.savez(file, **arrays)
    file.write_bytes(file.read_bytes()[:300])
    with pytest.raises(ModelUnusable):
        MemberLists(file)
