"""The ROS client of the command line: goals, task states, snapshots of the table, stop and reset."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future as ThreadFuture
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from lucca_interfaces.action import ExecuteTask
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import ListTasks
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import Image
from std_srvs.srv import Trigger

from lucca_cli.running_goal import RunningGoal
from lucca_cli.unheard_stops import left_on_disk
from lucca_core.claim import STACK, Claim, already_running, holder
from lucca_core.errors import StackError
from lucca_core.namespace import chosen_namespace
from lucca_core.nodes import MODULES
from lucca_core.protocol.goals import GoalRequest, GoalResult, OnFeedback
from lucca_core.protocol.prohibitions import ProhibitionChange, ProhibitionRequest, ProhibitionsAnswer
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskRemoval, TaskState
from lucca_ros.callers import FEEDBACK_QOS, Lifeline, ServiceCaller, wait_for
from lucca_ros.companion import Companion
from lucca_ros.conversions.goals import GOAL_FEEDBACK, GOAL_REQUEST, GOAL_RESULT
from lucca_ros.conversions.prohibitions import PROHIBITIONS
from lucca_ros.conversions.snapshots import snapshot_from_msg
from lucca_ros.conversions.tasks import FORGET_TASK, TASK_STATES
from lucca_ros.diagnostics import DIAGNOSTICS, part_in
from lucca_ros.node_claim import heard_claims, listening_s
from lucca_ros.rclpy_internals import LockedActionClient, destroy_for_good
from lucca_ros.spinning import SpinThread

T = TypeVar('T')

_FORGET_S, _PICTURE_S = 10.0, 20.0  # longest waits for an answer and for a picture, in s of wall time
_LOOK_S = 2.0
"""Time to look for a stack if no process is known to run one, in s of wall time."""

_PATIENCE_S = 15.0
"""Further waiting time if a process does run one, as discovery is slow on a busy machine."""


@dataclass(frozen=True)
class Endpoint:
    """A topic with its numbers of publishers and subscribers."""

    name: str
    publishers: int
    subscribers: int


class StackClient:
    """A ROS node with a context of its own, spinning in a thread. Use it as a context manager.

    `namespace`: of the robot; None for the chosen one (`LUCCA_NAMESPACE`).
    """

    def __init__(self, namespace: str | None = None) -> None:
        self._context = Context()
        # Without the words of the command line: what somebody says may look like arguments of ROS.
        rclpy.init(args=[], context=self._context)
        self._node = Node(
            'lucca_cli',
            namespace=chosen_namespace() if namespace is None else namespace,
            context=self._context,
            use_global_arguments=False,
        )
        executor = MultiThreadedExecutor(num_threads=2, context=self._context)
        executor.add_node(self._node)
        self._spinning = SpinThread(executor, 'lucca_cli_spin')
        # Spins only after the first goal of this client: every client receives the feedback of all goals, and a watcher
        # that wakes up with each step of other people's goals would delay the nodes. What waits by then is dropped.
        self._goals = Companion(self._node, 'goals')
        self._goals_spin = False
        self._goals_lock = threading.Lock()
        self._execute_task = LockedActionClient(
            self._goals.node,
            ExecuteTask,
            self._node.resolve_service_name('execute_task'),
            feedback_sub_qos_profile=FEEDBACK_QOS,
        )
        self._list_tasks = ServiceCaller(self._node, ListTasks, 'memory/tasks', repeatable=True)
        # A node, executor and thread of its own, so that a stop waits for nothing else in this process.
        self._stopping = Companion(self._node, 'stop')
        self._stop = ServiceCaller(self._stopping.node, Trigger, self._node.resolve_service_name('action/stop'))
        self._reset = ServiceCaller(self._node, Trigger, 'action/reset')

    def __enter__(self) -> Self:
        self._spinning.start()
        self._stopping.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.close()
        self._goals.close()
        self._spinning.close()
        destroy_for_good(self._node)
        self._context.try_shutdown()

    @property
    def node(self) -> Node:
        """The node, for the bench and the tests."""
        return self._node

    def is_up(self, timeout_s: float) -> bool:
        """True when a coordinator answers within `timeout_s`."""
        return bool(self._execute_task.wait_for_server(timeout_sec=timeout_s))

    def is_there(self) -> bool:
        """True if a stack is up. Waits longer if a stack seems to be starting."""
        return self.is_up(_LOOK_S) or (bool(self.stack_holder()) and self.is_up(_PATIENCE_S))

    def require_stack(self) -> None:
        """Raises StackError if there is no stack, or as `finds_stack`."""
        if not self.finds_stack():
            raise StackError(f'no stack is running {self._here()}; start one with: lucca up')

    def finds_stack(self) -> bool:
        """As `is_there`, but raises StackError if a stack runs whose coordinator does not answer."""
        if self.is_there():
            return True
        if who := self.stack_holder():
            why = 'but no coordinator answers; lucca doctor says what is missing'
            raise StackError(f'{who} is running {self._here()}, {why}')
        return False

    def _here(self) -> str:
        return f'in ROS domain {self._context.get_domain_id()}, namespace {self._node.get_namespace()}'

    def stack_holder(self) -> str:
        """The process that runs a stack or one of its nodes in this domain and namespace; empty if there is none.

        It may be on this machine or another one. The client must be spinning.
        """
        return next(iter(self.running((STACK, *MODULES)).values()), '')

    def claim_stack(self, kinds: Sequence[str]) -> Claim:
        """Makes this process the only one to start a stack in its domain and namespace. The client must be spinning.

        `kinds`: the nodes that it starts; other nodes that already run do not conflict.

        Raises:
            AlreadyRunningError: there is a stack, or one of these nodes, here or on another machine.
        """
        domain, namespace = self._context.get_domain_id(), self._node.get_namespace()
        claim = Claim(STACK, domain, namespace)
        for kind, who in self.running(kinds).items():
            claim.release()
            raise already_running(kind, domain, namespace, who)
        return claim

    def running(self, kinds: Sequence[str]) -> dict[str, str]:
        """The processes that run these kinds of nodes in this domain and namespace, here or on another machine."""
        domain, namespace = self._context.get_domain_id(), self._node.get_namespace()
        found = {kind: who for kind in kinds if (who := holder(kind, domain, namespace))}
        return found or heard_claims(self._node, kinds, listening_s(), self.wait)

    def wait_ready(self, timeout_s: float, alive: Callable[[], None] | None = None) -> Snapshot:
        """Waits until tasks can be given: coordinator, worker and action node are there, and the table is seen.

        Returns the first snapshot. Raises StackError, which names what is missing, after `timeout_s`.
        """
        deadline = time.monotonic() + timeout_s

        def until(ready: Callable[[], bool], what: str) -> None:
            while not ready():
                if alive is not None:
                    alive()
                if time.monotonic() > deadline:
                    raise StackError(f'the stack is not ready after {timeout_s:g} s: {what} is missing')

        until(lambda: bool(self._execute_task.wait_for_server(timeout_sec=0.5)), 'the coordinator (execute_task)')
        until(lambda: self._list_tasks.wait_for_server(0.5), 'the worker (memory/tasks)')
        until(lambda: self._reset.wait_for_server(0.5), 'the action node (action/reset)')
        found: list[Snapshot] = []

        def seen() -> bool:
            try:
                found.append(self.snapshot(timeout_s=1.0))
            except StackError:
                return False
            return True

        until(seen, 'what perception sees (perception/objects): no camera image?')
        return found[-1]

    def send_goal(self, request: GoalRequest, on_feedback: OnFeedback | None = None) -> RunningGoal:
        """Gives a goal to the coordinator.

        Raises:
            StackError: there is no coordinator, or it did not accept the goal.
        """
        if not self._execute_task.wait_for_server(timeout_sec=8.0):
            raise StackError('no coordinator is running (action execute_task); start one with: lucca up')
        report: ThreadFuture[GoalResult] = ThreadFuture()

        def relay(message: Any) -> None:
            # Feedback after the result is ignored, as the result includes it.
            if on_feedback is None or report.done():
                return
            try:
                step = GOAL_FEEDBACK.from_msg(message.feedback)
            except ValueError as error:
                # An exception would end the thread and the context, which a stop needs, too.
                self._node.get_logger().warning(f'a step of the goal cannot be shown: {error}')
                return
            on_feedback(step)

        with self._goals_lock:
            if not self._goals_spin:
                self._goals.start()
                self._goals_spin = True
        lifeline = Lifeline(self._node, self._node.resolve_service_name('execute_task') + '/_action/status')
        handle = wait_for(
            self._execute_task.send_goal_async(GOAL_REQUEST.to_msg(request), feedback_callback=relay),
            10.0,
            'the coordinator (execute_task)',
        )
        if not handle.accepted:
            raise StackError(f'the coordinator did not accept the goal {request}')

        def end(future: Any) -> None:
            try:
                report.set_result(GOAL_RESULT.from_msg(future.result().result))
            except ValueError as error:
                # An action server whose callback fails returns an empty result.
                report.set_exception(StackError(f'the coordinator gave no usable result: {error}'))

        handle.get_result_async().add_done_callback(end)
        return RunningGoal(handle, report, lifeline)

    def tasks(self, timeout_s: float = 8.0) -> tuple[TaskState, ...]:
        """The state of every task that the worker knows."""
        return TASK_STATES.from_msg(self._list_tasks.ask(ListTasks.Request(), timeout_s))

    def forget_task(self, task: str, *, force: bool) -> str:
        """Asks the worker to forget a taught task; returns the new file name of its log, empty if it had none.

        Raises:
            StackError: there is no worker, or it gave no answer.
            MemoryFault: the worker refused; the message gives its reason.
        """
        service = ServiceCaller(self._node, FORGET_TASK.kind, 'memory/forget_task')
        request = FORGET_TASK.request.to_msg(TaskRemoval(task=task, force=force))
        return FORGET_TASK.answer_from_msg(service.call(request, _FORGET_S)).log_file

    def snapshot(self, timeout_s: float = 8.0, *, newer_than_s: float = -1.0) -> Snapshot:
        """The next message of perception with a stamp later than `newer_than_s`.

        Raises:
            StackError: perception published nothing in time.
        """

        def take(message: TableState) -> Snapshot | None:
            try:
                value = snapshot_from_msg(message)
            except ValueError as error:
                # The publisher of this message is not our perception.
                raise StackError(f'perception/objects: {error}') from error
            return value if value.stamp_s > newer_than_s else None

        return self._next(TableState, 'perception/objects', timeout_s, take)

    def watch_table(self, on_snapshot: Callable[[Snapshot], None]) -> Callable[[], None]:
        """Calls `on_snapshot` for each message of perception until the returned function is called."""
        subscription = self._node.create_subscription(
            TableState, 'perception/objects', lambda message: on_snapshot(snapshot_from_msg(message)), 10
        )

        return lambda: self._node.destroy_subscription(subscription)

    def annotated_image(self) -> np.ndarray:
        """The camera image with the detections drawn in; (height, width, 3), uint8, RGB."""
        image = self._next(Image, 'perception/annotated', _PICTURE_S, lambda message: message)
        return np.frombuffer(bytes(image.data), dtype=np.uint8).reshape(image.height, image.width, 3)

    def _next(self, kind: type, topic: str, timeout_s: float, take: Callable[[Any], T | None]) -> T:
        """The first result of `take` that is not None, from the messages of a topic.

        An exception in `take` ends the call, not the thread that spins.
        """
        found: ThreadFuture[T] = ThreadFuture()

        def receive(message: Any) -> None:
            if found.done():
                return
            try:
                if (value := take(message)) is not None:
                    found.set_result(value)
            except StackError as error:
                found.set_exception(error)

        subscription = self._node.create_subscription(kind, topic, receive, 1)
        try:
            return found.result(timeout=timeout_s)
        except TimeoutError:
            raise StackError(f'{topic}: nothing published within {timeout_s:g} s') from None
        finally:
            self._node.destroy_subscription(subscription)

    def stop(self, timeout_s: float = 5.0) -> None:
        """Stops all motion. On return the arms have been told to hold, and a restarted action node stays stopped.

        Raises:
            StackError: no action node answered in time (the stop is then left on the disk, see `left_on_disk`), or part
                of the stop failed; the message says which.
        """
        try:
            response = self._stop.call(Trigger.Request(), timeout_s)
        except StackError as error:
            left = left_on_disk(self._context.get_domain_id(), self._node.get_namespace())
            raise StackError(f'{error}; use the hardware stop{left}') from error
        if not response.success:
            raise StackError(f'the stop was not completed: {response.message}')

    def reset(self, timeout_s: float = 60.0) -> str:
        """Lifts a stop and brings the arms home. Returns the answer of the action node.

        Raises:
            StackError: there is no action node, or it refused; the message gives its reason.
        """
        self._require_action_node(self._reset, _PATIENCE_S)
        response = self._reset.call(Trigger.Request(), timeout_s)
        if not response.success:
            raise StackError(f'reset refused: {response.message}')
        return str(response.message)

    def said_by(self, node: str, timeout_s: float) -> str:
        """What a node reports now in a few words, such as ready; raises StackError if it reports nothing."""
        return self._next(DiagnosticArray, DIAGNOSTICS, timeout_s, lambda message: part_in(message, node))

    def prohibitions(
        self, request: ProhibitionRequest, timeout_s: float = 8.0, patience_s: float = _PATIENCE_S
    ) -> ProhibitionsAnswer:
        """Asks the action node to list the prohibitions that hold, or to add or lift one. The answer is on its disk.

        Raises:
            StackError: there is no action node, or it gave no answer; what was asked for does not hold for sure.
            MemoryFault: it refused; the message gives its reason.
        """
        service = ServiceCaller(self._node, PROHIBITIONS.kind, 'action/prohibitions')
        try:
            self._require_action_node(service, patience_s)
            msg = PROHIBITIONS.request.to_msg(request)
            lists = request.change is ProhibitionChange.LIST
            return PROHIBITIONS.answer_from_msg(service.ask(msg, timeout_s) if lists else service.call(msg, timeout_s))
        finally:
            service.destroy()

    def _require_action_node(self, service: ServiceCaller, patience_s: float) -> None:
        if service.wait_for_server(_LOOK_S) or (self.stack_holder() and service.wait_for_server(patience_s)):
            return
        # DDS forgets a frozen node after some seconds, but its process still has its claim.
        if who := self.running(('action',)).get('action'):
            raise StackError(
                f'the action node does not answer {self._here()}, although it runs ({who}): it hangs or is '
                'still starting; to stop the arms, use the emergency stop'
            )
        raise StackError(f'no action node is running {self._here()}; start a stack with: lucca up')

    def endpoint(self, topic: str) -> Endpoint:
        """Counts of publishers and subscribers of a topic now."""
        return Endpoint(topic, self._node.count_publishers(topic), self._node.count_subscribers(topic))

    def node_names(self) -> tuple[str, ...]:
        """The names of the nodes that are running."""
        return tuple(self._node.get_node_names())

    def wait(self, timeout_s: float) -> None:
        """Waits for some wall time."""
        # Without `context`, the default context would be used, which is not initialised here.
        self._node.get_clock().sleep_for(Duration(seconds=timeout_s), context=self._context)


@contextmanager
def running_stack() -> Iterator[StackClient]:
    """A client of the running stack.

    Raises:
        StackError: there is none; see `StackClient.require_stack`.
    """
    with StackClient() as client:
        client.require_stack()
        yield client
