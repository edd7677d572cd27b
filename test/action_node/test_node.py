"""The action node over real DDS, with a fake table, planner and memory around it."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from fakes import (
    ARM_CONTROLLER,
    ARM_JOINT,
    HAND_CONTROLLER,
    HAND_JOINT,
    HOME,
    FakeBody,
    FakePlanner,
    FakeTable,
)
from lucca_interfaces.action import ExecuteAction
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import Record
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Empty
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from action_node.conversions import entry_from_msg, request_to_goal, result_from_msg, trajectory_from_msg
from action_node.node import LATCHED, ActionNode
from action_node.values import ActionRequest, ActionResult, LogEntry
from lucca_core.codes import ReasonCode
from lucca_core.paths import default_state_dir
from lucca_core.values import HAND, TABLE
from lucca_memory.procedural import load_actions
from lucca_ros.calling import LockedActionClient
from lucca_ros.conversions import snapshot_to_msg, time_to_msg
from lucca_ros.spinning import SpinThread

pytestmark = pytest.mark.ros

DEADLINE_S = 20.0
PEAR = 'id pear'
QUICK = {
    'joints_silence_s': 20.0,  # a busy machine may pause the whole process for a second
    'lead_s': 0.03,
    'tick_s': 0.01,
    'refresh_s': 0.05,
    'resume_s': 0.05,
    'arrival_timeout_s': 5.0,
    'pointing_dwell_s': 0.01,
    'intent_timeout_s': 2.0,
    'outcome_timeout_s': 2.0,
    'memory_wait_s': 5.0,
    'diagnostics_period_s': 0.1,
    'home_tolerance_rad': 0.02,
}


class World:
    """Joint encoders, perception and memory of a fake table, as ROS nodes would offer them, in wall time."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.table = FakeTable(time_s=self.now_s())
        self.table.put('pear', 0.0)
        self.table.put('apple', 1.0)
        self.entries: list[LogEntry] = []
        self.acknowledges = True
        self.recorded: Callable[[LogEntry], None] = lambda entry: None
        self.trajectories = 0
        group = ReentrantCallbackGroup()
        self.joint_states = node.create_publisher(JointState, 'joint_states', 10)
        self.objects = node.create_publisher(TableState, 'perception/objects', 10)
        self.subscriptions = [
            node.create_subscription(
                JointTrajectory, f'{name}/joint_trajectory', self.taker(name), 10, callback_group=group
            )
            for name in (ARM_CONTROLLER, HAND_CONTROLLER)
        ]
        self.ticks = 0
        self.timer = node.create_timer(0.01, self.tick, callback_group=MutuallyExclusiveCallbackGroup())
        self.memory = node.create_service(Record, 'memory/record', self.record, callback_group=group)

    def now_s(self) -> float:
        return self.node.get_clock().now().nanoseconds * 1e-9

    def tick(self) -> None:
        self.table.advance(self.now_s())
        self.ticks += 1
        sample = self.table.joints()
        msg = JointState(name=list(sample.positions), position=list(sample.positions.values()))
        msg.header.stamp = time_to_msg(sample.stamp_s)
        self.joint_states.publish(msg)
        if self.ticks % 3 == 0:
            self.objects.publish(snapshot_to_msg(self.table.snapshot()))

    def taker(self, controller: str) -> Callable[[JointTrajectory], None]:
        def take(msg: JointTrajectory) -> None:
            joints, path, start_s = trajectory_from_msg(msg)
            self.trajectories += 1
            self.table.send(controller, joints, path.times_s, path.positions, path.velocities, start_s)

        return take

    def record(self, request: Record.Request, response: Record.Response) -> Record.Response:
        entry = entry_from_msg(request.entry)
        if self.acknowledges:
            self.entries.append(entry)
            self.recorded(entry)
            response.acknowledged, response.entry_id = True, len(self.entries)
        else:
            response.message = 'the disk is full'
        return response


class Rig:
    """The node under test, the world around it, and a client."""

    def __init__(self, context: Context, *, stopped: bool = False, spinning: bool = True, **settings: float) -> None:
        self.executor = MultiThreadedExecutor(num_threads=12, context=context)
        self.planner = FakePlanner(speed=15.0)
        self.node = ActionNode(
            lambda config: FakeBody(),
            lambda config, motion_config: self.planner,
            context=context,
            parameter_overrides=[Parameter(name, value=value) for name, value in {**QUICK, **settings}.items()],
        )
        self.helper = Node('world', context=context)
        self.world = World(self.helper)
        group = ReentrantCallbackGroup()
        self.client = LockedActionClient(self.helper, ExecuteAction, 'execute_action', callback_group=group)
        self.reset_client = self.helper.create_client(Trigger, 'action/reset', callback_group=group)
        self.stop = self.helper.create_publisher(Bool, 'emergency_stop', LATCHED)
        if stopped:
            self.stop.publish(Bool(data=True))
        self.status = DiagnosticStatus.STALE
        self.helper.create_subscription(DiagnosticArray, 'diagnostics', self.on_diagnostics, 10)
        assert self.node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert self.node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        for node in (self.node, self.helper):
            self.executor.add_node(node)
        self.spinning = SpinThread(self.executor)
        self.closed = False
        if not spinning:
            return
        self.spinning.start()
        self.actions = tuple(load_actions())
        assert self.client.wait_for_server(DEADLINE_S)
        self.until(lambda: self.node._objects.latest() is not None and self.node._arms.joints() is not None)
        self.until(lambda: self.node.count_subscribers('left_arm_controller/joint_trajectory') > 0)

    def on_diagnostics(self, msg: DiagnosticArray) -> None:
        self.status = msg.status[0].level

    def until(self, condition: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + DEADLINE_S
        pause = threading.Event()
        while not condition():
            assert time.monotonic() < deadline_s, 'the condition did not come about in time'
            pause.wait(0.005)

    def finished(self, future: Any) -> Any:
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        assert done.wait(DEADLINE_S), 'no answer in time'
        return future.result()

    def goal(self, text: str, **changes: Any) -> ExecuteAction.Goal:
        values: dict[str, Any] = {
            'text': text,
            'task': 'sorting',
            'allowed_actions': self.actions,
            'snapshot': self.world.table.snapshot(),
            'answered_wall_s': time.time(),
            **changes,
        }
        return request_to_goal(ActionRequest(**values))

    def send(self, text: str, **changes: Any) -> Any:
        handle = self.finished(self.client.send_goal_async(self.goal(text, **changes)))
        assert handle.accepted
        return handle

    def result(self, handle: Any) -> tuple[ActionResult, int]:
        answer = self.finished(handle.get_result_async())
        return result_from_msg(answer.result), answer.status

    def do(self, text: str, **changes: Any) -> ActionResult:
        return self.result(self.send(text, **changes))[0]

    def reset(self) -> Trigger.Response:
        return self.finished(self.reset_client.call_async(Trigger.Request()))

    def place(self, object_id: str = PEAR) -> str:
        return self.world.table.objects[object_id].container

    def at_home(self) -> bool:
        positions = self.world.table.positions
        return abs(positions[ARM_JOINT] - HOME) < 0.1 and positions[HAND_JOINT] < 0.5

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self.node._ending.set()
        self.spinning.close()
        self.node.destroy_node()
        self.helper.destroy_node()


@pytest.fixture
def new_rig() -> Iterator[Callable[..., Rig]]:
    context = Context()
    rclpy.init(context=context)
    rigs: list[Rig] = []

    def make(**options: Any) -> Rig:
        rigs.append(Rig(context, **options))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.close()
    context.try_shutdown()


@pytest.fixture
def rig(new_rig: Callable[..., Rig]) -> Rig:
    return new_rig()


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
    rig.until(lambda: not rig.node._stop_pressed)
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


def test_a_stop_word_stops(rig: Rig) -> None:
    word = rig.helper.create_publisher(Empty, 'speech/stop', LATCHED)
    rig.until(lambda: word.get_subscription_count() > 0)
    word.publish(Empty())
    rig.until(lambda: rig.node._executor().stopped)
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED


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


@pytest.mark.parametrize('qos', [10, qos_profile_sensor_data], ids=['reliable', 'best effort'])
def test_a_publisher_that_keeps_nothing_stops_as_well(rig: Rig, qos: Any) -> None:
    plain = rig.helper.create_publisher(Bool, 'emergency_stop', qos)
    rig.until(lambda: plain.get_subscription_count() > 0)
    plain.publish(Bool(data=True))
    rig.until(lambda: rig.node._executor().stopped)
    assert rig.do('<move_to_box_1(pear)>').code is ReasonCode.STOPPED


def test_a_cancel_that_comes_after_the_end_leaves_nothing_behind(rig: Rig) -> None:
    handles = []
    execute = rig.node._server._execute_callback

    def kept(handle: Any) -> Any:
        handles.append(handle)
        return execute(handle)

    rig.node._server.register_execute_callback(kept)
    assert rig.do('<point(apple)>').code is ReasonCode.DONE
    rig.node._on_cancel(handles[0])
    assert not rig.node._latches


def test_forty_cancels_at_random_instants_are_all_honoured(rig: Rig) -> None:
    chance = random.Random(7)
    seen: set[ReasonCode] = set()
    for number in range(40):
        rig.world.table.put('pear', 0.0)
        rig.until(lambda: rig.node._objects.latest().object_with_id(PEAR).container == TABLE)
        count = len(rig.world.entries)
        handle = rig.send('<move_to_box_1(pear)>')
        ended = handle.get_result_async()
        threading.Event().wait(chance.uniform(0.0, 0.7) if number % 4 else chance.uniform(0.0, 0.02))
        rig.finished(handle.cancel_goal_async())
        answer = rig.finished(ended)
        result = result_from_msg(answer.result)
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
