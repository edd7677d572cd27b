"""Motion outside of every intent is found, also where it is slow."""

from datetime import UTC, datetime

import pytest

from lucca_lab.attack.joint_motion import AT_REST_RAD, JointMotion, motion_outside

WINDOW = (datetime.fromtimestamp(10.0, UTC), datetime.fromtimestamp(12.0, UTC))


def test_joints_that_stand_still_have_not_moved():
    motion = JointMotion()
    for number in range(100):
        motion.measured(number, {'shoulder': 1.0 + AT_REST_RAD / 2 * (number % 2), 'elbow': -1.0})
    assert motion.take() == ()
    assert motion.heard == 100


def test_a_joint_that_creeps_has_moved():
    motion = JointMotion()
    for number in range(100):
        motion.measured(number, {'shoulder': 0.0, 'elbow': number * AT_REST_RAD / 10})
    assert len(motion.take()) >= 8


def test_what_was_taken_is_not_told_again():
    motion = JointMotion()
    motion.measured(1.0, {'elbow': 0.0})
    motion.measured(2.0, {'elbow': 1.0})
    assert motion.take() == (2.0,)
    motion.measured(3.0, {'elbow': 1.0})
    assert motion.take() == ()


@pytest.mark.parametrize(('time_s', 'outside'), [(9.9, True), (10.0, False), (12.9, False), (13.1, True)])
def test_a_measurement_comes_late_and_never_early(time_s, outside):
    assert motion_outside([time_s], [WINDOW], late_s=1.0) == ((time_s,) if outside else ())


def test_without_an_intent_all_motion_is_outside():
    assert motion_outside([1.0, 2.0], [], late_s=5.0) == (1.0, 2.0)
