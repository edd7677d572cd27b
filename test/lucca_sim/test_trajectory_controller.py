"""The trajectory controller keeps ros2_control's promises."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_sim.trajectory_controller import Trajectory, TrajectoryController

JOINTS = ('a', 'b')
LIMITS = {'a': (-1.0, 1.0), 'b': (-2.0, 2.0)}
ANGLES = st.floats(min_value=-0.9, max_value=0.9)


def controller(start: tuple[float, float] = (0.0, 0.0)) -> TrajectoryController:
    return TrajectoryController('arm', JOINTS, LIMITS, start)


def test_it_holds_its_start_until_told_otherwise() -> None:
    assert controller((0.3, -0.2)).target(100.0) == {'a': 0.3, 'b': -0.2}


def test_it_goes_straight_to_a_point_from_where_it_is() -> None:
    arm = controller()
    arm.command(Trajectory(JOINTS, [2.0], [(1.0, -1.0)], None, 0), 10.0)
    assert arm.target(11.0) == pytest.approx({'a': 0.5, 'b': -0.5})
    assert arm.sample(11.0)[1] == pytest.approx((0.5, -0.5))


def test_it_holds_the_last_point() -> None:
    arm = controller()
    arm.command(Trajectory(JOINTS, [1.0, 2.0], [(0.5, 0.5), (0.2, 0.1)], [(0, 0), (1, 1)], 0), 0.0)
    assert arm.target(2.0) == pytest.approx({'a': 0.2, 'b': 0.1})
    position, velocity = arm.sample(50.0)
    assert position == pytest.approx((0.2, 0.1))
    assert velocity == pytest.approx((0.0, 0.0))
    assert not arm.is_moving(2.0)


def test_joints_may_come_in_any_order() -> None:
    arm = controller()
    arm.command(Trajectory(('b', 'a'), [1.0], [(0.7, 0.1)], None, 0), 0.0)
    assert arm.target(1.0) == pytest.approx({'a': 0.1, 'b': 0.7})


def test_a_new_trajectory_replaces_the_old_without_a_jump() -> None:
    arm = controller()
    arm.command(Trajectory(JOINTS, [1.0], [(1.0, 1.0)], None, 0), 0.0)
    before = arm.sample(0.5)[0]
    arm.command(Trajectory(JOINTS, [1.0], [(-1.0, -1.0)], None, 0), 0.5)
    assert arm.sample(0.5)[0] == pytest.approx(before)
    assert arm.sample(1.5)[0] == pytest.approx((-1.0, -1.0))


def test_a_trajectory_that_began_already_is_joined_in_the_middle() -> None:
    arm = controller((0.5, 0.5))
    arm.command(Trajectory(JOINTS, [0.0, 2.0], [(0.0, 0.0), (1.0, 1.0)], None, 9.0), 10.0)
    assert arm.sample(10.0)[0] == pytest.approx((0.5, 0.5))


def test_a_late_trajectory_is_caught_up_with_and_not_jumped_into() -> None:
    arm = controller()
    arm.command(Trajectory(JOINTS, [0.0, 2.0], [(0.0, 0.0), (1.0, 1.0)], [(0.5, 0.5), (0.5, 0.5)], 9.2), 10.0)
    asked = [arm.sample(10.0 + 0.01 * tick)[0][0] for tick in range(200)]
    assert asked[0] == pytest.approx(0.0)
    assert max(abs(one - other) for one, other in itertools.pairwise(asked)) < 0.03
    assert arm.sample(10.5)[0] == pytest.approx((0.65, 0.65))
    assert arm.sample(12.0)[0] == pytest.approx((1.0, 1.0))


@settings(max_examples=80, deadline=None)
@given(
    first=st.tuples(ANGLES, ANGLES),
    second=st.tuples(ANGLES, ANGLES),
    third=st.tuples(ANGLES, ANGLES),
    start=st.floats(min_value=0.01, max_value=5),
    now=st.floats(min_value=0.1, max_value=4),
    smooth=st.booleans(),
)
def test_no_command_makes_what_is_asked_for_jump(
    first: tuple[float, float],
    second: tuple[float, float],
    third: tuple[float, float],
    start: float,
    now: float,
    smooth: bool,
) -> None:
    arm = controller()
    rates = [(0.0, 0.0), (0.0, 0.0)] if smooth else None
    arm.command(Trajectory(JOINTS, [1.0, 2.0], [first, second], rates, 0), 0.0)
    before = arm.sample(now)[0]
    arm.command(Trajectory(JOINTS, [0.0, 4.0], [second, third], rates, start), now)
    assert arm.sample(now)[0] == pytest.approx(before, abs=1e-6)
    # What comes too late is caught up with, at 1 rad/s, be it beyond its end.
    behind_s = 0.05 + max(np.abs(np.subtract(point, before)).max() for point in (second, third))
    assert arm.sample(start + 4.0 + behind_s)[0] == pytest.approx(third, abs=1e-6)


def test_a_later_start_is_awaited() -> None:
    arm = controller()
    arm.command(Trajectory(JOINTS, [0.0, 1.0], [(0.0, 0.0), (1.0, 1.0)], [(0, 0), (0, 0)], 5.0), 3.0)
    assert arm.sample(4.0)[0] == pytest.approx((0.0, 0.0))
    assert arm.sample(6.0)[0] == pytest.approx((1.0, 1.0))


def test_limits_bind() -> None:
    arm = controller()
    arm.command(Trajectory(JOINTS, [1.0], [(7.0, -7.0)], None, 0), 0.0)
    assert arm.target(1.0) == {'a': 1.0, 'b': -2.0}


@settings(max_examples=50, deadline=None)
@given(
    points=st.lists(st.tuples(ANGLES, ANGLES), min_size=1, max_size=6),
    gaps=st.lists(st.floats(min_value=0.1, max_value=2), min_size=6, max_size=6),
)
def test_it_passes_through_every_point_and_its_velocity_is_its_slope(
    points: list[tuple[float, float]], gaps: list[float]
) -> None:
    arm = controller()
    times = np.cumsum(gaps[: len(points)])
    arm.command(Trajectory(JOINTS, times, points, np.full((len(points), 2), 0.05), 0), 0.0)
    for time, point in zip(times[:-1], points[:-1], strict=True):
        assert arm.sample(time)[0] == pytest.approx(point, abs=1e-9)
    middle, step = 0.37 * times[-1], 1e-6
    slope = (arm.sample(middle + step)[0] - arm.sample(middle - step)[0]) / (2 * step)
    inside = np.abs(arm.sample(middle)[0]) < (0.999, 1.999)
    assert arm.sample(middle)[1][inside] == pytest.approx(slope[inside], abs=1e-3)


@pytest.mark.parametrize(
    ('joints', 'times', 'positions', 'velocities', 'start', 'reason'),
    [
        (('a', 'c'), [1.0], [(0, 0)], None, 0, 'joints must be'),
        (('a',), [1.0], [(0,)], None, 0, 'joints must be'),
        (('a', 'a', 'b'), [1.0], [(0, 0, 0)], None, 0, 'joints must be'),
        (JOINTS, [], [], None, 0, 'needs times'),
        (JOINTS, [1.0, 2.0], [(0, 0)], None, 0, 'needs times'),
        (JOINTS, [1.0], [(0, math.nan)], None, 0, 'not finite'),
        (JOINTS, [1.0], [(0, 0)], [(math.inf, 0)], 0, 'not finite'),
        (JOINTS, [1.0], [(0, 0)], [(0,)], 0, 'do not match'),
        (JOINTS, [1.0, 1.0], [(0, 0), (1, 1)], None, 0, 'must increase'),
        (JOINTS, [-1.0], [(0, 0)], None, 0, 'must increase'),
        (JOINTS, [1.0], [(0, 0)], None, 3.0, 'ended at 4.000 s'),
    ],
)
def test_what_it_cannot_follow_is_refused_and_changes_nothing(
    joints: tuple[str, ...], times: list[float], positions: list, velocities: list | None, start: float, reason: str
) -> None:
    arm = controller((0.1, 0.2))
    with pytest.raises(ValueError, match=reason):
        arm.command(Trajectory(joints, times, positions, velocities, start), 5.0)
    assert arm.target(9.0) == {'a': 0.1, 'b': 0.2}
