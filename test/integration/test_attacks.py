"""A sample of each attack on running nodes; `make soak` and `lucca attack` run them at length."""

import pytest

from lucca_lab.attack.campaign import run_campaign
from lucca_lab.attack.registry import NEED_ROS, PARTS, find_part

pytestmark = pytest.mark.ros

NAMES = [name for name, place in PARTS.items() if place.startswith(NEED_ROS) and find_part(name).sample]


@pytest.mark.parametrize('name', NAMES)
def test_the_promise_holds_on_a_sample(name, tmp_path):
    part = find_part(name)
    report = run_campaign(part, tmp_path, count=part.sample, seed=0)
    assert report.told == ()
