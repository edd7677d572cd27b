"""Attack on object identities: objects are removed, swapped, carried and knocked over under a noisy detector."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_lab.attack.attack import Attack, Counts, Trial
from lucca_lab.attack.identity_table import DrawnTable
from lucca_lab.attack.identity_truth import Witness

_FRAMES_BEFORE, _FRAMES_AFTER = 8, 15


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    def trial(chance: random.Random) -> Counts:
        table, witness = DrawnTable(chance), Witness()
        for _ in range(_FRAMES_BEFORE):
            witness.look(table.truth(), table.frame(), table.story)
        for _ in range(chance.randint(1, 3)):
            for _ in table.event():
                witness.look(table.truth(), table.frame(), table.story)
            for _ in range(_FRAMES_AFTER):
                witness.look(table.truth(), table.frame(), table.story)
        return {'frames': witness.frames, 'sightings': witness.sightings, **table.happened}

    yield trial


PART = Attack(
    name='identities',
    promise='An identity never passes to an object of another colour or shape, whatever is moved or falls.',
    open=_open,
    sample=8,
    count=1000,
)
