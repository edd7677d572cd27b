"""An adapter of a pair scorer with random weights, for the networks of `tiny_bert.py`."""

import hashlib
import json

import numpy as np
from tiny_bert import INNER, LAYERS, WIDTH

from lucca_memory.embedding.pair_adapter import FORMAT, PARTS

RANK, SCALE, LONGEST = 3, 0.5, 20


def random_adapter(about=None):
    """The matrices and the head; `about` replaces what the file says of itself."""
    random = np.random.default_rng(2)
    sizes = dict.fromkeys(PARTS, (WIDTH, WIDTH)) | {'widen': (WIDTH, INNER), 'narrow': (INNER, WIDTH)}
    numbers = {'head.weight': random.normal(0, 1, WIDTH), 'head.bias': np.array([0.25])}
    for number in range(LAYERS):
        for part, (wide, narrow) in sizes.items():
            numbers[f'layer.{number}.{part}.down'] = random.normal(0, 1, (RANK, wide))
            numbers[f'layer.{number}.{part}.up'] = random.normal(0, 0.2, (narrow, RANK))
    told = {'format': FORMAT, 'form': 'cross', 'pool': 'mean', 'scale': SCALE, 'longest': LONGEST, **(about or {})}
    return {name: values.astype(np.float16) for name, values in numbers.items()}, told


def write_adapter(file, numbers, about):
    np.savez(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **numbers)
    return file


def sum_of(folder):
    return hashlib.sha256((folder / 'model.safetensors').read_bytes()).hexdigest()
