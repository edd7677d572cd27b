"""The coordinator's interfaces over ROS: the worker's memory, the arms, and perception."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lucca_interfaces.action import ExecuteAction
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import ListTasks
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, ReliabilityPolicy

from coordinator_node.call_parser import settling
from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Flag, never
from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault, StackError
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.prohibitions import ProhibitionChange, ProhibitionRequest, ProhibitionsAnswer
from lucca_core.protocol.retrieved import OpenIntent, Retrieved, RetrieveRequest, Review, ReviewRequest
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskLesson, TaskState
from lucca_ros.callers import ServiceCaller
from lucca_ros.conversions.actions import ACTION_REQUEST, ACTION_RESULT
from lucca_ros.conversions.entries import RECORD
from lucca_ros.conversions.prohibitions import PROHIBITIONS
from lucca_ros.conversions.retrieved import RETRIEVE, REVIEW
from lucca_ros.conversions.snapshots import snapshot_from_msg
from lucca_ros.conversions.stamps import time_from_msg
from lucca_ros.conversions.tasks import TASK_STATES, TEACH_TASK
from lucca_ros.streams import Streams


class RosMemory:
    """MemoryInterface on top of the worker's services. Call `destroy` when done."""

    def __init__(self, streams: Streams, config: CoordinatorConfig) -> None:
        self._config = config
        self._working = streams.caller(RETRIEVE.kind, 'memory/retrieve_working', repeatable=True)
        self._declarative = streams.caller(RETRIEVE.kind, 'memory/retrieve_declarative', repeatable=True)
        self._review = streams.caller(REVIEW.kind, 'memory/review', repeatable=True)
        self._record = streams.caller(RECORD.kind, 'memory/record')
        self._tasks = streams.caller(ListTasks, 'memory/tasks', repeatable=True)
        self._teach = streams.caller(TEACH_TASK.kind, 'memory/teach')

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        return self._retrieve(self._declarative, task, snapshot, cancelled)

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag, prohibited: tuple[str, ...] = ()) -> Retrieved:
        return self._retrieve(self._working, task, snapshot, cancelled, prohibited)

    def review(
        self, task: str, proposed: str, snapshot: Snapshot, *, cancelled: Flag, prohibited: tuple[str, ...] = ()
    ) -> Review:
        asked = ReviewRequest(task=task, proposed=proposed, snapshot=snapshot, prohibited=prohibited)
        request = REVIEW.request.to_msg(asked)
        reply = self._review.call(request, self._config.retrieve_timeout_s, cancelled=cancelled)
        with _telling(f'no second opinion on {proposed}'):
            return REVIEW.answer_from_msg(reply)

    def record(
        self, task: str, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '', description: str = ''
    ) -> int:
        entry = EntryRequest(
            task=task, kind=EntryKind(kind), snapshot=snapshot, code=code, note=note, description=description
        )
        reply = self._record.call(RECORD.request.to_msg(entry), self._config.record_timeout_s)
        with _telling(f'{kind} of {task} was not recorded'):
            return RECORD.answer_from_msg(reply).entry_id

    def tasks(self) -> tuple[TaskState, ...]:
        states = TASK_STATES.from_msg(self._tasks.call(ListTasks.Request(), self._config.record_timeout_s))
        if not states:
            # A task file must not be empty, so a worker that knows no tasks is starting up or shutting down.
            raise StackError('the worker knows no tasks; it is not ready')
        return states

    def teach(self, name: str, description: str, actions: tuple[str, ...] = ()) -> str:
        request = TEACH_TASK.request.to_msg(TaskLesson(task=name, description=description, actions=actions))
        reply = self._teach.call(request, self._config.record_timeout_s)
        with _telling(f'{name} was not taught'):
            return TEACH_TASK.answer_from_msg(reply).task

    def _retrieve(
        self,
        service: ServiceCaller,
        task: str,
        snapshot: Snapshot,
        cancelled: Flag,
        prohibited: tuple[str, ...] = (),
    ) -> Retrieved:
        request = RETRIEVE.request.to_msg(RetrieveRequest(task=task, snapshot=snapshot, prohibited=prohibited))
        reply = service.call(request, self._config.retrieve_timeout_s, cancelled=cancelled)
        with _telling(f'memory of {task} could not be built'):
            return RETRIEVE.answer_from_msg(reply)

    def destroy(self) -> None:
        for service in (self._working, self._declarative, self._review, self._record, self._tasks, self._teach):
            service.destroy()


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """Adds to a refusal what it was about."""
    try:
        yield
    except MemoryFault as error:
        raise MemoryFault(f'{what}: {error}') from error


class RosArms:
    """ActionInterface on top of the `execute_action` action."""

    def __init__(self, streams: Streams) -> None:
        self.config = CoordinatorConfig()
        self.actions: tuple[str, ...] = ()
        self._caller = streams.action_caller(ExecuteAction, 'execute_action')

    def settle(self, task: str, intent: OpenIntent, snapshot: Snapshot, *, cancelled: Flag) -> ActionResult:
        return self.execute(settling(task, intent, self.actions, snapshot), cancelled=cancelled)

    def execute(self, request: ActionRequest, *, cancelled: Flag) -> ActionResult:
        result = self._caller.run(
            ACTION_REQUEST.to_msg(request),
            connect_s=self.config.stack_wait_s,
            timeout_s=self.config.action_timeout_s,
            cancel_timeout_s=self.config.cancel_timeout_s,
            cancelled=cancelled,
        )
        if result is None:
            return ActionResult(code=ReasonCode.BUSY, message='the action node took no further goal')
        try:
            return ACTION_RESULT.from_msg(result)
        except ValueError as error:
            # An action server whose callback fails returns an empty result.
            raise StackError(f'the action node gave no usable result: {error}') from error


class RosProhibitions:
    """ProhibitionsInterface on top of the service `action/prohibitions`. Call `destroy` when done."""

    def __init__(self, streams: Streams, config: CoordinatorConfig) -> None:
        self._timeout_s = config.record_timeout_s
        self._caller = streams.caller(PROHIBITIONS.kind, 'action/prohibitions')

    def ask(self, request: ProhibitionRequest, *, cancelled: Flag = never) -> ProhibitionsAnswer:
        # A list may be asked for twice; a change that was lost is told as not kept.
        call = self._caller.ask if request.change is ProhibitionChange.LIST else self._caller.call
        reply = call(PROHIBITIONS.request.to_msg(request), self._timeout_s, cancelled=cancelled)
        return PROHIBITIONS.answer_from_msg(reply)

    def destroy(self) -> None:
        self._caller.destroy()


class RosPerception:
    """PerceptionInterface on top of the `perception/objects` topic. Call `destroy` when done."""

    def __init__(self, node: LifecycleNode, streams: Streams) -> None:
        self._node = node
        self._streams = streams
        self._newest: TableState | None = None
        self._came = threading.Condition()
        # Best effort works with both kinds of publishers; only the newest snapshot matters.
        qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._subscription = streams.subscribe(TableState, 'perception/objects', self._on_table, qos)

    def now_s(self) -> float:
        return float(self._node.get_clock().now().nanoseconds) * 1e-9

    def fresh(self, newer_than_s: float, timeout_s: float, *, cancelled: Flag) -> Snapshot:
        end_s = time.monotonic() + timeout_s
        with self._came:
            while self._newest is None or time_from_msg(self._newest.header.stamp) <= newer_than_s:
                if cancelled():
                    raise StackError('perception: cancelled')
                if time.monotonic() > end_s:
                    raise StackError(f'perception gave no picture newer than {newer_than_s:.3f} s in {timeout_s:g} s')
                self._came.wait(0.02)
            newest = self._newest
        try:
            return snapshot_from_msg(newest)
        except ValueError as error:
            raise StackError(f'perception gave a snapshot that is none: {error}') from error

    def newest(self) -> Snapshot | None:
        """The last snapshot; None before the first one, or if it is not valid."""
        with self._came:
            newest = self._newest
        if newest is None:
            return None
        try:
            return snapshot_from_msg(newest)
        except ValueError:
            # Whoever acts on the table asks for a fresh snapshot and gets the error there.
            return None

    def _on_table(self, msg: TableState) -> None:
        with self._came:
            self._newest = msg
            self._came.notify_all()

    def destroy(self) -> None:
        self._streams.unsubscribe(self._subscription)
