"""A form of membership with random numbers."""

import json

import numpy as np

from lucca_memory.embedding.membership import FORMAT

RANK = 3


def random_membership(dimensions, about=None):
    """The numbers for vectors of these dimensions; `about` replaces what the file says of itself."""
    random = np.random.default_rng(3)
    sizes = {'down': (dimensions, RANK), 'offset': (RANK,), 'weight': (dimensions,)}
    numbers = {
        f'{side}.{part}': random.normal(0, 1, size) for side in ('thing', 'kind') for part, size in sizes.items()
    }
    numbers['constant'] = np.array([-0.5])
    told = {'format': FORMAT, 'base_sha256': '0' * 64, **(about or {})}
    return {name: values.astype(np.float16) for name, values in numbers.items()}, told


def write_membership(file, numbers, about):
    np.savez(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **numbers)
    return file
