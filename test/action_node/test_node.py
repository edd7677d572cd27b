"""What the action node does with goals, over real DDS."""

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticStatus
from node_rig import PEAR, Rig

from action_node.action_goals import MOST_GOALS
from action_node.node import make_reach
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.snapshots import TABLE
from lucca_ros.conversions.actions import ACTION_RESULT

pytestmark = pytest.mark.ros

_participants_before: list[int] = []


def participants() -> int:
    """Of DDS in this process; each has a thread for its events."""
    return sum('dds.ev' in (task / 'comm').read_text(encoding='utf-8') for task in Path('/proc/self/task').iterdir())


@pytest.mark.parametrize('time', ['once', 'and again'])
def test_nothing_of_one_test_is_in_the_graph_of_the_next(new_rig: Callable[..., Rig], time: str) -> None:
    _participants_before.append(participants())
    new_rig()
    assert participants() == _participants_before[0] + 1, time


def test_an_action_is_carried_out_verified_and_recorded(rig: Rig) -> None:
    result, status = rig.result(rig.send('<move_to_box_1(pear)>'))
    assert result.code is ReasonCode.DONE, result.message
    assert status == GoalStatus.STATUS_SUCCEEDED
    assert rig.place() == 'box 1'
    assert [(entry.kind, entry.code, entry.intent_id) for entry in rig.world.entries] == [
        ('intent', '', 0),
        ('outcome', 'done', 1),
    ]
    assert result.overhead_before_s > 0
    assert result.overhead_after_s > 0
    assert result.verify_wait_s > 0


def test_pointing_is_witnessed_from_the_joints(rig: Rig) -> None:
    assert rig.do('<point(apple)>').code is ReasonCode.DONE


def test_a_refusal_publishes_no_trajectory_and_is_recorded(rig: Rig) -> None:
    result, status = rig.result(rig.send('<move_to_box_1(plum)>'))
    assert result.code is ReasonCode.UNKNOWN_OBJECT
    assert status == GoalStatus.STATUS_ABORTED
    assert rig.world.trajectories == 0
    assert [(entry.kind, entry.code, entry.intent_id) for entry in rig.world.entries] == [
        ('outcome', 'unknown_object', 0)
    ]


def test_what_no_arm_of_the_robot_reaches_is_refused_before_anything_is_recorded_as_intended(
    new_rig: Callable[..., Rig],
) -> None:
    """The box of this table stands two metres away."""
    rig = new_rig(make_reach=make_reach)
    result, status = rig.result(rig.send('<move_to_box_1(pear)>'))
    assert (result.code, result.attempts, status) == (ReasonCode.UNREACHABLE, 0, GoalStatus.STATUS_ABORTED)
    assert 'box 1 at (2.00, 0.00) m is beyond the reach' in result.message
    assert rig.world.trajectories == 0
    assert [(entry.kind, entry.code, entry.intent_id) for entry in rig.world.entries] == [('outcome', 'unreachable', 0)]


def test_a_snapshot_that_cannot_be_used_is_malformed(rig: Rig) -> None:
    goal = rig.goal('<move_to_box_1(pear)>')
    goal.snapshot.objects[0].name = ''
    result, _ = rig.result(rig.finished(rig.client.send_goal_async(goal)))
    assert result.code is ReasonCode.MALFORMED


def test_feedback_tells_the_phases(rig: Rig) -> None:
    phases: list[str] = []
    handle = rig.finished(
        rig.client.send_goal_async(
            rig.goal('<move_to_box_1(pear)>'), feedback_callback=lambda msg: phases.append(msg.feedback.phase)
        )
    )
    assert rig.result(handle)[0].code is ReasonCode.DONE
    rig.until(lambda: 'verifying' in phases)
    assert list(dict.fromkeys(phases)) == ['gated', 'recorded', 'planning', 'moving', 'verifying']


@pytest.mark.parametrize('dead', [True, False])
def test_without_a_memory_that_acknowledges_nothing_moves(new_rig: Callable[..., Rig], dead: bool) -> None:
    rig = new_rig(memory_wait_s=0.2, intent_timeout_s=0.2)
    rig.world.acknowledges = False
    if dead:
        rig.helper.destroy_service(rig.world.memory)
    result = rig.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert 'nothing moved' in result.message
    assert rig.world.trajectories == 0


def test_of_two_goals_at_once_one_runs_and_the_other_is_busy(rig: Rig) -> None:
    first = rig.send('<move_to_box_1(pear)>')
    second = rig.send('<move_to_box_2(apple)>')
    codes = [rig.result(handle)[0].code for handle in (first, second)]
    assert codes == [ReasonCode.DONE, ReasonCode.BUSY]
    assert rig.place('id apple') == TABLE


def test_of_a_burst_of_goals_only_so_many_are_taken_that_a_cancel_finds_a_thread(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def waits(request: ActionRequest, *_: object) -> ActionResult:
        assert go_on.wait(20.0)
        return ActionResult(code=ReasonCode.BUSY, message=request.text)

    monkeypatch.setattr(rig.node._executor_of_actions, 'execute', waits)
    sent = [rig.client.send_goal_async(rig.goal('<move_to_box_1(pear)>')) for _ in range(8)]
    taken = [handle for handle in map(rig.finished, sent) if handle.accepted]
    assert len(taken) == MOST_GOALS
    rig.finished(taken[0].cancel_goal_async())
    go_on.set()
    for handle in taken:
        rig.result(handle)
    monkeypatch.undo()
    assert rig.do('<move_to_box_2(apple)>').code is ReasonCode.DONE


def test_a_cancel_that_comes_after_the_end_leaves_nothing_behind(rig: Rig) -> None:
    handles = []
    execute = rig.node._goals._server._execute_callback

    def kept(handle: Any) -> Any:
        handles.append(handle)
        return execute(handle)

    rig.node._goals._server.register_execute_callback(kept)
    assert rig.do('<point(apple)>').code is ReasonCode.DONE
    rig.node._goals._on_cancel(handles[0])
    assert not rig.node._latches


def test_fifteen_cancels_at_random_instants_are_all_honoured(rig: Rig) -> None:
    chance = random.Random(7)
    seen: set[ReasonCode] = set()
    for number in range(15):
        rig.world.table.put('pear', 0.0)
        rig.until(lambda: rig.node._objects.latest().object_with_id(PEAR).container == TABLE)
        count = len(rig.world.entries)
        handle = rig.send('<move_to_box_1(pear)>')
        ended = handle.get_result_async()
        threading.Event().wait(chance.uniform(0.0, 0.7) if number % 4 else chance.uniform(0.0, 0.02))
        rig.finished(handle.cancel_goal_async())
        answer = rig.finished(ended)
        result = ACTION_RESULT.from_msg(answer.result)
        seen.add(result.code)
        assert rig.at_home(), (result, rig.world.table.positions, rig.node._arms.joints())
        new = [(entry.kind, entry.code) for entry in rig.world.entries[count:]]
        if result.code is ReasonCode.CANCELLED:
            assert answer.status == GoalStatus.STATUS_CANCELED
            assert rig.place() == TABLE
            assert new in ([], [('intent', ''), ('outcome', 'cancelled')])
        else:
            assert result.code is ReasonCode.DONE, result.message
            assert rig.place() == 'box 1'
            assert new == [('intent', ''), ('outcome', 'done')]
    assert ReasonCode.CANCELLED in seen


def test_a_cancel_does_not_revive(rig: Rig) -> None:
    handle = rig.send('<move_to_box_1(pear)>')
    rig.until(lambda: rig.world.trajectories > 0)
    rig.finished(handle.cancel_goal_async())
    assert rig.result(handle)[0].code is ReasonCode.CANCELLED
    sent = rig.world.trajectories
    assert rig.do('<move_to_box_2(apple)>').code is ReasonCode.DONE
    assert rig.world.trajectories > sent
    assert rig.place() == TABLE


def test_diagnostics_say_when_all_is_well(rig: Rig) -> None:
    rig.until(lambda: rig.status == DiagnosticStatus.OK)


def test_a_shutdown_in_the_middle_of_an_action_ends_it_without_a_traceback(
    rig: Rig, capfd: pytest.CaptureFixture[str]
) -> None:
    rig.send('<move_to_box_1(pear)>')
    rig.until(lambda: rig.world.trajectories > 0)
    rig.node.context.shutdown()
    rig.until(lambda: not rig.node._latches)
    rig.close()
    told = capfd.readouterr().err
    assert 'execute callback' not in told
    assert 'Traceback' not in told
