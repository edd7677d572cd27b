"""By which seeds the attack on the one-stack rule starts two stacks at once."""

from collections import Counter

from lucca_lab.attack.attack import SeededRandom
from lucca_lab.attack.running.second_stack import PART, way_to_start


def test_half_of_the_trials_start_two_stacks_at_once_and_the_others_start_in_every_other_way():
    for first in (0, 1, 40):
        ways = Counter(way_to_start(SeededRandom(first + number)).__name__ for number in range(PART.count))
        assert ways['_together'] >= 50
        assert all(ways[name] >= 5 for name in ('_later', '_a_node', '_another_namespace'))


def test_a_seed_alone_chooses_the_way():
    assert all(way_to_start(SeededRandom(seed)) is way_to_start(SeededRandom(seed)) for seed in range(20))
