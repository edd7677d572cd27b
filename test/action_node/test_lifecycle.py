"""What each state of the action node, and the way from one to another, means for motions, stops and resets."""

from collections.abc import Callable
from typing import Any

import pytest
from fakes import ARM_JOINT
from node_rig import Rig
from rclpy.lifecycle import TransitionCallbackReturn
from std_msgs.msg import Bool, Empty

from action_node.executor import StopReport
from action_node.stop.stop_marker import StopMarker
from lucca_core.codes import ReasonCode
from lucca_core.paths import default_state_dir
from lucca_core.protocol.entries import EntryKind

pytestmark = pytest.mark.ros


def forgetful(rig: Rig, kind: type, topic: str) -> Any:
    """A publisher that repeats nothing, once the node listens to it."""
    publisher = rig.helper.create_publisher(kind, topic, 10)
    rig.until(lambda: publisher.get_subscription_count() > 0)
    return publisher


def test_a_press_before_the_node_is_configured_counts_once_it_is(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(started=False)
    button = forgetful(rig, Bool, 'emergency_stop')
    button.publish(Bool(data=True))
    rig.until(lambda: rig.node._stop_inputs._pressed)
    rig.start()
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED
    assert rig.world.trajectories == 0
    answer = rig.reset()
    assert not answer.success
    assert 'emergency_stop is still true' in answer.message
    button.publish(Bool(data=False))
    rig.until(lambda: not rig.node._stop_inputs._pressed)
    answer = rig.reset()
    assert answer.success, answer.message


def test_a_stop_word_before_the_node_is_configured_is_on_the_disk_once_it_is(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(started=False)
    assert rig.helper.count_services('action/stop') == 0, 'it could not hold anything'
    forgetful(rig, Empty, 'speech/stop').publish(Empty())
    rig.until(lambda: bool(rig.node._stop_inputs._remembered))
    rig.start(spinning=False)
    assert rig.node._executor().stopped
    assert StopMarker(default_state_dir()).is_set()


def test_a_stop_word_after_a_cleanup_counts_after_the_next_configuration(new_rig: Callable[..., Rig]) -> None:
    rig = new_rig(spinning=False)
    for transition in (rig.node.trigger_deactivate, rig.node.trigger_cleanup):
        assert transition() == TransitionCallbackReturn.SUCCESS
    forgetful(rig, Empty, 'speech/stop').publish(Empty())
    rig.until(lambda: bool(rig.node._stop_inputs._remembered))
    assert rig.node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert StopMarker(default_state_dir()).is_set()


def test_a_reset_in_the_middle_of_a_deactivation_is_refused(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    executor, answers = rig.node._executor(), []
    hold = executor.hold_until_reset

    def hold_and_reset() -> StopReport:
        report = hold()
        answers.append(rig.node._reset())
        return report

    monkeypatch.setattr(executor, 'hold_until_reset', hold_and_reset)
    assert rig.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert answers == [(False, 'the action node is not active; nothing moves before it is')]
    assert executor.stopped


def test_a_reset_that_began_before_a_deactivation_lifts_nothing(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def let_go(_: object) -> bool:
        assert rig.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
        return True

    monkeypatch.setattr(rig.node._stop_inputs, 'let_go', let_go)
    assert rig.node._reset() == (False, 'there was another stop meanwhile; reset again')
    assert rig.node._executor().stopped


def test_a_node_that_is_destroyed_in_mid_motion_records_the_outcome_first(rig: Rig) -> None:
    rig.planner.speed = 0.2
    rig.send('<move_to_box_1(pear)>')
    rig.until(lambda: rig.world.trajectories > 0)
    assert rig.node.trigger_shutdown() == TransitionCallbackReturn.SUCCESS
    rig.node.destroy_node()
    kinds = [(entry.kind, entry.code) for entry in rig.world.entries]
    assert kinds[-1] == (EntryKind.OUTCOME, ReasonCode.STOPPED)
    assert not rig.node._internal_errors.first


def test_a_shutdown_in_mid_motion_holds_the_arm_and_nothing_moves_after_it(rig: Rig) -> None:
    table = rig.world.table
    rig.planner.speed = 0.2  # five seconds to the pear
    handle = rig.send('<move_to_box_1(pear)>')
    rig.until(lambda: rig.world.trajectories > 0)
    assert rig.node.trigger_shutdown() == TransitionCallbackReturn.SUCCESS
    assert rig.result(handle)[0].code is ReasonCode.STOPPED
    held_s = table.now_s()
    rig.until(lambda: table.now_s() > held_s + 0.3)
    where = table.positions[ARM_JOINT]
    assert where < -0.1, 'on its way to the pear'
    assert not rig.finished(rig.client.send_goal_async(rig.goal('<move_to_box_2(apple)>'))).accepted
    assert not rig.reset().success
    assert table.positions[ARM_JOINT] == where


@pytest.mark.parametrize('configured', [False, True], ids=['unconfigured', 'inactive'])
def test_a_node_that_was_never_active_can_be_shut_down(new_rig: Callable[..., Rig], configured: bool) -> None:
    rig = new_rig(started=False)
    if configured:
        assert rig.node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert rig.node.trigger_shutdown() == TransitionCallbackReturn.SUCCESS
