"""What of a stack is told as events, whatever its drivers send."""

import base64

import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import CompressedImage, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from lucca_cli.stack_events import StackEvents
from lucca_core.errors import StackError
from lucca_core.protocol.prohibitions import Prohibition, ProhibitionsAnswer
from lucca_core.protocol.refusal import Refusal
from lucca_ros.conversions.images import jpeg_to_msg
from lucca_ros.conversions.prohibitions import PROHIBITIONS
from lucca_view.events import JointsSeen, ProhibitionsKnown
from perception_node.conversions import rgb_from_msg

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


def test_a_picture_is_told_as_the_jpeg_that_it_is(events, told):
    picture = jpeg_to_msg(np.full((48, 64, 3), (200, 30, 30), np.uint8), 2.5, 'camera')
    events._on_picture(serialize_message(picture), INFO)
    assert base64.b64decode(told[0].value.jpeg_base64) == bytes(picture.data)
    assert told[0].stamp_s == 2.5
    shown = rgb_from_msg(picture)
    assert np.abs(shown.astype(int) - (200, 30, 30)).max() < 8


HUGE = b'\xff\xd8\xff\xc0\x00\x11\x08\xff\xf0\xff\xf0\x03'
"""A JPEG that says it has 65520 x 65520 pixels."""


@pytest.mark.parametrize('data', [b'', b'\x89PNG', b'\xff\xd8', b'\xff\xd8\xff' + bytes(4_000_000), HUGE])
def test_a_picture_that_cannot_be_shown_is_left_out(events, told, data):
    events._on_picture(serialize_message(CompressedImage(format='jpeg', data=data)), INFO)
    assert told == []


@pytest.mark.parametrize(('position', 'shown'), [(0.5, 1), (float('nan'), 0), (float('inf'), 0)])
def test_a_path_to_nowhere_is_left_out(events, told, position, shown):
    path = JointTrajectory(joint_names=['elbow'], points=[JointTrajectoryPoint(positions=[position])])
    events._on_path('left', path, INFO)
    assert len(told) == shown


def test_what_is_prohibited_is_told_and_that_it_is_not_known_too(events, told):
    kept = Prohibition(what='fruit', person='Ana')
    answers = [ProhibitionsAnswer(prohibitions=(kept,)), Refusal('the file cannot be read'), StackError('it is away')]

    class Caller:
        def ask(self, request, timeout_s):
            answer = answers.pop(0)
            if isinstance(answer, StackError):
                raise answer
            return PROHIBITIONS.answer.to_msg(answer)

    events._prohibitions = Caller()
    for _ in range(3):
        events.ask_prohibitions()
    assert [event.value for event in told] == [
        ProhibitionsKnown(prohibitions=(kept,)),
        ProhibitionsKnown(unknown='the file cannot be read'),
        ProhibitionsKnown(unknown='it is away'),
    ]
