"""A campaign of the default length cuts the logs after each byte, and flips each bit."""

import pytest

from lucca_lab.attack.attack import SeededRandom, turn_of
from lucca_lab.attack.each_log_byte import BITS, CUTS


@pytest.mark.parametrize('part', [CUTS, BITS], ids=lambda part: part.name)
def test_a_campaign_of_the_default_length_tries_each_place_once(part, tmp_path):
    assert len({turn_of(seed, part.count) for seed in range(37_000, 37_000 + part.count)}) == part.count
    with part.open(tmp_path) as trial:
        first, other, again = (trial(SeededRandom(seed)) for seed in (37_000, 37_001, 37_000 + part.count))
    assert [counted['different places'] for counted in (first, other, again)] == [1, 1, 0]
