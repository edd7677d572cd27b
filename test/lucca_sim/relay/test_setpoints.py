"""The relay follows stamped chunks as ros2_control does, whatever its rate; Gazebo's own controller would jump."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_sim.relay.setpoints import SetpointRelay
from lucca_sim.trajectory_controller import Trajectory

JOINTS = ('shoulder', 'elbow')
RATE_HZ = 125.0


def relay(silence_s: float = 0.5, lag_s: float = 0.0) -> SetpointRelay:
    limits = dict.fromkeys(JOINTS, (-3.0, 3.0))
    return SetpointRelay({'arm': JOINTS}, limits, dict.fromkeys(JOINTS, lag_s), silence_s)


def path(time_s: float, duration_s: float) -> np.ndarray:
    """A motion from rest to rest."""
    part = np.clip(time_s / duration_s, 0.0, 1.0)
    return np.array([1.0, -0.5]) * (3 * part**2 - 2 * part**3)


def chunk(begin_s: float, end_s: float, duration_s: float) -> tuple[np.ndarray, np.ndarray]:
    """Times after its beginning and positions of a part of the motion, as the action node sends it."""
    times = np.linspace(0.0, end_s - begin_s, 11)
    return times, np.array([path(begin_s + time, duration_s) for time in times])


@settings(max_examples=40, deadline=None)
@given(duration_s=st.floats(1.0, 6.0), late_s=st.floats(0.0, 0.2), ahead_s=st.floats(0.5, 1.5))
def test_overlapping_chunks_give_one_smooth_motion(duration_s: float, late_s: float, ahead_s: float) -> None:
    followed, begun_s = relay(), 10.0
    followed.measured(dict.fromkeys(JOINTS, 0.0), begun_s - 0.01)
    fastest, last, asked = 1.5 * 1.0 / duration_s, np.zeros(2), []
    sent_s = -1.0
    for tick in range(round((duration_s + 1.0) * RATE_HZ)):
        now_s = begun_s + tick / RATE_HZ
        followed.measured(dict(zip(JOINTS, last, strict=True)), now_s)
        since_s = now_s - begun_s
        if since_s <= duration_s and since_s - sent_s > ahead_s / 2:
            sent_s = since_s
            times, points = chunk(max(0.0, since_s - late_s), since_s + ahead_s, duration_s)
            followed.command(
                'arm', Trajectory(JOINTS, times, points, None, begun_s + max(0.0, since_s - late_s)), now_s
            )
        for setpoint in followed.setpoints(now_s).values():
            asked.append(setpoint - last)
            last = setpoint
    assert last == pytest.approx(path(duration_s, duration_s), abs=1e-6)
    # A straight line between points is no faster than the path, up to the joining of two chunks.
    assert np.abs(asked).max() * RATE_HZ < 1.25 * fastest + 0.05


def test_nothing_is_asked_before_the_first_trajectory() -> None:
    followed = relay()
    followed.measured(dict.fromkeys(JOINTS, 0.0), 1.0)
    assert followed.setpoints(1.1) == {}


def test_a_trajectory_is_refused_while_joints_are_missing() -> None:
    followed = relay()
    followed.measured({'shoulder': 0.0}, 1.0)
    with pytest.raises(ValueError, match=r"arm: its joints \['shoulder', 'elbow'\] send no states"):
        followed.command('arm', Trajectory(JOINTS, [0.5], [[0.1, 0.1]], None, 0.0), 1.1)
    assert followed.setpoints(1.1) == {}


def test_a_trajectory_begins_where_the_joints_were_measured_last() -> None:
    followed = relay()
    followed.measured({'shoulder': 0.0, 'elbow': 0.0}, 1.0)
    followed.measured({'shoulder': 0.7, 'elbow': -0.2}, 1.2)
    followed.command('arm', Trajectory(JOINTS, [2.0], [[0.8, -0.2]], None, 0.0), 1.2)
    assert followed.setpoints(1.2)['arm'] == pytest.approx([0.7, -0.2])


def test_silent_joints_end_a_motion_until_the_next_trajectory() -> None:
    followed = relay(silence_s=0.3)
    followed.measured(dict.fromkeys(JOINTS, 0.0), 1.0)
    followed.command('arm', Trajectory(JOINTS, [4.0], [[1.0, 1.0]], None, 0.0), 1.0)
    assert followed.setpoints(1.2)
    assert followed.setpoints(1.5) == {}
    followed.measured({'shoulder': 0.1, 'elbow': 0.1}, 2.0)
    assert followed.setpoints(2.0) == {}
    followed.command('arm', Trajectory(JOINTS, [1.0], [[0.2, 0.2]], None, 0.0), 2.0)
    assert followed.setpoints(2.0)['arm'] == pytest.approx([0.1, 0.1])


def test_when_time_goes_back_the_motion_is_over() -> None:
    followed = relay()
    followed.measured(dict.fromkeys(JOINTS, 0.0), 50.0)
    followed.command('arm', Trajectory(JOINTS, [4.0], [[1.0, 1.0]], None, 0.0), 50.0)
    assert followed.setpoints(50.1)
    followed.measured(dict.fromkeys(JOINTS, 0.0), 0.1)
    assert followed.setpoints(0.2) == {}


def test_a_servo_that_lags_is_asked_for_what_is_due_later() -> None:
    followed = relay(lag_s=0.1, silence_s=5.0)
    followed.measured(dict.fromkeys(JOINTS, 0.0), 1.0)
    followed.command('arm', Trajectory(JOINTS, [0.0, 2.0], [[0.0, 0.0], [1.0, 1.0]], None, 1.0), 1.0)
    assert followed.setpoints(2.0)['arm'] == pytest.approx([0.55, 0.55])
    assert followed.setpoints(3.0)['arm'] == pytest.approx([1.0, 1.0])
    assert followed.setpoints(3.1) == {}


def test_the_joints_of_a_controller_may_come_from_several_publishers() -> None:
    followed = relay(silence_s=0.5)
    for tick in range(10):
        followed.measured({'shoulder': 0.1}, 1.0 + 0.1 * tick)
        followed.measured({'elbow': -0.2}, 1.05 + 0.1 * tick)
    followed.command('arm', Trajectory(JOINTS, [0.0, 1.0], [[0.1, -0.2], [0.2, -0.2]], None, 2.0), 2.0)
    assert followed.setpoints(2.1)['arm'] == pytest.approx([0.11, -0.2])


def test_a_controller_is_silent_if_one_of_its_publishers_is() -> None:
    followed = relay(silence_s=0.5)
    followed.measured({'elbow': -0.2}, 1.0)
    for tick in range(10):
        followed.measured({'shoulder': 0.1}, 1.0 + 0.1 * tick)
    with pytest.raises(ValueError, match='send no states'):
        followed.command('arm', Trajectory(JOINTS, [0.0, 1.0], [[0.1, -0.2], [0.2, -0.2]], None, 2.0), 2.0)


@pytest.mark.parametrize('position', [float('nan'), float('inf')])
def test_a_joint_without_a_finite_position_makes_its_controller_silent(position: float) -> None:
    followed = relay()
    followed.measured({'shoulder': 0.1, 'elbow': -0.2}, 1.0)
    followed.measured({'elbow': position}, 1.1)
    for tick in range(10):
        followed.measured({'shoulder': 0.1}, 1.2 + 0.1 * tick)
    with pytest.raises(ValueError, match='send no states'):
        followed.command('arm', Trajectory(JOINTS, [0.0, 1.0], [[0.1, -0.2], [0.2, -0.2]], None, 2.2), 2.2)
