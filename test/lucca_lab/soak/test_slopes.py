"""Slopes of sizes over goals: levels of single processes do not count, and chance alone is called flat."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_lab.soak.slopes import slope_per_goal


@given(
    slope=st.floats(-50, 50),
    levels=st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=4),
    length=st.integers(5, 40),
)
def test_a_straight_line_is_found_whatever_level_each_process_began_at(slope, levels, length):
    goals = list(range(len(levels) * length))
    lives = [goal // length for goal in goals]
    sizes = [levels[life] + slope * goal for goal, life in zip(goals, lives, strict=True)]
    found = slope_per_goal(goals, sizes, lives)
    assert found.per_goal == pytest.approx(slope, abs=1e-6)
    assert found.low - 1e-6 <= slope <= found.high + 1e-6
    assert (found.lives, found.samples) == (len(levels), len(goals))


def test_noise_around_a_level_is_flat_in_nineteen_of_twenty_draws():
    flat = 0
    for seed in range(200):
        chance = random.Random(seed)
        sizes = [1000 + chance.gauss(0, 10) for _ in range(300)]
        flat += slope_per_goal(range(300), sizes, [0] * 300).is_flat
    assert 180 <= flat <= 200


def test_growth_is_not_flat():
    chance = random.Random(1)
    sizes = [goal + chance.gauss(0, 10) for goal in range(300)]
    assert slope_per_goal(range(300), sizes, [0] * 300).low > 0.9


def test_the_beginning_of_each_process_is_left_out():
    sizes = [0.0, 500.0, 1000.0] + [1000.0] * 20
    found = slope_per_goal(range(46), sizes * 2, [1] * 23 + [2] * 23, warm_up=2)
    assert (found.per_goal, found.is_flat, found.samples) == (0.0, True, 42)


def test_too_few_samples_give_no_slope():
    assert slope_per_goal([1, 2, 3], [1.0, 2.0, 3.0], [1, 1, 1], warm_up=2) is None
