"""Files of arrays: whole, or refused."""

import numpy as np
import pytest

from lucca_memory.retrieval.columns import map_arrays, write_arrays

ARRAYS = {'rows': np.arange(100, dtype=np.int32), 'scales': np.linspace(0, 1, 50, dtype=np.float32)}


def test_what_is_written_is_mapped_again(tmp_path):
    write_arrays(tmp_path / 'a', {'stamp': 7}, ARRAYS)
    header, arrays = map_arrays(tmp_path / 'a')
    assert header['stamp'] == 7
    assert all(np.array_equal(arrays[name], array) for name, array in ARRAYS.items())


@pytest.mark.parametrize('from_end', [100, 400, 600])
def test_a_changed_bit_of_an_array_is_damage(tmp_path, from_end):
    file = tmp_path / 'a'
    write_arrays(file, {'stamp': 7}, ARRAYS)
    data = bytearray(file.read_bytes())
    data[-from_end] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(ValueError, match='is damaged: the checksum of'):
        map_arrays(file)
