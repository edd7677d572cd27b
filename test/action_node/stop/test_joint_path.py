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


@given(paths(), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_chunk_is_on_the_path_up_to_its_last_interval_and_ends_at_rest(
    path: JointPath, begin: float, end: float, where: float
) -> None:
    from_s, to_s = sorted((begin * path.duration_s, end * path.duration_s))
    to_s = max(to_s, from_s + 1e-2)
    chunk = path.chunk(from_s, to_s)
    assert chunk.times_s[0] <= from_s + 1e-9
    assert abs(chunk.duration_s - min(to_s, path.duration_s)) < 1e-9
    assert not chunk.velocities[-1].any()
    np.testing.assert_allclose(chunk.positions[-1], path.at(chunk.duration_s)[0], atol=1e-12)
    if len(chunk.times_s) > 2:
        time_s = chunk.times_s[0] + where * (chunk.times_s[-2] - chunk.times_s[0])
        np.testing.assert_allclose(chunk.at(time_s)[0], path.at(time_s)[0], atol=1e-9)


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
