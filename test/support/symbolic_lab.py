"""A symbolic stack in one process: the coordinator's loop, the worker and the embedded model on a simulated table."""

from dataclasses import dataclass

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Goal, never
from coordinator_node.tasks.goal_run import GoalRun
from coordinator_node.tasks.parts import Parts, make_parts
from coordinator_node.waits import Waits
from lucca_cli.local_memory import LocalMemory
from lucca_lab.symbolic_table import SymbolicTable, sample_objects
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore
from lucca_memory.procedural import TaskSpec, load_actions
from lucca_memory.task_book import TaskBook
from worker_node.config import WorkerConfig
from worker_node.recorder import Recorder
from worker_node.worker import Worker

ACTIONS = load_actions()
CONTAINERS = ('box 1', 'box 2', 'bowl', 'tower', "user's side")


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@dataclass
class Lab:
    """A whole symbolic stack on one data folder; `restart` is what a crash of worker and coordinator leaves."""

    folder: DataFolder
    tasks: dict[str, TaskSpec]
    config: CoordinatorConfig
    correct: bool = True

    def __post_init__(self) -> None:
        self.clock = Clock()
        self.model = RuleBasedModel()
        self.table: SymbolicTable | None = None
        self.restart()

    def restart(self) -> None:
        self.book = TaskBook(self.tasks, ACTIONS, self.folder)
        self.worker = Worker(
            self.model, self.book, Recorder(self.book, LogStore(self.folder)), WorkerConfig(correct=self.correct)
        )
        self.memory = LocalMemory(self.worker)

    def record(self, request):
        return self.worker.recorder.record(request)

    def lay(self, *objects, containers=CONTAINERS, **options) -> SymbolicTable:
        self.table = SymbolicTable(sample_objects(objects), containers, ACTIONS, self, **options)
        return self.table

    def parts(self) -> Parts:
        return make_parts(
            self.model,
            self.memory,
            self.table,
            self.table,
            self.config,
            tasks=self.tasks,
            action_specs=ACTIONS,
            waits=Waits(self.clock, self.clock.sleep),
        )

    def run(self, task, *, cancelled=never, preempted=never, on_event=lambda _: None, **goal):
        return GoalRun(self.parts(), Goal(goal_id='g', task=task, **goal), cancelled, preempted, on_event).run()

    def log(self, task):
        return next(item for item in self.worker.tasks() if item.task.name == task).log
