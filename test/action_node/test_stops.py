"""How the action node stops, and what it takes to move again, over real DDS."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from fakes import ARM_JOINT, HAND_JOINT
from node_rig import LATCHED, Rig
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.qos import (
    DurabilityPolicy,
    QoSCompatibility,
    QoSProfile,
    qos_check_compatible,
    qos_profile_sensor_data,
)
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Empty
from std_srvs.srv import Trigger

from action_node import executor as executor_module
from action_node.node import HEED_S
from action_node.stop.joint_sample import JointSample
from action_node.stop.stop_marker import StopMarker
from action_node.stop.unheard_stop import UnheardStop
from lucca_core.codes import ReasonCode
from lucca_core.paths import default_state_dir
from lucca_core.protocol.snapshots import HAND, TABLE, Snapshot
from lucca_ros.callers import ServiceCaller
from lucca_ros.companion import Companion
from lucca_ros.conversions.stamps import time_to_msg
from speech_node.node import STOP_QOS as SPEECH_STOP_QOS

pytestmark = pytest.mark.ros


def test_a_stop_holds_at_once_and_only_a_reset_moves_again(rig: Rig) -> None:
    table = rig.world.table
    handle = rig.send('<move_to_box_1(pear)>')
    rig.until(lambda: rig.place() == HAND)
    rig.stop.publish(Bool(data=True))
    result, _ = rig.result(handle)
    assert result.code is ReasonCode.STOPPED
    assert rig.place() == HAND
    rig.until(lambda: rig.status == DiagnosticStatus.WARN)
    held_s = table.now_s()
    rig.until(lambda: table.now_s() > held_s + 0.3)
    where, sent = dict(table.positions), rig.world.trajectories
    assert rig.do('<move_to_box_2(apple)>').code is ReasonCode.STOPPED
    assert not rig.reset().success
    assert (dict(table.positions), rig.world.trajectories) == (where, sent)
    rig.stop.publish(Bool(data=False))
    rig.until(lambda: not rig.node._stop_inputs._pressed)
    assert rig.do('<move_to_box_2(apple)>').code is ReasonCode.STOPPED
    answer = rig.reset()
    assert answer.success, answer.message
    assert rig.at_home()
    assert rig.place() != HAND
    assert rig.do('<move_to_box_2(apple)>').code is ReasonCode.DONE


def test_a_node_that_starts_while_stopped_is_stopped(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(stopped=True)
    rig.until(lambda: rig.node._executor().stopped)
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED


def unheard_stop(rig: Rig) -> UnheardStop:
    return UnheardStop(default_state_dir(), rig.node.get_namespace(), rig.node.context.get_domain_id())


def test_a_stop_that_nobody_answered_is_carried_out_by_a_node_that_runs_again(rig: Rig) -> None:
    left = unheard_stop(rig)
    left.set()
    rig.until(lambda: not left.is_set())
    assert rig.node._executor().stopped
    assert StopMarker(default_state_dir(), rig.node.get_namespace()).is_set()
    assert rig.do('<move_to_box_2(apple)>').code is ReasonCode.STOPPED
    assert rig.reset().success
    assert rig.do('<move_to_box_2(apple)>').code is ReasonCode.DONE


def test_a_stop_that_nobody_answered_is_found_whatever_folder_the_node_keeps_stops_in(
    new_rig: Callable[..., Rig], tmp_path: Path
) -> None:
    rig = new_rig(state_dir=str(tmp_path / 'elsewhere'))
    left = unheard_stop(rig)
    left.set()
    rig.until(lambda: not left.is_set())
    assert rig.node._executor().stopped


def full_disk() -> None:
    raise OSError(28, 'No space left on device')


@pytest.mark.parametrize('fails', ['set', 'clear'])
def test_a_reset_is_not_undone_by_an_old_stop_on_a_faulty_disk(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    faulty = rig.node._executor()._keeper._marker if fails == 'set' else rig.node._unheard
    monkeypatch.setattr(faulty, fails, full_disk)
    left = unheard_stop(rig)
    left.set()
    rig.until(lambda: rig.node._executor().stopped)
    rig.until(lambda: rig.node._executor().disk_fault == '' if fails == 'clear' else rig.node._executor().disk_fault)
    answer = rig.reset()
    assert answer.success, answer.message
    time.sleep(4 * HEED_S)
    assert rig.node._executor().stops == 1
    assert not rig.node._executor().stopped
    assert left.is_set() is (fails == 'clear')
    left.set()
    rig.until(lambda: rig.node._executor().stopped)


def test_a_node_that_starts_after_a_stop_that_nobody_answered_is_stopped(new_rig: Callable[..., Rig]) -> None:
    first = new_rig()
    left = unheard_stop(first)
    first.node.trigger_deactivate()
    first.node.trigger_cleanup()
    left.set()
    first.node.trigger_configure()
    assert first.node._executor().stopped
    first.node.trigger_activate()
    first.until(lambda: not left.is_set())
    assert StopMarker(default_state_dir(), first.node.get_namespace()).is_set()
    assert first.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED


def test_a_stop_waits_for_nothing_that_the_node_itself_has_to_do(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(spinning=False)
    asking = Companion(rig.helper, 'asking')
    asking.start()
    try:
        # Nobody spins the node: whatever it has to do, it does not do it now.
        service = ServiceCaller(asking.node, Trigger, 'action/stop')
        assert service.call(Trigger.Request(), 20.0).success
        assert rig.node._executor().stopped
    finally:
        asking.close()


def test_a_stop_by_call_is_answered_when_it_holds_and_a_reset_waits_for_no_button(rig: Rig) -> None:
    # There is a button that could say stop, and it never has: rig.stop.
    client = rig.helper.create_client(Trigger, 'action/stop', callback_group=ReentrantCallbackGroup())
    rig.until(client.service_is_ready)
    assert rig.finished(client.call_async(Trigger.Request())).success
    assert rig.node._executor().stopped
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    assert rig.place() == TABLE
    answer = rig.reset()
    assert answer.success, answer.message
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.DONE


@pytest.mark.parametrize('qos', [LATCHED, 10, qos_profile_sensor_data], ids=['latched', 'reliable', 'best effort'])
def test_a_stop_word_stops_with_whatever_qos_it_is_published(rig: Rig, qos: Any) -> None:
    word = rig.helper.create_publisher(Empty, 'speech/stop', qos)
    rig.until(lambda: word.get_subscription_count() > 0)
    word.publish(Empty())
    rig.until(lambda: rig.node._executor().stopped)
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED


def arrivals(rig: Rig) -> int:
    """At how many subscriptions the stops by message that were carried out have arrived."""
    copies = rig.node._stop_inputs._copies.values()
    return sum(len(stop.subscriptions) for topic in copies for stop in topic._carried_out.values())


def test_a_stop_word_that_arrives_once_for_each_subscription_is_one_stop(rig: Rig) -> None:
    word = rig.helper.create_publisher(Empty, 'speech/stop', LATCHED)
    rig.until(lambda: word.get_subscription_count() == 3)
    for said in (1, 2):
        word.publish(Empty())
        rig.until(lambda said=said: arrivals(rig) == 3 * said)
        assert rig.node._executor().stops == said
    answer = rig.reset()
    assert answer.success, answer.message
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.DONE


def test_copies_of_a_stop_word_that_could_not_hold_try_it_again(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError('the wire is cut')

    word = rig.helper.create_publisher(Empty, 'speech/stop', LATCHED)
    rig.until(lambda: word.get_subscription_count() == 3)
    monkeypatch.setattr(rig.node._arms, 'send', broken)
    word.publish(Empty())
    rig.until(lambda: rig.node._executor().stops == 3)


def test_stops_by_message_do_not_wait_for_a_disk_that_hangs(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    executor, answers_again = rig.node._executor(), threading.Event()
    monkeypatch.setattr(executor_module, 'DISK_PATIENCE_S', 1000.0)
    real = executor._keeper._marker.set
    monkeypatch.setattr(executor._keeper._marker, 'set', lambda: (answers_again.wait(100.0), real()))
    word = rig.helper.create_publisher(Empty, 'speech/stop', LATCHED)
    rig.until(lambda: word.get_subscription_count() == 3)
    try:
        for said in (1, 2, 3):
            word.publish(Empty())
            rig.until(lambda said=said: executor.stops == said)
        rig.stop.publish(Bool(data=True))
        rig.until(lambda: executor.stops == 4)
        assert not StopMarker(default_state_dir()).is_set()
        assert executor.disk_fault == ''
        monkeypatch.setattr(executor_module, 'DISK_PATIENCE_S', 0.1)
        rig.until(lambda: rig.status == DiagnosticStatus.ERROR)
        assert executor.disk_fault == 'the disk has not answered for 0.1 s'
    finally:
        answers_again.set()
    rig.until(lambda: StopMarker(default_state_dir()).is_set())
    rig.until(lambda: rig.status == DiagnosticStatus.WARN)


def test_diagnostics_tell_of_a_stop_that_is_not_on_the_disk(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, 'No space left on device')

    with monkeypatch.context() as patch:
        patch.setattr(rig.node._executor()._keeper._marker, 'set', full)
        rig.stop.publish(Bool(data=True))
        rig.until(lambda: rig.status == DiagnosticStatus.ERROR)
    rig.until(lambda: rig.status == DiagnosticStatus.WARN)


def test_a_node_that_starts_after_a_stop_word_hears_it_from_the_speech_node(rig: Rig) -> None:
    def latched() -> list[QoSProfile]:
        found = [item.qos_profile for item in rig.helper.get_subscriptions_info_by_topic('speech/stop')]
        # Without the infinite times that the graph tells: the default ones of a profile do not count as such.
        profiles = [QoSProfile(depth=1, durability=qos.durability, reliability=qos.reliability) for qos in found]
        return [qos for qos in profiles if qos.durability == DurabilityPolicy.TRANSIENT_LOCAL]

    rig.until(lambda: bool(latched()))
    for qos in latched():
        fit, why = qos_check_compatible(SPEECH_STOP_QOS, qos)
        # A policy that both leave to the middleware is a warning.
        assert fit != QoSCompatibility.ERROR, why


def test_a_stop_by_somebody_who_went_away_outlives_the_node(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig()
    rig.stop.publish(Bool(data=True))
    rig.until(lambda: rig.node._executor().stopped)
    rig.until(lambda: (default_state_dir() / 'stopped').exists())
    rig.close()
    other = new_rig()
    assert other.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    assert other.world.trajectories == 0
    answer = other.reset()
    assert answer.success, answer.message
    assert other.do('<move_to_box_1(pear)>').code is ReasonCode.DONE


def test_a_node_configured_anew_is_still_stopped(rig: Rig) -> None:
    node = rig.node
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert node._executor().stopped
    assert not (default_state_dir() / 'stopped').exists(), 'only a stop is kept for another process'
    rig.stop.publish(Bool(data=True))
    rig.until(lambda: (default_state_dir() / 'stopped').exists())


def test_an_inactive_node_stays_stopped_through_a_cleanup(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(spinning=False)
    for transition in (rig.node.trigger_deactivate, rig.node.trigger_cleanup, rig.node.trigger_configure):
        assert transition() == TransitionCallbackReturn.SUCCESS
    assert rig.node._executor().stopped


def test_a_button_that_is_held_down_is_known_through_a_cleanup(rig: Rig) -> None:
    node = rig.node
    button = rig.helper.create_publisher(Bool, 'emergency_stop', 10)  # repeats nothing
    rig.until(lambda: button.get_subscription_count() > 0)
    button.publish(Bool(data=True))
    rig.until(lambda: node._stop_inputs._pressed)
    for transition in (node.trigger_deactivate, node.trigger_cleanup, node.trigger_configure, node.trigger_activate):
        assert transition() == TransitionCallbackReturn.SUCCESS
    answer = rig.reset()
    assert not answer.success
    assert 'emergency_stop is still true' in answer.message


def test_no_reset_moves_an_arm_while_a_button_of_another_name_is_held_down(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(remaps=('emergency_stop:=panel/estop',))
    rig.helper.destroy_publisher(rig.stop)
    rig.until(lambda: rig.node.count_publishers('emergency_stop') == 0)
    button = rig.helper.create_publisher(Bool, 'panel/estop', LATCHED)
    button.publish(Bool(data=True))
    rig.until(lambda: rig.node._stop_inputs._pressed)
    answer = rig.reset()
    assert not answer.success
    assert 'emergency_stop is still true' in answer.message
    assert rig.node._executor().stopped


@pytest.mark.parametrize('qos', [10, qos_profile_sensor_data], ids=['reliable', 'best effort'])
def test_a_publisher_that_keeps_nothing_stops_as_well(rig: Rig, qos: Any) -> None:
    plain = rig.helper.create_publisher(Bool, 'emergency_stop', qos)
    rig.until(lambda: plain.get_subscription_count() > 0)
    plain.publish(Bool(data=True))
    rig.until(lambda: rig.node._executor().stopped)
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED


@pytest.mark.parametrize('value', [float('nan'), float('inf')])
def test_a_stop_on_joint_states_that_are_not_finite_is_kept_and_answered(rig: Rig, value: float) -> None:
    client = rig.helper.create_client(Trigger, 'action/stop', callback_group=ReentrantCallbackGroup())
    rig.until(client.service_is_ready)
    handle = rig.send('<move_to_box_1(pear)>')
    rig.until(lambda: rig.world.trajectories > 0)
    rig.world.measured = {ARM_JOINT: value, HAND_JOINT: value}
    rig.until(lambda: not (rig.node._arms.joints() or JointSample(0.0, {'': 0.0})).positions)
    answer = rig.finished(client.call_async(Trigger.Request()))
    assert answer.success, answer.message
    assert StopMarker(default_state_dir()).is_set()
    assert rig.result(handle)[0].code in (ReasonCode.STOPPED, ReasonCode.HARDWARE_FAULT)
    rig.world.measured = None
    assert rig.do('<move_to_box_1(apple)>').code in (ReasonCode.STOPPED, ReasonCode.HARDWARE_FAULT)
    rig.until(lambda: bool(rig.node._arms.joints().positions))
    assert rig.reset().success
    assert rig.do('<move_to_box_1(apple)>').code is ReasonCode.DONE


def test_the_answer_to_a_stop_says_what_it_could_not_do(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError('the wire is cut')

    monkeypatch.setattr(rig.node._arms, 'send', broken)
    whole, said = rig.node._stop('test', wait_for_disk=True)
    assert not whole
    assert 'left_arm_controller: RuntimeError: the wire is cut' in said
    assert 'hardware stop' in said


def test_diagnostics_do_not_call_a_frame_from_the_future_seen(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.until(lambda: rig.status == DiagnosticStatus.OK)
    ahead = Snapshot(stamp_s=rig.node._arms.now_s() + 1e6)
    with monkeypatch.context() as patch:
        patch.setattr(rig.node._objects, 'latest', lambda: ahead)
        rig.until(lambda: rig.status == DiagnosticStatus.WARN)
    rig.until(lambda: rig.status == DiagnosticStatus.OK)


def test_joints_that_are_stamped_in_the_future_grow_old_all_the_same(
    new_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    arms = new_rig(spinning=False).node._arms
    msg = JointState(name=[ARM_JOINT], position=[0.0])
    msg.header.stamp = time_to_msg(arms.now_s() + 1e6)
    arms._on_joints(msg)
    sample = arms.joints()
    assert sample is not None
    now_s = time.monotonic()
    monkeypatch.setattr('action_node.ros_interfaces.time.monotonic', lambda: now_s + 100.0)
    assert arms.silence_s(sample) > 50.0


@pytest.mark.parametrize('value', [float('nan'), -float('inf')])
def test_a_joint_that_is_not_finite_is_known_as_broken(new_rig: Callable[..., Rig], value: float) -> None:
    arms = new_rig(spinning=False).node._arms
    msg = JointState(name=[ARM_JOINT, HAND_JOINT], position=[0.0, value])
    msg.header.stamp = time_to_msg(arms.now_s())
    arms._on_joints(msg)
    sample = arms.joints()
    assert sample.broken([ARM_JOINT, HAND_JOINT, 'head']) == [HAND_JOINT]
