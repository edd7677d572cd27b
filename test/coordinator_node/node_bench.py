"""The coordinator over real DDS beside a fake stack, and a client: what the tests of the node share."""

import threading
import time
from dataclasses import dataclass, field

import pytest
import rclpy
from lucca_interfaces.action import ExecuteAction, ExecuteTask
from lucca_interfaces.msg import TableState, TaskState
from lucca_interfaces.srv import ListTasks, Prohibitions, Record, RetrieveMemory, ReviewCall, TeachTask
from rclpy.action import CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future

from coordinator_node.interfaces import Goal, TaskResult, never
from coordinator_node.node import CoordinatorNode
from lucca_ros.conversions.actions import ACTION_REQUEST, ACTION_RESULT
from lucca_ros.conversions.goals import GOAL_REQUEST, GOAL_RESULT
from lucca_ros.conversions.snapshots import snapshot_from_msg, snapshot_to_msg
from lucca_ros.conversions.usage import USAGE
from lucca_ros.rclpy_internals import LockedActionClient, ShutdownSafeActionServer
from lucca_ros.spinning import SpinThread

DEADLINE_S = 30.0


class FakeArms:
    """The action node, with an executor of its own, so that it can die while everything else goes on."""

    def __init__(self, context: Context, execute) -> None:
        self.node = Node('fake_arms', context=context)
        executor = MultiThreadedExecutor(num_threads=4, context=context)
        self.server = ShutdownSafeActionServer(
            self.node,
            ExecuteAction,
            'execute_action',
            execute,
            callback_group=ReentrantCallbackGroup(),
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        executor.add_node(self.node)
        self.spinning = SpinThread(executor)
        self.spinning.start()

    def kill(self) -> None:
        """It answers nothing any more. Not to be called from its own callbacks, for whose end this waits."""
        self.spinning.close()
        self.server.destroy()
        self.node.destroy_node()


@dataclass
class FakeStack:
    """Worker and perception over the fake world, in one node, and the action node."""

    node: Node
    world: object
    group: ReentrantCallbackGroup = field(default_factory=ReentrantCallbackGroup)
    motion_s: float = 0.0
    moving: bool = False
    moves: int = 0
    dead: bool = False
    dies_at_move: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    restarting: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tables = self.node.create_publisher(TableState, 'perception/objects', 5)
        self.node.create_timer(0.02, self.publish_table, callback_group=self.group)
        self.start_arms()
        self.start_memory()

    def start_arms(self) -> None:
        self.dead = False
        self.arms = FakeArms(self.node.context, self.execute)

    def restart_arms(self) -> None:
        self.arms.kill()
        self.start_arms()

    def close(self) -> None:
        for restarting in self.restarting:
            restarting.join(DEADLINE_S)
        self.arms.kill()

    def start_memory(self) -> None:
        def service(kind, name, callback):
            return self.node.create_service(kind, name, callback, callback_group=self.group)

        self.services = [
            service(Prohibitions, 'action/prohibitions', self.prohibitions),
            service(RetrieveMemory, 'memory/retrieve_working', self.working),
            service(RetrieveMemory, 'memory/retrieve_declarative', self.declarative),
            service(ReviewCall, 'memory/review', self.review),
            service(Record, 'memory/record', self.record),
            service(ListTasks, 'memory/tasks', self.tasks),
            service(TeachTask, 'memory/teach', self.teach),
        ]

    def restart_memory(self) -> None:
        for service in self.services:
            self.node.destroy_service(service)
        self.start_memory()

    def prohibitions(self, request, response):
        response.success = True
        return response

    def publish_table(self) -> None:
        # As a camera's: of before it was looked at, or what changed in between would count as seen.
        stamp = self.node.get_clock().now().to_msg()
        msg = snapshot_to_msg(self.world.snapshot())
        msg.header.stamp = stamp
        self.tables.publish(msg)

    def working(self, request, response):
        return self.retrieved(self.world.working, request, response)

    def declarative(self, request, response):
        return self.retrieved(self.world.declarative, request, response)

    def retrieved(self, build, request, response):
        found = build(request.task, snapshot_from_msg(request.table), cancelled=never)
        response.success = True
        response.text, response.to_do = found.text, list(found.to_do)
        response.actions_done = list(found.actions_done)
        response.usage = USAGE.to_msg(found.usage)
        if found.open_intent:
            response.open_intent_id = found.open_intent.intent_id
            response.open_intent_action = found.open_intent.action
            response.open_intent_object_name = found.open_intent.object_name
        return response

    def review(self, request, response):
        found = self.world.review(request.task, request.proposed, snapshot_from_msg(request.table), cancelled=never)
        response.success, response.fits = True, found.fits
        return response

    def record(self, request, response):
        entry = request.entry
        response.entry_id = self.world.record(entry.task, entry.kind, None, code=entry.code, note=entry.note)
        response.acknowledged = True
        return response

    def tasks(self, request, response):
        response.tasks = [
            TaskState(
                task=item.task,
                description=item.description,
                status=item.status,
                actions_done=list(item.actions_done),
                open_intent=item.open_intent,
            )
            for item in self.world.tasks()
        ]
        return response

    def teach(self, request, response):
        response.task, response.success = self.world.teach(request.task, request.description), True
        return response

    async def execute(self, handle):
        request = handle.request
        if request.settle_intent_id:
            report = self.world.settle(request.task, self.world.open_intent, None, cancelled=never)
            handle.succeed()
            return ACTION_RESULT.to_msg(report)
        with self.lock:
            self.moving = True
            self.moves += 1
            if self.moves == self.dies_at_move:
                self.dead = True
                self.world.codes = [RuntimeError('died')]
        end_s = time.monotonic() + self.motion_s
        pause = threading.Event()
        while time.monotonic() < end_s and not handle.is_cancel_requested:
            pause.wait(0.005)
        if self.dead:
            with pytest.raises(RuntimeError):
                self.world.execute(ACTION_REQUEST.from_msg(request), cancelled=never)
            self.restarting.append(threading.Thread(target=self.restart_arms))
            self.restarting[-1].start()
            await Future()  # a killed node answers nothing
        cancelled = handle.is_cancel_requested
        report = self.world.execute(ACTION_REQUEST.from_msg(request), cancelled=lambda: cancelled)
        self.moving = False
        if cancelled:
            handle.canceled()
        else:
            handle.succeed()
        return ACTION_RESULT.to_msg(report)


class Bench:
    """The coordinator, the fake stack and a client, spinning in threads of their own."""

    def __init__(self, harness, **parameters) -> None:
        harness.clock.now_s = 0.0
        self.context = Context()
        rclpy.init(context=self.context)
        self.executor = MultiThreadedExecutor(num_threads=4, context=self.context)
        self.others = MultiThreadedExecutor(num_threads=8, context=self.context)
        self.model = harness.model
        self.closed = False
        self.specs: list[str] = []
        self.node = CoordinatorNode(
            lambda spec: self.specs.append(spec) or harness.model,
            context=self.context,
            parameter_overrides=[
                Parameter('stack_wait_s', value=10.0),
                # The fake memory has no model. An answer that DDS loses is asked for again, as on a robot.
                Parameter('retrieve_timeout_s', value=5.0),
                Parameter('retry_pause_s', value=0.01),
                Parameter('remember_people', value=False),
                # As in the harness: the scripted model cannot restate a task.
                Parameter('restate', value=False),
                *(Parameter(name, value=value) for name, value in parameters.items()),
            ],
        )
        self.fake_node = Node('fakes', context=self.context)
        self.client_node = Node('client', context=self.context)
        self.stack = FakeStack(self.fake_node, harness.world)
        self.client = LockedActionClient(self.client_node, ExecuteTask, 'execute_task')
        self.executor.add_node(self.node)
        self.others.add_node(self.fake_node)
        self.others.add_node(self.client_node)
        self.spinning = [SpinThread(item) for item in (self.executor, self.others)]
        for thread in self.spinning:
            thread.start()
        assert self.node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert self.node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        assert self.client.wait_for_server(DEADLINE_S)

    def send(self, on_feedback=None, **goal):
        accepted = threading.Event()
        goal = GOAL_REQUEST.to_msg(Goal(goal_id='', **goal))
        future = self.client.send_goal_async(goal, lambda msg: on_feedback(msg.feedback) if on_feedback else None)
        future.add_done_callback(lambda _: accepted.set())
        assert accepted.wait(DEADLINE_S)
        assert future.result().accepted
        return future.result()

    @staticmethod
    def result(handle) -> TaskResult:
        ended = threading.Event()
        future = handle.get_result_async()
        future.add_done_callback(lambda _: ended.set())
        assert ended.wait(DEADLINE_S), 'the goal did not end'
        return GOAL_RESULT.from_msg(future.result().result)

    @staticmethod
    def until(done) -> bool:
        end_s, pause = time.monotonic() + DEADLINE_S, threading.Event()
        while not done() and time.monotonic() < end_s:
            pause.wait(0.01)
        return done()

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        if self.node._dispatcher is not None:
            self.node.trigger_deactivate()
        for thread in self.spinning:
            thread.close()
        self.stack.close()
        self.client.destroy()
        for node in (self.node, self.fake_node, self.client_node):
            node.destroy_node()
        rclpy.shutdown(context=self.context)
