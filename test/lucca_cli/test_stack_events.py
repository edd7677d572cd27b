"""What of a stack is told as events, whatever its drivers send."""

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Image, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from lucca_cli.stack_events import StackEvents
from lucca_view.events import JointsSeen, PictureSeen

pytestmark = pytest.mark.ros

INFO = {'received_timestamp': 1_000_000_000}


@pytest.fixture
def told():
    return []


@pytest.fixture
def events(told):
    """Events of no stack: only what its callbacks make of messages."""
    made = StackEvents.__new__(StackEvents)
    vars(made).update(_take=told.append, _joints={}, _joints_seen=None, _newest_s={}, _gap_s=0.0, _stamp_s=0.0)
    return made


def test_a_joint_without_a_position_is_left_out(events, told):
    events._on_joints(JointState(name=['elbow', 'wrist'], position=[float('nan'), 0.5]), INFO)
    events._tell_joints()
    assert told[0].value == JointsSeen(positions={'wrist': 0.5})


def test_the_joints_of_several_publishers_are_told_together(events, told):
    for name, position in (('elbow', 0.1), ('thumb', 0.2), ('elbow', 0.3)):
        events._on_joints(JointState(name=[name], position=[position]), INFO)
    events._tell_joints()
    events._tell_joints()
    assert [event.value for event in told] == [JointsSeen(positions={'elbow': 0.3, 'thumb': 0.2})]
    assert told[0].wall_s == 1.0


@pytest.mark.parametrize(
    ('encoding', 'step', 'length', 'shown'),
    [
        ('rgb8', 12, 24, 1),
        ('bgr8', 12, 24, 1),
        ('rgb8', 16, 32, 1),
        ('mono8', 4, 8, 0),
        ('rgb8', 12, 23, 0),
        ('rgb8', 4, 24, 0),
    ],
)
def test_a_picture_that_cannot_be_shown_is_left_out(events, told, encoding, step, length, shown):
    data = np.zeros(length, np.uint8).tobytes()
    events._on_picture(serialize_message(Image(height=2, width=4, encoding=encoding, step=step, data=data)), INFO)
    assert len(told) == shown
    assert all(isinstance(event.value, PictureSeen) for event in told)


@pytest.mark.parametrize(('position', 'shown'), [(0.5, 1), (float('nan'), 0), (float('inf'), 0)])
def test_a_path_to_nowhere_is_left_out(events, told, position, shown):
    path = JointTrajectory(joint_names=['elbow'], points=[JointTrajectoryPoint(positions=[position])])
    events._on_path('left', path, INFO)
    assert len(told) == shown
