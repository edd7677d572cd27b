"""Joint states of any publishers and reliability are received, and a goal is answered even while time stands still."""

from collections.abc import Callable

import pytest
from fakes import ARM_CONTROLLER, HAND_CONTROLLER
from node_rig import Rig
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from lucca_core.codes import ReasonCode

pytestmark = pytest.mark.ros

BEST_EFFORT = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)


class Apart:
    """Publishes each joint by a publisher of its own, as controllers may that are apart; some may fall silent."""

    def __init__(self, rig: Rig, names: list[str]) -> None:
        node = rig.helper
        self._publishers = {name: node.create_publisher(JointState, 'joint_states', BEST_EFFORT) for name in names}
        self.silent: set[str] = set()

    def publish(self, msg: JointState) -> None:
        for name, position in zip(msg.name, msg.position, strict=True):
            if name not in self.silent:
                self._publishers[name].publish(JointState(header=msg.header, name=[name], position=[position]))


def publish_apart(rig: Rig) -> Apart:
    names = list(rig.world.table.joints().positions)
    assert len(names) > 1
    before, apart = rig.world.joint_states, Apart(rig, names)
    rig.world.joint_states = apart
    rig.helper.destroy_publisher(before)
    rig.node._arms._joints = None
    rig.until(lambda: (sample := rig.node._arms.joints()) is not None and set(names) <= set(sample.positions))
    return apart


def test_joints_that_are_published_apart_and_as_best_effort_are_one_robot(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig()
    publish_apart(rig)
    result = rig.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.DONE, result.message


def test_where_one_publisher_falls_silent_nothing_moves(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(joints_silence_s=0.5)
    apart = publish_apart(rig)
    (silent, *_) = rig.world.table.joints().positions
    apart.silent.add(silent)
    rig.until(lambda: (sample := rig.node._arms.joints()) is not None and silent not in sample.positions)
    sent = rig.world.trajectories
    result = rig.do('<move_to_box_1(pear)>')
    assert (result.code, rig.world.trajectories) == (ReasonCode.HARDWARE_FAULT, sent)
    assert silent in result.message


@pytest.mark.parametrize('text', ['<move_to_box_1(pear)>', '<point(apple)>', '<move_to_box_1(plum)>', 'no action'])
def test_a_goal_without_a_clock_is_answered(new_rig: Callable[..., Rig], text: str) -> None:
    rig = new_rig(use_sim_time=True)
    result, _ = rig.result(rig.send(text))
    assert result.code is not ReasonCode.DONE
    assert rig.world.trajectories == 0


def test_in_a_dry_run_nobody_is_there_who_could_send_a_trajectory(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(dry_run=True)
    planned: list[JointTrajectory] = []
    for name in (ARM_CONTROLLER, HAND_CONTROLLER):
        rig.helper.create_subscription(JointTrajectory, f'{name}/planned_trajectory', planned.append, 10)
    rig.until(lambda: rig.helper.count_publishers(f'{ARM_CONTROLLER}/planned_trajectory') > 0)
    result = rig.do('<move_to_box_1(pear)>')
    assert (result.code, result.intent_id) == (ReasonCode.STOPPED, 0), result.message
    assert result.message.startswith('dry run:')
    rig.until(lambda: bool(planned))
    assert rig.helper.count_publishers(f'{ARM_CONTROLLER}/joint_trajectory') == 0
    assert rig.world.trajectories == 0
    assert not rig.world.entries
