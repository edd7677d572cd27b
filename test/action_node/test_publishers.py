"""What is around the action node may be silent or have another name or QoS, and time may stand still."""

import math
import threading
from collections.abc import Callable
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_CONTROLLER, HOME, FakeBody
from lucca_interfaces.srv import Record
from node_rig import Rig
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from action_node.conversions import joints_from_msg
from lucca_core.codes import ReasonCode
from lucca_core.protocol.observations import OTHER_SENDERS

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


def test_where_nobody_reads_joint_states_any_more_in_mid_motion_the_arm_holds(
    new_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = new_rig(joints_silence_s=1.0)
    rig.planner.speed = 0.2  # five seconds to the pear
    table, through, hangs = rig.world.table, threading.Event(), threading.Event()

    def hang(msg: JointState) -> Any:
        hangs.set()
        through.wait()
        return joints_from_msg(msg)

    try:
        handle = rig.send('<move_to_box_1(pear)>')
        rig.until(lambda: rig.world.trajectories > 0)
        monkeypatch.setattr('action_node.ros_interfaces.joints_from_msg', hang)
        result, _ = rig.result(handle)
        assert hangs.is_set()
        assert result.code is ReasonCode.HARDWARE_FAULT
        assert 'silent' in result.message
        assert rig.node._executor().stopped
        held_s = table.now_s()
        rig.until(lambda: table.now_s() > held_s + 0.3)
        where, sent = dict(table.positions), rig.world.trajectories
        rig.until(lambda: table.now_s() > held_s + 0.8)
        assert (dict(table.positions), rig.world.trajectories) == (where, sent)
        assert HOME < where[ARM_JOINT] < -0.1, 'between home and the pear'
    finally:
        through.set()


def test_a_memory_of_another_name_is_found(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(remaps=('memory/record:=worker/record',))
    rig.helper.destroy_service(rig.world.memory)
    rig.helper.create_service(Record, 'worker/record', rig.world.record)
    rig.until(lambda: rig.status == DiagnosticStatus.OK)


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


@pytest.mark.parametrize('dry_run', [False, True])
def test_whoever_else_may_move_an_arm_is_named(new_rig: Callable[..., Rig], dry_run: bool) -> None:
    rig = new_rig(dry_run=dry_run)
    rig.until(lambda: rig.said == 'ready')
    intruder = Node('intruder', namespace='/elsewhere', context=rig.helper.context)
    publisher = intruder.create_publisher(JointTrajectory, f'/{ARM_CONTROLLER}/joint_trajectory', 10)
    hands = intruder.create_publisher(JointTrajectory, f'/{HAND_CONTROLLER}/planned_trajectory', 10)
    rig.until(lambda: rig.node.count_publishers(publisher.topic_name) == 1 + (not dry_run))
    rig.said = ''
    if dry_run:
        rig.until(lambda: rig.said == 'ready')
    else:
        rig.until(
            lambda: rig.said.startswith(f'ready; /elsewhere/intruder may also send trajectories to {ARM_CONTROLLER}: ')
        )
        assert rig.status == DiagnosticStatus.WARN
        assert rig.said == f'ready; {rig.details[OTHER_SENDERS]}'
    intruder.destroy_publisher(publisher)
    rig.until(lambda: rig.said == 'ready')
    assert OTHER_SENDERS not in rig.details
    intruder.destroy_publisher(hands)
    intruder.destroy_node()


def test_a_joint_without_end_goes_on_where_its_driver_leaves_out_a_turn(
    new_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeBody, 'endless', frozenset({ARM_JOINT}))
    monkeypatch.setattr(FakeBody, 'driven_speeds', {ARM_JOINT: 1.0})
    rig = new_rig()
    sample = rig.world.table.joints()
    assert sample is not None

    def told(position: float) -> Any:
        rig.world.measured = {**sample.positions, ARM_JOINT: position}
        seen = rig.world.ticks + 2
        rig.until(lambda: rig.world.ticks > seen and rig.node._arms.joints().stamp_s > 0.0)
        rig.until(lambda: abs(math.remainder(rig.node._arms.joints().positions[ARM_JOINT] - position, math.tau)) < 0.01)
        return rig.node._arms.joints()

    for position in (1.0, 3.1):
        told(position)
    found = told(-3.1)
    assert found.positions[ARM_JOINT] == pytest.approx(math.tau - 3.1)
