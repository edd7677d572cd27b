"""The worker's ROS node: services that record entries, retrieve memories, review calls, and teach or forget tasks."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import ForgetTask, ListTasks, Record, RetrieveMemory, ReviewCall, TeachTask
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile, ReliabilityPolicy

from lucca_core.errors import LuccaError, MemoryFault
from lucca_core.paths import default_data_dir
from lucca_core.protocol.entries import Acknowledged, EntryKind
from lucca_core.protocol.observations import LogEntry, MemoryMisread
from lucca_core.protocol.refusal import Refusal
from lucca_core.protocol.retrieved import Retrieved, RetrieveRequest
from lucca_core.protocol.tasks import TaskRemoved, TaskTaught
from lucca_llm.exchange import ModelExchange, ObservedModel
from lucca_llm.model import ChatModel
from lucca_llm.model_spec import make_model, working_spec
from lucca_memory.data_folder import DataFolder, check_room
from lucca_memory.declarative.log import LogStore
from lucca_memory.declarative.signature import key_of
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.people.config import PeopleConfig
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from lucca_ros.conversions.entries import RECORD
from lucca_ros.conversions.retrieved import RETRIEVE, REVIEW
from lucca_ros.conversions.snapshots import snapshot_from_msg
from lucca_ros.conversions.tasks import FORGET_TASK, TASK_STATES, TEACH_TASK
from lucca_ros.diagnostics import DIAGNOSTICS, OK, WARN, diagnose_every, diagnostic_msg
from lucca_ros.lifecycle import logged_transition, main_of
from lucca_ros.observing import Observer
from lucca_ros.parameters import declare_parameters, read_parameters
from lucca_ros.streams import Streams
from worker_node.bounds import bounded, bounded_lines, bounded_word
from worker_node.config import WorkerConfig
from worker_node.network.config import NetworkConfig
from worker_node.people.config import DeskConfig
from worker_node.people.opening import open_desk, opened_store, usable_embedder
from worker_node.people.services import PeopleServices
from worker_node.quiet_periods import QuietPeriods
from worker_node.recorder import Recorder
from worker_node.worker import Worker

_WATCH_S = 0.5
_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class WorkerNode(LifecycleNode):
    """Serves memory/record, retrieve_working, retrieve_declarative, review, tasks, teach and forget_task.

    A companion node serves the requests about people and facts (people/services.py). The services exist while the node
    is active; during that time it also holds the lock of the data folder.
    """

    def __init__(
        self,
        make_model: Callable[[str], ChatModel] = make_model,
        make_embedder: Callable[[str], Embedder] = usable_embedder,
        **node_options: Any,
    ) -> None:
        super().__init__('worker', **node_options)
        for defaults in (WorkerConfig(), DeskConfig(), PeopleConfig(), NetworkConfig()):
            declare_parameters(self, defaults)
        self._streams = Streams(self)
        self._people = PeopleServices(self)
        self._make_model = make_model
        self._make_embedder = make_embedder
        self._config = WorkerConfig()
        self._model: ObservedModel | None = None
        self._observer: Observer | None = None
        self._embedder: Embedder | None = None
        self._open_desk = contextlib.ExitStack()
        self._folder: DataFolder | None = None
        self._worker: Worker | None = None
        self._stopping = threading.Event()
        self._calm = QuietPeriods()
        self._served: list[Any] = []
        self._recording: Any = None
        self._table: Any = None
        self._watching: Any = None
        self._diagnosing: Any = None
        self._diagnostics: Any = None
        self._seen: TableState | None = None
        self._watch_group = MutuallyExclusiveCallbackGroup()
        self._tasks_group = MutuallyExclusiveCallbackGroup()
        self._model_group = MutuallyExclusiveCallbackGroup()

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._config = read_parameters(self, WorkerConfig)
        self._diagnostics = self.create_lifecycle_publisher(DiagnosticArray, DIAGNOSTICS, 10)
        model = self._make_model(working_spec(self._config.llm))
        self._embedder = self._make_embedder(read_parameters(self, PeopleConfig).embedding)
        self._observer = Observer(self, ModelExchange, LogEntry, MemoryMisread)
        self._model = ObservedModel(model, self.get_name(), self._observer.tell)
        return super().on_configure(state)

    @logged_transition
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            self._open()
        except LuccaError:
            self._close()
            raise
        result = super().on_activate(state)
        # Separate groups: an intent must not wait for the model, nor an arm for the reading of the other logs.
        self._recording = self._streams.serve(Record, 'memory/record', self._on_record)
        self._table = self._streams.subscribe(TableState, 'perception/objects', self._on_table, _NEWEST)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._watching = self.create_timer(_WATCH_S, self._watch, self._watch_group, steady)
        self._diagnosing = diagnose_every(self, self._diagnose, group=self._tasks_group)
        self._serve(ListTasks, 'memory/tasks', self._on_tasks, self._tasks_group)
        self._serve(TeachTask, 'memory/teach', self._on_teach, self._tasks_group)
        self._serve(ForgetTask, 'memory/forget_task', self._on_forget_task, self._tasks_group)
        self._serve(RetrieveMemory, 'memory/retrieve_working', self._on_retrieve_working, self._model_group)
        self._serve(RetrieveMemory, 'memory/retrieve_declarative', self._on_retrieve_declarative, self._model_group)
        self._serve(ReviewCall, 'memory/review', self._on_review, self._model_group)
        return result

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._close()
        return super().on_deactivate(state)

    @logged_transition
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        if self._model is not None:
            self._model.close()
        self._model = self._embedder = None
        self.destroy_lifecycle_publisher(self._diagnostics)
        if self._observer is not None:
            self._observer.destroy()
            self._observer = None
        return super().on_cleanup(state)

    @logged_transition
    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._close()
        return super().on_shutdown(state)

    def destroy_node(self) -> None:
        self._close()
        if self._observer is not None:
            self._observer.destroy()
        self._people.close()
        self._streams.close()
        super().destroy_node()

    def _open(self) -> None:
        config, model, embedder, observer = self._config, self._model, self._embedder, self._observer
        if model is None or embedder is None or observer is None:
            raise ValueError('the node is not configured')
        self._stopping = threading.Event()
        folder = Path(config.data_dir).expanduser() if config.data_dir else default_data_dir(self.get_namespace())
        self._folder = DataFolder.open(folder, write=True, log_key=key_of(config.log_key))
        desk_config = read_parameters(self, DeskConfig)
        store = self._open_desk.enter_context(opened_store(desk_config.store, self._folder))
        actions = load_actions(Path(config.actions_file) if config.actions_file else None)
        tasks = load_tasks(Path(config.tasks_file) if config.tasks_file else None, actions)
        book = TaskBook(tasks, actions, self._folder)
        recorder = Recorder(book, LogStore(self._folder), observer.tell)
        model.check(config.check_deadline_s)
        self._worker = Worker(model, book, recorder, config, cancelled=self._stopping.is_set, observe=observer.tell)
        for task in self._worker.tasks():
            if task.problem:
                self.get_logger().error(f'task {task.task.name!r} cannot be run: {task.problem}')
        network = read_parameters(self, NetworkConfig)
        self._calm = QuietPeriods(
            network.calm_s, network.longest_action_s, network.busy_step_s, network.background_share
        )
        desks = self._open_desk.enter_context(
            open_desk(
                self._folder,
                store,
                model,
                recorder.new_entries,
                desk_config,
                read_parameters(self, PeopleConfig),
                embedder,
                network,
                self._calm,
            )
        )
        self._people.open(desks)
        self.get_logger().info(f'memory in {folder}, model {model.spec}, meanings by {embedder.spec}')

    def _close(self) -> None:
        self._stopping.set()
        for service in self._served:
            self.destroy_service(service)
        self._served.clear()
        if self._recording is not None:
            self._streams.unserve(self._recording)
            self._recording = None
        if self._diagnosing is not None:
            self.destroy_timer(self._diagnosing)
            self._diagnosing = None
        if self._watching is not None:
            self.destroy_timer(self._watching)
            self._streams.unsubscribe(self._table)
            self._watching = self._table = self._seen = None
        self._worker = None
        self._people.shut()
        self._open_desk.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.close()

    def _diagnose(self) -> None:
        worker, model, embedder = self._worker, self._model, self._embedder
        if worker is None or model is None or embedder is None:
            return
        values = {'model': model.spec, 'meanings': embedder.spec}
        fault = self._fault_of_disk()
        stamp, level = self.get_clock().now().to_msg(), WARN if fault else OK
        self._diagnostics.publish(diagnostic_msg('worker', fault or 'ready', values, stamp=stamp, level=level))

    def _fault_of_disk(self) -> str:
        """Why memory may soon not be kept, or is not; empty if its folder is there and has room."""
        folder = self._folder
        if folder is None:
            return ''
        try:
            folder.check_lock()
            check_room(folder.path)
        except (MemoryFault, OSError) as error:
            self.get_logger().warning(f'memory: {error}', throttle_duration_sec=60.0)
            return str(error)
        return ''

    def _on_table(self, msg: TableState) -> None:
        self._seen = msg

    def _watch(self) -> None:
        seen, self._seen = self._seen, None
        worker = self._worker
        if seen is None or worker is None:
            return
        try:
            noticed = worker.watch(snapshot_from_msg(seen))
        except (LuccaError, ValueError) as error:
            self.get_logger().warning(
                f'not seen whether tasks are still as they were: {error}', throttle_duration_sec=30.0
            )
            return
        for task, actions in noticed.items():
            self.get_logger().info(f'{task}: the table has changed since {", ".join(actions)}')

    def _serve(self, kind: Any, name: str, callback: Any, group: Any) -> None:
        self._served.append(self.create_service(kind, name, callback, callback_group=group))

    def _active(self) -> Worker:
        worker = self._worker
        if worker is None:
            raise LuccaError('the worker is not active')
        return worker

    def _on_record(self, request: Record.Request, _: Record.Response) -> Record.Response:
        self._calm.asked()
        try:
            entry = bounded(RECORD.request.from_msg(request))
            entry_id = self._active().recorder.record(entry)
        except (LuccaError, ValueError) as error:
            self.get_logger().warning(f'not recorded: {error}')
            return RECORD.answer.to_msg(Refusal(str(error)))
        self._calm.acting(entry.task, under_way=entry.kind is EntryKind.INTENT)
        return RECORD.answer.to_msg(Acknowledged(entry_id))

    def _on_retrieve_working(self, request: RetrieveMemory.Request, _: Any) -> RetrieveMemory.Response:
        return self._retrieve(request, _retrieve_working, 'working')

    def _on_retrieve_declarative(self, request: RetrieveMemory.Request, _: Any) -> RetrieveMemory.Response:
        return self._retrieve(request, _retrieve_declarative, 'declarative')

    def _retrieve(
        self, msg: RetrieveMemory.Request, build: Callable[[Worker, RetrieveRequest], Retrieved], what: str
    ) -> RetrieveMemory.Response:
        self._calm.asked()
        try:
            request = RETRIEVE.request.from_msg(msg)
            found = build(self._active(), request)
        except (LuccaError, ValueError) as error:
            self.get_logger().warning(f'no {what} memory of {msg.task!r}: {error}')
            return RETRIEVE.answer.to_msg(Refusal(str(error)))
        if found.corrections:
            self.get_logger().warning(
                f'the model misread {what} memory of {msg.task!r} {found.corrections} times'
                f'{"; corrected from the log" if self._config.correct else ""}'
            )
        return RETRIEVE.answer.to_msg(found)

    def _on_review(self, msg: ReviewCall.Request, _: ReviewCall.Response) -> ReviewCall.Response:
        try:
            request = REVIEW.request.from_msg(msg)
            proposed, prohibited = request.proposed, bounded_lines('prohibited', request.prohibited)
            found = self._active().review(
                request.task, bounded_word('proposed', proposed), request.snapshot, prohibited
            )
        except (LuccaError, ValueError) as error:
            self.get_logger().warning(f'no second opinion on {msg.proposed[:80]!r}: {error}')
            return REVIEW.answer.to_msg(Refusal(str(error)))
        return REVIEW.answer.to_msg(found)

    def _on_tasks(self, _request: ListTasks.Request, response: ListTasks.Response) -> ListTasks.Response:
        try:
            return TASK_STATES.to_msg(tuple(item.state for item in self._active().tasks()))
        except LuccaError as error:
            # The response has no field for an error. An empty list is never a valid answer, so callers ask again.
            self.get_logger().warning(f'no tasks listed: {error}')
        return response

    def _on_teach(self, msg: TeachTask.Request, _: TeachTask.Response) -> TeachTask.Response:
        try:
            lesson = TEACH_TASK.request.from_msg(msg)
            name = self._active().teach(lesson.task, lesson.description, lesson.actions)
        except (LuccaError, ValueError) as error:
            return TEACH_TASK.answer.to_msg(Refusal(str(error)))
        return TEACH_TASK.answer.to_msg(TaskTaught(task=name))

    def _on_forget_task(self, msg: ForgetTask.Request, _: ForgetTask.Response) -> ForgetTask.Response:
        try:
            removal = FORGET_TASK.request.from_msg(msg)
            log_file = self._active().forget(removal.task, force=removal.force)
        except LuccaError as error:
            return FORGET_TASK.answer.to_msg(Refusal(str(error)))
        return FORGET_TASK.answer.to_msg(TaskRemoved(log_file=log_file))


def _retrieve_working(worker: Worker, request: RetrieveRequest) -> Retrieved:
    return worker.retrieve_working(request.task, request.snapshot, bounded_lines('prohibited', request.prohibited))


def _retrieve_declarative(worker: Worker, request: RetrieveRequest) -> Retrieved:
    return worker.retrieve_declarative(request.task, request.snapshot)


main = main_of(WorkerNode, threads=5)

if __name__ == '__main__':
    main()
