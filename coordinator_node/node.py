"""The coordinator as a ROS node; the thinking is in `desk.py` and `task_loop.py`.

Goals run in threads of their own, so that any number of them can wait without keeping an executor's thread. The action
server executes a goal only to deliver its result: a coroutine that waits for a future would be polled by rclpy's
executor without a pause.
"""

import contextlib
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from lucca_interfaces.action import ExecuteAction, ExecuteTask
from lucca_interfaces.msg import TableState, Utterance
from lucca_interfaces.srv import ListTasks, Record, RetrieveMemory, ReviewCall, TeachTask
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile, ReliabilityPolicy

from coordinator_node.agent import Agent
from coordinator_node.asking import Asker
from coordinator_node.config import CoordinatorConfig
from coordinator_node.conversation import Conversation
from coordinator_node.conversions import (
    action_to_msg,
    entry_to_msg,
    event_to_msg,
    goal_from_msg,
    report_from_msg,
    result_to_msg,
    retrieved_from_msg,
    review_from_msg,
    settle_to_msg,
    status_from_msg,
)
from coordinator_node.desk import Desk
from coordinator_node.goals import QueueFull
from coordinator_node.people.node import WorkerPeople
from coordinator_node.persona import load_persona
from coordinator_node.ports import (
    ActionReport,
    ActionRequest,
    Flag,
    Goal,
    OpenIntent,
    Phase,
    Retrieved,
    Review,
    Status,
    TaskEvent,
    TaskResult,
    TaskStatus,
)
from coordinator_node.task_loop import TaskLoop, load_known
from coordinator_node.waits import Waits
from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault, StackError
from lucca_core.values import Snapshot
from lucca_llm.model import ChatModel
from lucca_llm.spec import make_model
from lucca_ros.calling import ActionCaller, ServiceCaller
from lucca_ros.conversions import snapshot_from_msg, snapshot_to_msg, time_from_msg
from lucca_ros.lifecycle import logged_transition, main_of
from lucca_ros.parameters import declare_parameters, read_parameters
from lucca_ros.streams import Streams

_JOIN_S = 3.0


class _WorkerMemory:
    """MemoryPort over the worker's services."""

    def __init__(self, node: LifecycleNode, config: CoordinatorConfig, group: ReentrantCallbackGroup) -> None:
        self._config = config
        self._working = ServiceCaller(
            node, RetrieveMemory, 'memory/retrieve_working', callback_group=group, repeatable=True
        )
        self._declarative = ServiceCaller(
            node, RetrieveMemory, 'memory/retrieve_declarative', callback_group=group, repeatable=True
        )
        self._review = ServiceCaller(node, ReviewCall, 'memory/review', callback_group=group, repeatable=True)
        self._record = ServiceCaller(node, Record, 'memory/record', callback_group=group)
        self._tasks = ServiceCaller(node, ListTasks, 'memory/tasks', callback_group=group, repeatable=True)
        self._teach = ServiceCaller(node, TeachTask, 'memory/teach', callback_group=group)

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        return self._retrieve(self._declarative, task, snapshot, cancelled)

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        return self._retrieve(self._working, task, snapshot, cancelled)

    def review(self, task: str, proposed: str, snapshot: Snapshot, *, cancelled: Flag) -> Review:
        request = ReviewCall.Request(task=task, proposed=proposed, table=snapshot_to_msg(snapshot))
        reply = self._review.call(request, self._config.retrieve_timeout_s, cancelled=cancelled)
        if not reply.success:
            raise MemoryFault(f'no second opinion on {proposed}: {reply.message}')
        return review_from_msg(reply)

    def record(self, task: str, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '') -> int:
        entry = entry_to_msg(task, kind, snapshot, code, note)
        reply = self._record.call(Record.Request(entry=entry), self._config.record_timeout_s)
        if not reply.acknowledged:
            raise MemoryFault(f'{kind} of {task} was not recorded: {reply.message}')
        return int(reply.entry_id)

    def tasks(self) -> tuple[TaskStatus, ...]:
        reply = self._tasks.call(ListTasks.Request(), self._config.record_timeout_s)
        if not reply.tasks:
            # A file without tasks is refused, so a worker that knows none is one that is only just coming or going.
            raise StackError('the worker knows no tasks; it is not ready')
        return tuple(map(status_from_msg, reply.tasks))

    def teach(self, name: str, description: str, actions: tuple[str, ...] = ()) -> str:
        request = TeachTask.Request(task=name, description=description, actions=list(actions))
        reply = self._teach.call(request, self._config.record_timeout_s)
        if not reply.success:
            raise MemoryFault(f'{name} was not taught: {reply.message}')
        return str(reply.task)

    def _retrieve(self, service: ServiceCaller, task: str, snapshot: Snapshot, cancelled: Flag) -> Retrieved:
        request = RetrieveMemory.Request(task=task, table=snapshot_to_msg(snapshot))
        reply = service.call(request, self._config.retrieve_timeout_s, cancelled=cancelled)
        if not reply.success:
            raise MemoryFault(f'memory of {task} could not be built: {reply.message}')
        return retrieved_from_msg(reply)

    def destroy(self) -> None:
        for service in (self._working, self._declarative, self._review, self._record, self._tasks, self._teach):
            service.destroy()


class _Arms:
    """ActionPort over `execute_action`."""

    def __init__(self, node: LifecycleNode, group: ReentrantCallbackGroup) -> None:
        self.config = CoordinatorConfig()
        self.actions: tuple[str, ...] = ()
        self._caller = ActionCaller(node, ExecuteAction, 'execute_action', callback_group=group)

    def execute(self, request: ActionRequest, *, cancelled: Flag) -> ActionReport:
        return self._run(action_to_msg(request), cancelled)

    def settle(self, task: str, intent: OpenIntent, snapshot: Snapshot, *, cancelled: Flag) -> ActionReport:
        return self._run(settle_to_msg(task, intent, self.actions, snapshot), cancelled)

    def _run(self, goal: Any, cancelled: Flag) -> ActionReport:
        result = self._caller.run(
            goal,
            connect_s=self.config.stack_wait_s,
            timeout_s=self.config.action_timeout_s,
            cancel_timeout_s=self.config.cancel_timeout_s,
            cancelled=cancelled,
        )
        if result is None:
            return ActionReport(code=ReasonCode.BUSY, message='the action node took no further goal')
        try:
            return report_from_msg(result)
        except ValueError as error:
            # An action server that ends by a bug of its own answers an empty result.
            raise StackError(f'the action node gave no usable result: {error}') from error

    def destroy(self) -> None:
        self._caller.destroy()


class _Eyes:
    """PerceptionPort over `perception/objects`."""

    def __init__(self, node: LifecycleNode, streams: Streams) -> None:
        self._node = node
        self._streams = streams
        self._newest: TableState | None = None
        self._came = threading.Condition()
        # Best effort matches publishers of either kind; only the newest picture is of use.
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
        """What was seen last; None before anything was."""
        with self._came:
            newest = self._newest
        if newest is None:
            return None
        try:
            return snapshot_from_msg(newest)
        except ValueError:
            # Whoever acts on it asks for a fresh one, and is told.
            return None

    def _on_table(self, msg: TableState) -> None:
        with self._came:
            self._newest = msg
            self._came.notify_all()

    def destroy(self) -> None:
        self._streams.unsubscribe(self._subscription)


class _GoalServer(ActionServer):
    """An action server that tells when the result of a goal has been handed over, so that nobody leaves before."""

    async def _execute_goal(self, execute_callback: Any, goal_handle: Any) -> None:
        try:
            await super()._execute_goal(execute_callback, goal_handle)
        finally:
            goal_handle.delivered.set()


class CoordinatorNode(LifecycleNode):
    """Takes goals by `execute_task` and by what is heard, and runs them with perception, worker and action node."""

    def __init__(self, make_model: Callable[[str], ChatModel] = make_model, **node_options: Any) -> None:
        super().__init__('coordinator', **node_options)
        declare_parameters(self, CoordinatorConfig())
        self._streams = Streams(self)
        self._make_model = make_model
        self._group = ReentrantCallbackGroup()
        self._threads: set[threading.Thread] = set()
        self._desk: Desk | None = None
        self._people: WorkerPeople | None = None
        # Kept from the first activation on: rclpy raises out of spin when one is destroyed while an executor waits.
        self._arms: _Arms | None = None
        self._server: _GoalServer | None = None

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._config = config = read_parameters(self, CoordinatorConfig)
        self._model = self._make_model(config.llm)
        self._said = self.create_lifecycle_publisher(Utterance, 'speech/say', 10)
        self._diagnostics = self.create_lifecycle_publisher(DiagnosticArray, 'diagnostics', 10)
        return super().on_configure(state)

    @logged_transition
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        tasks, actions = load_known(self._config)
        persona = load_persona(Path(self._config.persona_file) if self._config.persona_file else None)
        self._model.check(self._config.check_timeout_s)
        result = super().on_activate(state)
        self._memory = _WorkerMemory(self, self._config, self._group)
        arms = self._arms = self._arms or _Arms(self, self._group)
        arms.config = self._config
        self._eyes = _Eyes(self, self._streams)
        arms.actions = tuple(actions)
        loop = TaskLoop(self._model, self._memory, arms, self._eyes, self._config, tasks=tasks, action_specs=actions)
        if self._config.remember_people:
            self._people = WorkerPeople(self, self._group, self._config.people_timeout_s)
        agent = Agent(
            Asker(self._model, self._config, Waits()),
            self._memory,
            self._config,
            people=self._people,
            persona=persona,
            table=self._eyes.newest,
        )
        self._desk = Desk(loop, Conversation(agent, self._memory, self._config), self._config)
        self._server = self._server or _GoalServer(
            self,
            ExecuteTask,
            'execute_task',
            execute_callback=self._no_result,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            callback_group=self._group,
        )
        self._heard = self.create_subscription(
            Utterance, 'speech/heard', self._on_heard, 10, callback_group=self._group
        )
        self._timer = self.create_timer(1.0, self._diagnose, callback_group=self._group)
        return result

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._close()
        return super().on_deactivate(state)

    @logged_transition
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.destroy_lifecycle_publisher(self._said)
        self.destroy_lifecycle_publisher(self._diagnostics)
        return super().on_cleanup(state)

    def destroy_node(self) -> None:
        """Ends all goals before the node goes. No executor may be spinning it any more."""
        self._close()
        for part in (self._server, self._arms):
            if part is not None:
                part.destroy()
        self._streams.close()
        super().destroy_node()

    def _close(self) -> None:
        desk, self._desk = self._desk, None
        if desk is None:
            return
        self.destroy_timer(self._timer)
        self.destroy_subscription(self._heard)
        desk.close()
        end_s = time.monotonic() + (self._config.deactivate_timeout_s if self.context.ok() else 0.0) + 2 * _JOIN_S
        for thread in list(self._threads):
            thread.join(max(0.0, end_s - time.monotonic()))
        people, self._people = self._people, None
        if self.context.ok():
            desk.end_conversations()
        self._memory.destroy()
        if people is not None:
            people.destroy()
        self._eyes.destroy()

    def _on_goal(self, request: ExecuteTask.Goal) -> GoalResponse:
        desk = self._desk
        return GoalResponse.REJECT if desk is None or desk.queue.full() else GoalResponse.ACCEPT

    def _on_accepted(self, handle: Any) -> None:
        goal = goal_from_msg(handle.request, _id_of(handle))
        handle.delivered = threading.Event()

        def on_event(event: TaskEvent) -> None:
            if handle.is_active:
                handle.publish_feedback(event_to_msg(event))

        def deliver(result: TaskResult) -> None:
            handle.execute(lambda handle: _end(handle, result))
            handle.delivered.wait(_JOIN_S)

        self._start(goal, on_event, deliver)

    def _on_cancel(self, handle: Any) -> CancelResponse:
        desk = self._desk
        if desk is None or not desk.cancel(_id_of(handle)):
            return CancelResponse.REJECT
        return CancelResponse.ACCEPT

    def _on_heard(self, msg: Utterance) -> None:
        desk = self._desk
        if msg.text.strip():
            # Who speaks up interrupts what runs, also what somebody asked for by voice before.
            running = desk.queue.running() if desk is not None else None
            priority = max(self._config.speech_priority, running.priority + 1 if running is not None else 0)
            goal = Goal(goal_id=uuid.uuid4().hex, text=msg.text, person=msg.person, source='speech', priority=priority)
            self._start(goal, lambda _: None, lambda _: None)

    def _start(self, goal: Goal, on_event: Callable[[TaskEvent], None], deliver: Callable[[TaskResult], None]) -> None:
        desk = self._desk
        refused = '' if desk else 'the coordinator is not active'
        try:
            if desk is not None:
                desk.take(goal)
        except (QueueFull, ValueError) as error:
            refused = str(error)

        def event(event: TaskEvent) -> None:
            if event.phase is Phase.SAYING:
                self._speak(goal, event.text)
            on_event(event)

        def serve() -> None:
            if desk is None or refused:
                said = f'I cannot do that now: {refused}' if goal.text else ''
                result = TaskResult(status=Status.REFUSED, task=goal.task, reason=refused, said=said)
            else:
                result = desk.serve(goal, event)
            try:
                self._ended(goal, result)
                # While the node is being torn down there may be nobody left to deliver to.
                with contextlib.nullcontext() if self.context.ok() else contextlib.suppress(Exception):
                    deliver(result)
            finally:
                self._threads.discard(thread)

        thread = threading.Thread(target=serve, name=f'goal-{goal.goal_id[:8]}', daemon=True)
        self._threads.add(thread)
        thread.start()

    def _ended(self, goal: Goal, result: TaskResult) -> None:
        if not self.context.ok():
            return
        self.get_logger().info(
            f'goal {result.task or goal.text[:80]!r}: {result.status}; {len(result.actions_done)} actions done, '
            f'{result.refusals} refusals, {result.retries} retries, {result.model_retries} model retries'
            + (f'; {result.reason}' if result.reason else '')
        )
        if result.said and not result.spoken:
            self._speak(goal, result.said)

    def _speak(self, goal: Goal, text: str) -> None:
        if self.context.ok():
            stamp = self.get_clock().now().to_msg()
            self._said.publish(Utterance(stamp=stamp, person=goal.person, text=text, confidence=1.0))

    def _no_result(self, handle: Any) -> ExecuteTask.Result:
        raise AssertionError('goals are executed with a callback of their own')

    def _diagnose(self) -> None:
        desk = self._desk
        if desk is None:
            return
        running = desk.queue.running()
        status = DiagnosticStatus(
            level=DiagnosticStatus.OK,
            name=f'{self.get_name()}: goals',
            message=f'running {running.task}' if running else 'idle',
            hardware_id='',
            values=[
                KeyValue(key='model', value=self._model.spec),
                KeyValue(key='waiting', value=str(len(desk.queue.waiting()))),
            ],
        )
        msg = DiagnosticArray(status=[status])
        msg.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(msg)


def _id_of(handle: Any) -> str:
    return bytes(handle.goal_id.uuid).hex()


def _end(handle: Any, result: TaskResult) -> ExecuteTask.Result:
    if result.status in (Status.FINISHED, Status.SUSPENDED):
        handle.succeed()
    elif result.status is Status.CANCELLED and handle.is_cancel_requested:
        handle.canceled()
    else:
        handle.abort()
    return result_to_msg(result)


main = main_of(CoordinatorNode)
