"""Vectors of facts: derived, so that a damaged file is replaced by a new file."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from lucca_memory.facts.passage_vectors import PassageVectors


@pytest.mark.parametrize('data', [b'123', b'', 'text', np.full(8, np.nan, '<f2').tobytes()])
def test_vectors_that_are_none_are_begun_anew(tmp_path, data, caplog):
    file = tmp_path / 'facts.sqlite'
    PassageVectors(file, 'spec').put({'whole': np.ones(8, np.float32)})
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute('INSERT INTO vector VALUES (?, ?, ?)', ('spec', 'odd', data))
    vectors = PassageVectors(file, 'spec')
    assert 'whole' not in vectors
    assert 'is replaced by a new file' in caplog.text
    vectors.put({'new': np.ones(8, np.float32)})
    assert np.array_equal(PassageVectors(file, 'spec').get('new'), np.ones(8, np.float32))
