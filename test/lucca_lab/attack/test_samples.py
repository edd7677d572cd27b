"""A sample of each attack that needs no ROS; `make soak` and `lucca attack` run them at length."""

import pytest

from lucca_lab.attack.campaign import run_campaign
from lucca_lab.attack.registry import NEED_ROS, PARTS, find_part

# One trial of the others is too long for a sample.
NAMES = [name for name, place in PARTS.items() if not place.startswith(NEED_ROS) and find_part(name).sample]


@pytest.mark.parametrize('name', NAMES)
def test_the_promise_holds_on_a_sample(name, tmp_path):
    part = find_part(name)
    report = run_campaign(part, tmp_path, count=part.sample, seed=0)
    assert report.told == ()


@pytest.mark.parametrize(
    ('name', 'seed'),
    [
        # Lengths inside a record that fit no size, or no memory.
        ('recordings', 462),
        ('recordings', 1151),
        ('recordings', 3490),
    ],
)
def test_what_broke_once_holds(name, seed, tmp_path):
    report = run_campaign(find_part(name), tmp_path, count=1, seed=seed)
    assert report.told == ()
