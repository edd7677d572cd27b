"""Tables on which an identity once passed to another object, or left an object that had not moved."""

from pathlib import Path

import pytest

from lucca_lab.attack.attack import SeededRandom
from lucca_lab.attack.identities import PART

BOXED_AND_GONE = (12296, 27316)
"""An object was taken out of a box unseen, and another one of its colour put where it had been."""
PIECE_BESIDE_A_BOX = (21687,)
BESIDE_A_HAND = (24907, 31018)
"""What stands on something that is not known is high above the table, as if the hand near it had lifted it."""
WRONG_NAMES = (26963, 62053)
"""Whole objects were seen under the name of another one, just when that one was not seen or had been replaced."""


@pytest.mark.parametrize('seed', [*BOXED_AND_GONE, *PIECE_BESIDE_A_BOX, *BESIDE_A_HAND, *WRONG_NAMES])
def test_identities_stay_where_they_once_passed(tmp_path: Path, seed: int) -> None:
    with PART.open(tmp_path) as trial:
        assert trial(SeededRandom(seed))['frames'] > 0
