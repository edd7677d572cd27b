"""Adapters that turn a sentence encoder into a scorer of pairs of texts: LoRA (Hu et al. 2021), and a head.

An adapter is an `.npz` file, written by `lucca_lab.training.train_scorer`. For each layer N and PART of it (query, key,
value, mix, widen, narrow) it holds `layer.N.PART.down` (rank, in) and `layer.N.PART.up` (out, rank), whose product
times `scale` is added to the matrix (out, in). `head.weight` (d,) and `head.bias` (1,) turn what a pair amounts to into
a score. `about` is JSON in UTF-8 as bytes: what the adapter is for, and where it comes from.
"""

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.archived_weights import DAMAGED_ARCHIVE, LARGEST_WEIGHT, finite_weights
from lucca_core.errors import ModelUnusable
from lucca_core.json_text import parse_json
from lucca_core.regular_file import reading
from lucca_memory.embedding.bert_files import WEIGHTS_FILE, BertNetwork, Floats, Layer, Linear

FORMAT = 'lucca pair scorer 1'
PARTS = ('query', 'key', 'value', 'mix', 'widen', 'narrow')
"""The matrices of a layer that are adapted."""
_POOLS = ('mean', 'first')
_SHOWN_OF_SUM = 12


@dataclass(frozen=True, slots=True)
class PairAdapter:
    """An adapter as it was read.

    Attributes:
        matrices: by name, without those of the head.
        weight: the head, (d,).
        bias: what the head adds.
        scale: factor of the products of the matrices.
        pool: what the head reads: the mean of all tokens' last states, or the first token's.
        longest: tokens of a pair at most, with its marks.
        base_sha256: of the weights that the adapter was trained for.
        about: everything that the file says of itself.
    """

    matrices: Mapping[str, Floats]
    weight: Floats
    bias: float
    scale: float
    pool: str
    longest: int
    base_sha256: str
    about: Mapping[str, Any]

    def merged(self, network: BertNetwork) -> BertNetwork:
        """The network with the adapter in its matrices.

        Raises:
            ValueError: the adapter is for a network of another size.
        """
        names = {
            f'layer.{number}.{part}.{which}'
            for number in range(len(network.layers))
            for part in PARTS
            for which in ('down', 'up')
        }
        if names != self.matrices.keys():
            raise ValueError(f'it is not for {len(network.layers)} layers')
        if self.weight.shape != network.words.shape[1:]:
            raise ValueError(f'its head is for {self.weight.size} dimensions, not {network.words.shape[1]}')
        if self.longest > len(network.positions):
            raise ValueError(f'its texts have up to {self.longest} tokens, the model takes {len(network.positions)}')
        layers = tuple(self._merged_layer(layer, number) for number, layer in enumerate(network.layers))
        return replace(network, layers=layers)

    def _merged_layer(self, layer: Layer, number: int) -> Layer:
        merged: dict[str, Linear] = {}
        for part in PARTS:
            matrix, bias = getattr(layer, part)
            root = f'layer.{number}.{part}'
            down, up = self.matrices[f'{root}.down'], self.matrices[f'{root}.up']
            if (down.shape[1:], up.shape[:1]) != (matrix.shape[:1], matrix.shape[1:]) or len(down) != up.shape[1]:
                raise ValueError(f'{root} has the shapes {down.shape} and {up.shape} for a matrix {matrix.shape}')
            # Added to the matrix as it is stored, so that the sum keeps its order of numbers.
            merged[part] = (matrix.T + np.float32(self.scale) * (up @ down)).T, bias
        return replace(layer, **merged)


def read_pair_adapter(file: Path) -> PairAdapter:
    """Reads an adapter.

    Raises:
        ModelUnusable: the file is missing, damaged or no adapter of a cross-encoder.
    """
    try:
        with reading(file) as opened, np.load(opened, allow_pickle=False) as data:
            about = parse_json(data['about'].tobytes())
            if about['format'] != FORMAT or about['form'] != 'cross' or about['pool'] not in _POOLS:
                raise ValueError(f'it says {about["format"]!r}, {about["form"]!r}, {about["pool"]!r} of itself')
            numbers = {name: finite_weights(data, name) for name in data.files if name != 'about'}
        head, bias = numbers.pop('head.weight'), numbers.pop('head.bias')
        if head.ndim != 1 or bias.shape != (1,) or any(matrix.ndim != 2 for matrix in numbers.values()):
            raise ValueError('its numbers have other shapes')
        if not abs(float(about['scale'])) < LARGEST_WEIGHT:
            raise ValueError(f'its scale is {about["scale"]}')
        return PairAdapter(
            matrices=numbers,
            weight=head,
            bias=float(bias[0]),
            scale=float(about['scale']),
            pool=about['pool'],
            longest=int(about['longest']),
            base_sha256=str(about['base_sha256']),
            about=about,
        )
    except DAMAGED_ARCHIVE as error:
        raise ModelUnusable(f'{file} holds no adapter of a pair scorer: {error}') from error


def check_base(base_sha256: str, folder: Path) -> None:
    """Checks that the weights in a folder are those that something was trained for.

    Raises:
        ModelUnusable: they are others, or cannot be read.
    """
    file = folder / WEIGHTS_FILE
    try:
        state = file.stat()
        found = _sha256(file, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise ModelUnusable(f'{folder} contains no weights: {error}') from error
    if found != base_sha256:
        raise ModelUnusable(
            f'the adapter is for other weights ({base_sha256[:_SHOWN_OF_SUM]}…) than those in {folder} '
            f'({found[:_SHOWN_OF_SUM]}…)'
        )


@functools.lru_cache(maxsize=4)
def _sha256(file: Path, modified_ns: int, size_bytes: int) -> str:
    """The checksum of a file, which is the same while the file is, as its time and size show."""
    with reading(file) as opened:
        return hashlib.file_digest(opened, 'sha256').hexdigest()
