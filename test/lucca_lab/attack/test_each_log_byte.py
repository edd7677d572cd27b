"""A campaign of the default length cuts the logs after each byte, and flips each bit."""

import pytest

from lucca_lab.attack.attack import SeededRandom
from lucca_lab.attack.each_log_byte import BITS, CUTS


@pytest.mark.parametrize('part', [CUTS, BITS], ids=lambda part: part.name)
def test_trials_up_to_the_default_count_are_at_different_places_and_those_after_it_are_not(part, tmp_path):
    with part.open(tmp_path) as trial:
        counted = [trial(SeededRandom(37_000, number))['different places'] for number in (part.count - 1, part.count)]
    assert counted == [1, 0]
