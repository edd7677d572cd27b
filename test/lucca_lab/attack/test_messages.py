"""Every kind of message has its turn on every topic, however many topics there are."""

import pytest

pytest.importorskip('rclpy')

from lucca_lab.attack.attack import turn_of
from lucca_lab.attack.running.messages import is_of_topics, may_ask, number_of_turn

pytestmark = pytest.mark.ros


@pytest.mark.parametrize('asking', [True, False])
@pytest.mark.parametrize('turns', [12, 40, 50, 60, 65, 75, 80, 91, 130])
def test_every_turn_is_taken(turns, asking):
    seeds = [seed for seed in range(54_000, 54_800) if is_of_topics(seed) and may_ask(seed) is asking]
    assert {turn_of(number_of_turn(seed), turns) for seed in seeds} == set(range(turns))
