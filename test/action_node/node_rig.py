"""The action node over real DDS, with a fake table, planner and memory around it."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import rclpy
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
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from action_node.config import ActionConfig
from action_node.gate.gate import Anywhere, Reach
from action_node.motion.config import MotionConfig
from action_node.node import ActionNode
from action_node.stop.joint_path import JointPath
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.entries import EntryRequest
from lucca_memory.procedural import load_actions
from lucca_ros.conversions.actions import ACTION_REQUEST, ACTION_RESULT
from lucca_ros.conversions.entries import ENTRY
from lucca_ros.conversions.snapshots import snapshot_to_msg
from lucca_ros.conversions.stamps import time_to_msg
from lucca_ros.rclpy_internals import LockedActionClient
from lucca_ros.spinning import SpinThread
from lucca_sim.conversions import trajectory_from_msg

DEADLINE_S = 20.0
DISCOVERY_S = 60.0
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE)
"""As a button has it; written out, so that it stays as it is whatever the node subscribes with."""
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
        self.entries: list[EntryRequest] = []
        self.acknowledges = True
        self.recorded: Callable[[EntryRequest], None] = lambda entry: None
        self.measured: dict[str, float] | None = None
        """What the encoders say instead of the truth."""
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
        positions = sample.positions if self.measured is None else self.measured
        msg = JointState(name=list(positions), position=list(positions.values()))
        msg.header.stamp = time_to_msg(sample.stamp_s)
        self.joint_states.publish(msg)
        if self.ticks % 3 == 0:
            self.objects.publish(snapshot_to_msg(self.table.snapshot()))

    def taker(self, controller: str) -> Callable[[JointTrajectory], None]:
        def take(msg: JointTrajectory) -> None:
            sent = trajectory_from_msg(msg)
            self.trajectories += 1
            path = JointPath(sent.times_s, sent.positions, sent.velocities)
            self.table.send(controller, sent.joints, path, sent.start_s)

        return take

    def record(self, request: Record.Request, response: Record.Response) -> Record.Response:
        entry = ENTRY.from_msg(request.entry)
        if self.acknowledges:
            self.entries.append(entry)
            self.recorded(entry)
            response.acknowledged, response.entry_id = True, len(self.entries)
        else:
            response.message = 'the disk is full'
        return response


class Surroundings:
    """The world around the node under test, and a client."""

    def __init__(self, context: Context) -> None:
        self.executor = MultiThreadedExecutor(num_threads=12, context=context)
        self.helper = Node('world', context=context)
        self.world = World(self.helper)
        group = ReentrantCallbackGroup()
        self.client = LockedActionClient(self.helper, ExecuteAction, 'execute_action', callback_group=group)
        self.reset_client = self.helper.create_client(Trigger, 'action/reset', callback_group=group)
        self.stop = self.helper.create_publisher(Bool, 'emergency_stop', LATCHED)
        self.actions = tuple(load_actions())
        self.status = DiagnosticStatus.STALE
        self.said = ''
        self.details: dict[str, str] = {}
        self.helper.create_subscription(DiagnosticArray, 'diagnostics', self.on_diagnostics, 10)
        self.spinning = SpinThread(self.executor)
        self.closed = False

    def start(self) -> None:
        """Anything that may fail comes last: a server left unclosed would answer requests of later tests."""
        self.executor.add_node(self.helper)
        self.spinning.start()
        assert self.client.wait_for_server(DISCOVERY_S)

    def on_diagnostics(self, msg: DiagnosticArray) -> None:
        status = msg.status[0]
        self.details = {item.key: item.value for item in status.values}
        self.status, self.said = status.level, status.message

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
        return ACTION_REQUEST.to_msg(ActionRequest(**values))

    def send(self, text: str, **changes: Any) -> Any:
        handle = self.finished(self.client.send_goal_async(self.goal(text, **changes)))
        assert handle.accepted
        return handle

    def result(self, handle: Any) -> tuple[ActionResult, int]:
        answer = self.finished(handle.get_result_async())
        return ACTION_RESULT.from_msg(answer.result), answer.status

    def do(self, text: str, **changes: Any) -> ActionResult:
        return self.result(self.send(text, **changes))[0]

    def reset(self) -> Trigger.Response:
        return self.finished(self.reset_client.call_async(Trigger.Request()))

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self.spinning.close()
        self.helper.destroy_node()


class Rig(Surroundings):
    """The node under test in this process, with its surroundings."""

    def __init__(
        self,
        context: Context,
        *,
        stopped: bool = False,
        remaps: Sequence[str] = (),
        make_reach: Callable[[ActionConfig, MotionConfig], Reach] = lambda *_: Anywhere(),
        **settings: float,
    ) -> None:
        self.planner = FakePlanner(speed=15.0)
        self.node = ActionNode(
            lambda config: FakeBody(),
            lambda config, motion_config: self.planner,
            make_reach,
            context=context,
            cli_args=['--ros-args', *(word for remap in remaps for word in ('-r', remap))],
            parameter_overrides=[Parameter(name, value=value) for name, value in {**QUICK, **settings}.items()],
        )
        super().__init__(context)
        if stopped:
            self.stop.publish(Bool(data=True))

    def start(self, *, spinning: bool = True) -> None:
        assert self.node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert self.node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        self.executor.add_node(self.node)
        if not spinning:
            self.executor.add_node(self.helper)
            return
        super().start()
        self.until(lambda: self.node._objects.latest() is not None and self.node._arms.joints() is not None)
        self.until(lambda: self.node.count_subscribers('left_arm_controller/joint_trajectory') > 0)

    def place(self, object_id: str = PEAR) -> str:
        return self.world.table.objects[object_id].container

    def at_home(self) -> bool:
        positions = self.world.table.positions
        return abs(positions[ARM_JOINT] - HOME) < 0.1 and positions[HAND_JOINT] < 0.5

    def close(self) -> None:
        if self.closed:
            return
        self.node._ending.set()
        self.spinning.close()
        self.node.destroy_node()
        super().close()


@contextmanager
def rigs_of_one_test() -> Iterator[Callable[..., Rig]]:
    """Makes rigs by options, and closes them all at the end."""
    context = Context()
    rclpy.init(context=context)
    with ExitStack() as end:
        end.callback(context.try_shutdown)

        def make(*, started: bool = True, spinning: bool = True, **options: Any) -> Rig:
            rig = Rig(context, **options)
            end.callback(rig.close)
            if started:
                rig.start(spinning=spinning)
            return rig

        yield make
