"""A path, its chunks and what is left of it: always the same curve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_node.stop.joint_path import LEAST_PACE, JointPath


@st.composite
def paths(draw: st.DrawFn) -> JointPath:
    count, joints = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    seed = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    times = np.concatenate([[0.0], np.cumsum(seed.uniform(0.02, 0.4, count - 1))])
    velocities = seed.uniform(-1, 1, (count, joints))
    velocities[[0, -1]] = 0.0
    return JointPath(times, np.cumsum(seed.uniform(-0.3, 0.3, (count, joints)), axis=0), velocities)


@given(paths(), st.floats(0, 1))
def test_velocity_is_the_slope_of_position(path: JointPath, share: float) -> None:
    time_s, h = float(np.clip(share * path.duration_s, 1e-3, path.duration_s - 1e-3)), 1e-5
    slope = (path.at(time_s + h)[0] - path.at(time_s - h)[0]) / (2 * h)
    between = np.searchsorted(path.times_s, time_s - h) == np.searchsorted(path.times_s, time_s + h)
    if between:
        np.testing.assert_allclose(path.at(time_s)[1], slope, atol=1e-3)


@given(paths(), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0.05, 1.0))
def test_a_chunk_is_on_the_path_until_it_brakes_and_ends_at_rest_on_it(
    path: JointPath, begin: float, end: float, where: float, brake_s: float
) -> None:
    from_s, to_s = sorted((begin * path.duration_s, end * path.duration_s))
    to_s = max(to_s, from_s + 1e-2)
    chunk = path.chunk(from_s, to_s, brake_s)
    assert chunk.times_s[0] <= from_s + 1e-9
    assert abs(chunk.duration_s - min(to_s, path.duration_s)) < 1e-9
    assert not chunk.velocities[-1].any()
    np.testing.assert_allclose(chunk.positions[-1], path.at(path.resting_time(to_s, brake_s))[0], atol=1e-12)
    assert path.resting_time(to_s, brake_s) >= min(to_s - brake_s / 2, path.duration_s)
    brakes_at_s = to_s - brake_s if to_s < path.duration_s else path.duration_s
    if brakes_at_s > chunk.times_s[0]:
        time_s = chunk.times_s[0] + where * (brakes_at_s - chunk.times_s[0] - 1e-9)
        np.testing.assert_allclose(chunk.at(time_s)[0], path.at(time_s)[0], atol=1e-6)


@pytest.mark.parametrize('brake_s', [0.1, 0.2, 0.5])
@pytest.mark.parametrize('to_s', [0.52, 0.75, 1.0, 1.23])
def test_an_arm_brakes_along_its_path_at_a_constant_rate_and_no_harder(to_s: float, brake_s: float) -> None:
    """At 1 rad/s. It came to rest between the last two knots before, however near they were."""
    times = np.linspace(0.0, 2.0, 41)
    path = JointPath(times, times[:, None], np.ones((41, 1)))
    chunk = path.chunk(to_s - 0.5, to_s, brake_s)
    sampled = np.linspace(chunk.times_s[0], to_s - 1e-9, 2000)
    speeds = np.array([chunk.at(float(at_s))[1][0] for at_s in sampled])
    assert np.abs(np.diff(speeds)).max() / (sampled[1] - sampled[0]) == pytest.approx(1.0 / brake_s, rel=0.02)


@given(paths(), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_an_arm_comes_to_rest_within_its_accelerations_at_whatever_speed_of_the_path(
    path: JointPath, share: float, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    at_s, joints = share * path.duration_s, path.positions.shape[1]
    here, most = path.at(at_s)[0], chance.uniform(1.0, 20.0, joints)
    place = here + chance.uniform(-0.5, 0.5, joints)
    rest_s = path.time_to_rest(at_s, place, path.greatest_speeds(), most)
    for speeds in path.greatest_speeds() * chance.choice([-1, 0, 1], (4, joints)):
        # The accelerations of a cubic at its begin and at its end, between which they are linear.
        begin, end = 6 * (place - here) / rest_s**2, -4 * speeds / rest_s
        assert (np.abs(begin + end) <= most * (1 + 1e-9)).all()
        assert (np.abs(-begin - end / 2) <= most * (1 + 1e-9)).all()


@given(paths(), st.floats(-0.5, 1.5), st.floats(0, 0.5))
def test_greatest_speeds_are_those_of_the_knots_around(path: JointPath, share: float, later_s: float) -> None:
    from_s = share * path.duration_s
    greatest, (_, within) = path.greatest_speeds(from_s, from_s + later_s), path.at(from_s + later_s)
    knots = (path.times_s >= from_s) & (path.times_s <= from_s + later_s)
    assert (np.abs(path.velocities[knots]) <= greatest).all()
    assert (greatest <= path.greatest_speeds()).all()
    np.testing.assert_array_equal(path.greatest_speeds(), np.abs(path.velocities).max(axis=0))
    if not path.times_s[0] <= from_s + later_s or from_s >= path.duration_s:
        assert not greatest.any()
        assert not within.any()


@given(paths(), st.floats(0, 0.98), st.floats(0.05, 1.0))
def test_what_is_left_begins_at_rest_where_it_was_left_and_visits_the_same_places(
    path: JointPath, share: float, ramp_s: float
) -> None:
    at_s = share * path.duration_s
    left = path.resumed(at_s, ramp_s)
    np.testing.assert_allclose(left.positions[0], path.at(at_s)[0])
    assert not left.velocities[0].any()
    later = path.times_s > at_s + 1e-6
    np.testing.assert_allclose(left.positions[1:], path.positions[later])
    assert (np.abs(left.velocities[1:]) <= np.abs(path.velocities[later]) + 1e-12).all()
    assert left.duration_s >= path.duration_s - at_s - 1e-9


@pytest.mark.parametrize(
    ('times', 'message'), [([0.0, 0.0], 'must rise'), ([-1.0, 0.0], 'must rise'), ([0.0, np.nan], 'not finite')]
)
def test_a_path_that_is_none_is_refused(times: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        JointPath(np.array(times), np.zeros((2, 1)), np.zeros((2, 1)))


@given(paths(), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_no_joint_comes_back_faster_than_it_goes_on_the_path(path: JointPath, share: float, seed: int) -> None:
    at_s = share * path.duration_s
    there, _ = path.at(at_s)
    back = there + np.random.default_rng(seed).uniform(-0.5, 0.5, len(there))
    fastest = 1.5 * np.abs(back - there) / path.time_from(at_s, back)
    assert (fastest <= np.maximum(LEAST_PACE, np.abs(path.velocities).max(axis=0)) + 1e-9).all()


def test_a_slow_joint_takes_its_own_time_beside_a_fast_one() -> None:
    knots = np.array([[0.0, 0.0], [2.0, 0.1]])
    path = JointPath(np.array([0.0, 1.0]), knots, np.array([[2.0, 0.1], [2.0, 0.1]]))
    assert path.time_from(0.5, np.array([1.0, 0.35])) == pytest.approx(1.5 * 0.3 / LEAST_PACE)
