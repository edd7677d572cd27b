"""What a hostile peer sends, and what counts as motion that nobody asked for."""

import copy
import random
from datetime import UTC, datetime

import pytest
from lucca_interfaces.msg import Audio
from sensor_msgs.msg import Image, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from lucca_core.protocol.entries import EntryKind
from lucca_lab.attack.attack import Broken
from lucca_lab.attack.running import asked_motion, hostile_peer
from lucca_lab.attack.running.asked_motion import COMMANDS, AskedMotion
from lucca_lab.attack.running.hostile_peer import BURST, HostilePeer
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import TaskLog

pytestmark = pytest.mark.ros
JOINTS = ('/joint_states', 'sensor_msgs/msg/JointState')


class Ears:
    """A node that hears what a test tells it."""

    def __init__(self):
        self.heard = {}

    def create_subscription(self, kind, topic, callback, depth):
        self.heard[topic] = callback

    def get_publisher_names_and_types_by_node(self, node, namespace):
        return [('/arm/joint_trajectory', [COMMANDS]), ('/diagnostics', ['diagnostic_msgs/msg/DiagnosticArray'])]


def joints(second):
    msg = JointState(name=['a', 'b'], position=[1.0, 2.0])
    msg.header.stamp.sec = second
    return msg


def stamp_s(msg):
    return msg.header.stamp.sec + 1e-9 * msg.header.stamp.nanosec


@pytest.fixture
def peer():
    ears = Ears()
    peer = HostilePeer(ears)
    for second in (10, 11, 12):
        ears.heard['/joint_states'](joints(second))
    return peer


def test_a_burst_is_a_thousand_messages(peer):
    sent = []
    peer.burst(*JOINTS, sent.append, random.Random(1))
    assert len(sent) == BURST


def test_a_wrong_stamp_is_all_that_is_wrong_with_a_real_message(peer):
    sent = []
    for seed in range(20):
        peer.wrong_stamp(*JOINTS, sent.append, random.Random(seed))
    assert all(list(msg.position) == [1.0, 2.0] and stamp_s(msg) != 12.0 for msg in sent)
    assert len({stamp_s(msg) for msg in sent}) > 3


def test_messages_in_the_wrong_order_have_falling_stamps(peer):
    sent = []
    peer.wrong_order(*JOINTS, lambda msg: sent.append(copy.deepcopy(msg)), random.Random(1))
    assert [msg.header.stamp.sec for msg in sent] == [12, 11, 10]
    sent.clear()
    peer.wrong_order('/speech/audio_in', 'lucca_interfaces/msg/Audio', sent.append, random.Random(1))
    stamps = [(msg.stamp.sec, msg.stamp.nanosec) for msg in sent]
    assert all(isinstance(msg, Audio) for msg in sent)
    assert stamps == sorted(stamps, reverse=True)
    assert len(set(stamps)) == len(stamps) > 1


def test_a_forgery_goes_on_from_the_real_message_and_is_not_taken_for_one(peer):
    sent = []
    peer.forged(*JOINTS, sent.append, random.Random(1))
    assert all(isinstance(msg, JointState) for msg in sent)
    stamps_s = [stamp_s(msg) for msg in sent]
    assert stamps_s == sorted(stamps_s)
    assert 12.0 <= stamps_s[0] < stamps_s[-1] < 14.0


def test_of_a_topic_on_which_nothing_was_heard_nothing_can_be_forged(peer):
    with pytest.raises(Broken, match='nothing was heard'):
        peer.forged('/perception/objects', 'lucca_interfaces/msg/TableState', lambda msg: None, random.Random(1))


@pytest.mark.parametrize('change', [hostile_peer._moved, hostile_peer._without_one])
def test_a_forged_picture_has_its_size_and_another_content(change):
    picture = Image(height=2, width=2, step=6, data=bytes(range(12)))
    forgery = copy.deepcopy(picture)
    change(forgery, 0.01, 0.3)
    assert len(forgery.data) == len(picture.data)
    assert forgery.data != picture.data


def test_what_the_peer_sends_itself_is_not_taken_for_real(monkeypatch):
    ears = Ears()
    peer = HostilePeer(ears)
    now_s = [100.0]
    monkeypatch.setattr(hostile_peer.time, 'monotonic', lambda: now_s[0])
    with peer.sending():
        ears.heard['/joint_states'](joints(10))
    ears.heard['/joint_states'](joints(11))
    assert not peer.hears('/joint_states')
    now_s[0] += 1.0
    ears.heard['/joint_states'](joints(12))
    assert peer.hears('/joint_states')


def test_an_empty_message_has_nothing_in_it(peer):
    sent = []
    peer.empty(*JOINTS, sent.append, random.Random(1))
    assert sent == [JointState()]


def moving():
    return JointTrajectory(points=[JointTrajectoryPoint(), JointTrajectoryPoint()])


@pytest.fixture
def moves(tmp_path, monkeypatch):
    """The motion that is heard, the log of a task, and the ears that hear trajectories at once."""
    monkeypatch.setattr(asked_motion, '_LATE_S', 0.0)
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        ears = Ears()
        motion = AskedMotion(ears, folder.path)
        yield motion, TaskLog(folder, 'sorting'), lambda: ears.heard['/arm/joint_trajectory'](moving())


def test_a_trajectory_belongs_to_an_action_or_to_a_reset(moves):
    motion, log, move = moves
    log.append(Entry(kind=EntryKind.INTENT, action='<point(pear)>'))
    move()
    log.append(Entry(kind=EntryKind.OUTCOME, intent_id=1, action='<point(pear)>', code='done'))
    assert motion.check(asked=True) == 1
    with motion.reset():
        move()
    assert motion.check(asked=False) == 0
    move()
    with pytest.raises(Broken, match='1 trajectories without an action'):
        motion.check(asked=True)


def test_an_action_that_never_ended_excuses_nothing_after_the_next_one(moves):
    motion, log, move = moves
    log.append(Entry(kind=EntryKind.INTENT, action='<point(pear)>'))
    log.append(Entry(kind=EntryKind.INTENT, action='<point(cup)>'))
    log.append(Entry(kind=EntryKind.OUTCOME, intent_id=2, action='<point(cup)>', code='done'))
    move()
    with pytest.raises(Broken, match='1 trajectories without an action'):
        motion.check(asked=True)


def test_nothing_is_promised_where_no_trajectory_could_be_heard(tmp_path):
    ears = Ears()
    ears.get_publisher_names_and_types_by_node = lambda node, namespace: []
    with pytest.raises(Broken, match='publishes no trajectories'):
        AskedMotion(ears, tmp_path)


def test_a_trajectory_without_an_action_is_told(moves):
    motion, log, move = moves
    log.append(Entry(kind=EntryKind.STARTED))
    move()
    with pytest.raises(Broken, match='1 trajectories without an action'):
        motion.check(asked=True)


def test_an_action_that_nobody_asked_for_is_told(moves):
    motion, log, _ = moves
    log.append(Entry(kind=EntryKind.INTENT, action='<point(pear)>', time=datetime.now(UTC)))
    with pytest.raises(Broken, match='1 actions began that nobody asked for'):
        motion.check(asked=False)
