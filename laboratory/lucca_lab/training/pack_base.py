"""Packs a base model for a machine to which little can be carried: `pack_base FOLDER OUT [--eighth words|all]`.

`weights.npz` gets the tensors that `train_scorer` needs in 16 bits, or in 8 bits with a scale for each block of a row.
Trained on top of them, an adapter fits the exact weights, too, as in QLoRA (Dettmers et al. 2023). `|sha256` is the
checksum of the file that they come from. Needs numpy, not lucca.
"""

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 64
_LARGEST = 127
_WORDS = 'embeddings.word_embeddings.weight'
_LEFT_OUT = ('pooler.', 'embeddings.position_ids')


def eighth(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """A matrix (rows, columns) in 8 bits, and the scales (rows, blocks) of its blocks."""
    blocks = matrix.reshape(len(matrix), -1, _BLOCK)
    scale = (np.abs(blocks).max(axis=2) / _LARGEST).astype(np.float16)
    divisor = np.maximum(scale.astype(np.float32), np.finfo(np.float16).tiny)[..., None]
    numbers = np.clip(np.rint(blocks / divisor), -_LARGEST, _LARGEST).astype(np.int8)
    return numbers.reshape(matrix.shape), scale


def main() -> None:
    """Packs, and says how large the errors are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', type=Path)
    parser.add_argument('out', type=Path)
    parser.add_argument('--eighth', choices=('words', 'all'), default='words', help='what is stored in 8 bits')
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in ('config.json', 'vocab.txt'):
        shutil.copy(options.folder / name, options.out / name)
    data = (options.folder / 'model.safetensors').read_bytes()
    length = int.from_bytes(data[:8], 'little')
    packed: dict[str, Any] = {'|sha256': np.array(hashlib.sha256(data).hexdigest())}
    error, whole = 0.0, 0.0
    for name, told in json.loads(data[8 : 8 + length]).items():
        if name == '__metadata__' or told['dtype'] != 'F32' or name.startswith(_LEFT_OUT):
            continue
        begin, end = told['data_offsets']
        numbers = np.frombuffer(data[8 + length + begin : 8 + length + end], '<f4').reshape(told['shape'])
        if name == _WORDS or (options.eighth == 'all' and numbers.ndim == 2 and numbers.size > 100_000):
            packed[f'{name}|eighth'], packed[f'{name}|scale'] = eighth(numbers)
            again = packed[f'{name}|eighth'].reshape(*packed[f'{name}|scale'].shape, _BLOCK)
            restored = (again * packed[f'{name}|scale'].astype(np.float32)[..., None]).reshape(numbers.shape)
            error += float(np.sum((restored - numbers) ** 2))
            whole += float(np.sum(numbers**2))
        else:
            packed[name] = numbers.astype(np.float16)
    np.savez(options.out / 'weights.npz', **packed)
    size = (options.out / 'weights.npz').stat().st_size
    sys.stdout.write(f'{size} bytes; error of the 8-bit numbers {np.sqrt(error / whole):.5f} of their size\n')


if __name__ == '__main__':
    main()
