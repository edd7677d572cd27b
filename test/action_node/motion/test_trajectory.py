import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from action_node.motion.trajectory import positions_at, smooth_trajectory

SPEEDS = np.array([1.0, 2.0, 0.5])


def paths() -> st.SearchStrategy[np.ndarray]:
    point = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
    return st.lists(point, min_size=2, max_size=6).map(np.array)


def segment_through(waypoints: np.ndarray, **options: object):
    chosen = {'joint_speeds': SPEEDS, 'smoothing_s': 0.3, 'sample_s': 0.05, **options}
    return smooth_trajectory('move', 'controller', ('a', 'b', 'c'), waypoints, **chosen)


@settings(max_examples=60, deadline=None)
@given(waypoints=paths())
def test_it_begins_and_ends_exactly_at_the_ends_and_at_rest(waypoints: np.ndarray) -> None:
    segment = segment_through(waypoints)
    np.testing.assert_array_equal(segment.positions[0], waypoints[0])
    assert np.abs(segment.positions[-1] - waypoints[-1]).max() < 1e-5
    assert not segment.velocities[[0, -1]].any()
    assert segment.times_s[0] == 0.0
    assert (np.diff(segment.times_s) > 0).all()


@settings(max_examples=60, deadline=None)
@given(waypoints=paths())
def test_no_joint_is_faster_than_its_limit_between_the_points_either(waypoints: np.ndarray) -> None:
    segment = segment_through(waypoints)
    times = np.arange(0.0, segment.duration_s, 0.002)
    if len(times) < 3:
        return
    speeds = np.abs(np.diff(positions_at(segment, times), axis=0)) / 0.002
    assert (speeds.max(axis=0) <= SPEEDS * 1.03).all()


@settings(max_examples=60, deadline=None)
@given(waypoints=paths())
def test_it_never_leaves_the_range_of_its_waypoints(waypoints: np.ndarray) -> None:
    segment = segment_through(waypoints)
    sampled = positions_at(segment, np.arange(0.0, segment.duration_s, 0.01))
    assert (sampled >= waypoints.min(axis=0) - 1e-12).all()
    assert (sampled <= waypoints.max(axis=0) + 1e-12).all()


def test_a_tool_that_would_be_too_fast_slows_the_whole_down() -> None:
    waypoints = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.2]])
    free = segment_through(waypoints)
    slow = segment_through(waypoints, tool_path=lambda q: q * 0.7, tool_speed_mps=0.2)
    assert slow.duration_s > 2 * free.duration_s
    sampled = positions_at(slow, np.arange(0.0, slow.duration_s, 0.01)) * 0.7
    assert np.linalg.norm(np.diff(sampled, axis=0), axis=1).max() / 0.01 < 0.202


def test_a_dwell_is_rest_at_the_end() -> None:
    segment = segment_through(np.array([[0.0] * 3, [0.5] * 3]), dwell_s=0.8)
    assert segment.times_s[-1] - segment.times_s[-2] == pytest.approx(0.8)
    np.testing.assert_array_equal(segment.positions[-1], segment.positions[-2])


def test_a_path_that_leads_nowhere_is_a_short_rest() -> None:
    segment = segment_through(np.array([[0.1, 0.2, 0.3]] * 3))
    assert len(segment.times_s) == 2
    assert not segment.velocities.any()
