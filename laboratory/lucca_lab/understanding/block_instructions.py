"""Instructions of people which block on a table to pick up: the Collaborative Manipulation Corpus.

Scalise et al., "Natural language instructions for human-robot collaborative manipulation", IJRR 2018 (CC BY-SA 4.0).
People saw a picture of a table with 15 blocks and of a partner behind it, a robot or a human, and wrote how they would
tell the partner to pick up the block under an arrow. Others then chose a block by their words. The corpus has no
coordinates; they were read from its pictures (`block_tables.yaml`).
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from lucca_core.yaml_file import load_yaml
from lucca_lab.understanding.drawn_request import POINTED, USER, DrawnRequest
from lucca_lab.understanding.libero import names_on_table

FILE = 'evaluationDataAvg.csv'
_TABLES = Path(__file__).with_name('block_tables.yaml')
_BLOCK_M = 0.04
_BLOCK_PX = 26.0
_FORESHORTENED = 1.75
"""How many times as wide as deep the top of a block is in the pictures."""
_MIDDLE_PX = 380.0, 490.0
_MIDDLE_X_M = 0.3


def block_requests(file: Path) -> Iterator[DrawnRequest]:
    """The requests of `evaluationDataAvg.csv`, in its order; `group` is the table, of which there are 14.

    Raises:
        ValueError, KeyError: the file is not in the format.
    """
    tables = load_yaml(_TABLES)
    with file.open(encoding='utf-8', newline='') as lines:
        for row in csv.DictReader(lines):
            _, number, version = Path(row['Scenario']).stem.split('_')
            table = tables[f'table {number}']
            labels = tuple(f'{colour} block' for colour, _, _ in table['blocks'])
            names = names_on_table(labels)
            target = names[table['targets'][int(version.removeprefix('v')) - 1]]
            yield DrawnRequest(
                text=' '.join(row['Instruction'].split()),
                kind=f'perspective: {row["Perspective"] or "not told"}',
                mood='imperative',
                objects=labels,
                wanted=(frozenset({(POINTED, target)}), frozenset({(USER, target)})),
                at_m={name: _at_m(x, y) for name, (_, x, y) in zip(names, table['blocks'], strict=True)},
                group=int(number),
                picks=True,
                by_people=float(row['AccuracyAvg']),
            )


def _at_m(x_px: float, y_px: float) -> tuple[float, float]:
    """Where a block is in the world, for a user who looks along -x."""
    per_px = _BLOCK_M / _BLOCK_PX
    return _MIDDLE_X_M + (y_px - _MIDDLE_PX[1]) * per_px * _FORESHORTENED, (x_px - _MIDDLE_PX[0]) * per_px
