"""Log odds that a thing is of a kind, from the vectors of an embedding model alone: a bilinear form.

An `.npz` file, written by `laboratory/scripts/train_membership.py`, holds `thing.down` and `kind.down` (d, rank),
`thing.offset` and `kind.offset` (rank,), `thing.weight` and `kind.weight` (d,), and `constant` (1,). `about` is JSON in
UTF-8 as bytes: which weights the vectors are of, and where the file comes from.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lucca_core.archived_weights import DAMAGED_ARCHIVE, finite_weights
from lucca_core.errors import ModelUnusable
from lucca_core.json_text import parse_json
from lucca_core.regular_file import reading

FORMAT = 'lucca membership 1'
_NAMES = (
    *(f'{side}.{part}' for side in ('thing', 'kind') for part in ('down', 'offset', 'weight')),
    'constant',
)

Floats = NDArray[np.float32]


class Membership:
    """A bilinear form of the vectors of things and of kinds, as it was read.

    Attributes:
        base_sha256: of the weights of the embedding model that it was trained for.
        dimensions: of the vectors that it takes.
    """

    def __init__(self, file: Path) -> None:
        """Reads a file.

        Raises:
            ModelUnusable: it is missing or damaged, or holds something else.
        """
        try:
            with reading(file) as opened, np.load(opened, allow_pickle=False) as data:
                about = parse_json(data['about'].tobytes())
                if about['format'] != FORMAT:
                    raise ValueError(f'it says {about["format"]!r} of itself')
                self.base_sha256 = str(about['base_sha256'])
                self._numbers = {name: finite_weights(data, name) for name in _NAMES}
            self.dimensions = self._checked_dimensions()
        except DAMAGED_ARCHIVE as error:
            raise ModelUnusable(f'{file} holds no form that tells members of kinds: {error}') from error

    def _checked_dimensions(self) -> int:
        dimensions, rank = self._numbers['thing.down'].shape
        wanted = {'down': (dimensions, rank), 'offset': (rank,), 'weight': (dimensions,), 'constant': (1,)}
        for name, numbers in self._numbers.items():
            if numbers.shape != wanted[name.rpartition('.')[2]]:
                raise ValueError(f'{name} has the shape {numbers.shape}')
        return int(dimensions)

    def scores(self, things: Floats, kinds: Floats) -> Floats:
        """The log odds for each thing and kind, shape (things, kinds).

        Args:
            things: vectors (things, d).
            kinds: vectors (kinds, d).
        """
        of_things, own = self._projected('thing', things)
        of_kinds, other = self._projected('kind', kinds)
        return np.asarray(of_things @ of_kinds.T + own[:, None] + other + self._numbers['constant'], np.float32)

    def _projected(self, side: str, vectors: Floats) -> tuple[Floats, Floats]:
        down, offset, weight = (self._numbers[f'{side}.{part}'] for part in ('down', 'offset', 'weight'))
        return vectors @ down + offset, vectors @ weight
