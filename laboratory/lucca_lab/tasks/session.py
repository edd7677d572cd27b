"""A session of the whole stack on symbolic tables: tasks run, interrupted and resumed, and questions asked."""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Flag, Goal, TaskResult, never
from coordinator_node.prompts import CoordinatorPrompts
from coordinator_node.tasks.goal_run import GoalRun
from coordinator_node.tasks.parts import make_parts
from coordinator_node.waits import Waits
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionCall, ActionRequest, ActionResult
from lucca_core.protocol.entries import EntryRequest
from lucca_core.protocol.goals import GoalFeedback
from lucca_core.protocol.retrieved import OpenIntent
from lucca_core.protocol.snapshots import Snapshot
from lucca_lab.symbolic_table import Failure, SymbolicTable, sample_objects
from lucca_lab.tasks.ablations import make_recorder, memory_port, worker_config
from lucca_lab.tasks.audit import Audit
from lucca_lab.tasks.models import trial_model
from lucca_lab.tasks.spec import Ablation, TrialSpec
from lucca_lab.tasks.task_questions import TaskAnswer, TaskQuestions
from lucca_llm.model import ChatModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore
from lucca_memory.procedural import ActionSpec, TaskSpec
from lucca_memory.task_book import TaskBook
from worker_node.prompts import WorkerPrompts
from worker_node.worker import Worker

_SHARED_MEMORY = Path('/dev/shm')  # noqa: S108 - a folder of its own is made in it
SHARED_MEMORY = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else None
"""The place of the trials' data folders; None, if it is not available, means the default for temporary files."""


MODEL_DEADLINE_S = 600.0
"""The limit for one answer, in s of wall time. No robot waits, and a slow machine must not change the results."""

MakeModel = Callable[[TrialSpec, str, list[dict[str, Any]], ExitStack], ChatModel]
"""A function that makes the coordinator's or the worker's model of a trial, such as `trial_model`."""


class VirtualClock:
    """A clock that advances only when somebody sleeps, so that a pause takes no time."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        """Virtual seconds since the clock was made."""
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Advances the clock."""
        self.now_s += seconds


class _Tables:
    """The ports for execution and perception. They belong to the table that is currently in front of the robot."""

    def __init__(self) -> None:
        self.current: SymbolicTable | None = None

    @property
    def table(self) -> SymbolicTable:
        if self.current is None:
            raise ValueError('no table has been laid')
        return self.current

    def now_s(self) -> float:
        return self.table.now_s()

    def fresh(self, newer_than_s: float, timeout_s: float, *, cancelled: Flag) -> Snapshot:
        return self.table.fresh(newer_than_s, timeout_s, cancelled=cancelled)

    def execute(self, request: ActionRequest, *, cancelled: Flag) -> ActionResult:
        return self.table.execute(request, cancelled=cancelled)

    def settle(self, task: str, intent: OpenIntent, snapshot: Snapshot, *, cancelled: Flag) -> ActionResult:
        return self.table.settle(task, intent, snapshot, cancelled=cancelled)


class TaskSession:
    """The stack of one trial, to be used as a context manager. Its data folder is deleted at the end.

    `calls` has every call of both models, `audit` every action that should not have been executed.
    """

    def __init__(
        self,
        spec: TrialSpec,
        tasks: Mapping[str, TaskSpec],
        actions: Mapping[str, ActionSpec],
        make: MakeModel = trial_model,
    ) -> None:
        """`make` makes the two models; by default, those of the spec."""
        self.spec = spec
        self.calls: list[dict[str, Any]] = []
        self.audit = Audit(lambda task: self._book.get(task))
        self.actions = actions
        self._known = dict(tasks)
        self._prompts, self._worker_prompts = CoordinatorPrompts(), WorkerPrompts()
        self._clock = VirtualClock()
        self.waits = Waits(self._clock, self._clock.sleep)
        self._tables = _Tables()
        self._by_task: dict[str, SymbolicTable] = {}
        self._slips = spec.chance('slips')
        self._goals = 0
        self._exit = ExitStack()
        self.coordinator = make(spec, 'coordinator', self.calls, self._exit)
        self._worker_model = make(spec, 'worker', self.calls, self._exit)

    def __enter__(self) -> Self:
        path = self._exit.enter_context(tempfile.TemporaryDirectory(prefix='lucca-trial-', dir=SHARED_MEMORY))
        self._folder = self._exit.enter_context(DataFolder.open(Path(path) / 'data', write=True))
        self._start(self._known)
        return self

    def __exit__(self, *exception: object) -> None:
        self._exit.close()

    def restart(self) -> None:
        """Rebuilds the stack as a restart of both processes would. Data folder and table stay; the chat is lost."""
        self._start(self._known)

    def reset_chat(self, tasks: Iterable[str]) -> None:
        """Begins a new chat with a robot that knows only these tasks."""
        self._start({name: self._known[name] for name in tasks})

    def lay(self, task: str, objects: Iterable[str], containers: Iterable[str]) -> SymbolicTable:
        """Makes a table for a task. It is in front of the robot whenever the robot does this task."""
        self._by_task[task] = table = self._table(objects, containers)
        return table

    def lay_for_all(self, objects: Iterable[str], containers: Iterable[str]) -> SymbolicTable:
        """Makes one table that is in front of the robot for all tasks."""
        self._tables.current = table = self._table(objects, containers)
        return table

    def run(
        self,
        task: str,
        *,
        max_actions: int = 0,
        preempted: Callable[[GoalFeedback | None], bool] | None = None,
    ) -> TaskResult:
        """Starts or resumes a task.

        Args:
            task: its name.
            max_actions: number of actions after which the task is suspended; 0 means never.
            preempted: called with the newest event; once it returns True, the task is suspended at its next safe point.
        """
        self._tables.current = self._by_task[task]
        self._goals += 1
        goal = Goal(goal_id=f'goal-{self._goals}', task=task, max_actions=max_actions)
        newest: list[GoalFeedback | None] = [None]

        def on_event(event: GoalFeedback) -> None:
            newest[0] = event

        flag = never if preempted is None else lambda: preempted(newest[0])
        return GoalRun(self.parts, goal, never, flag, on_event).run()

    def ask(self, task: str, question: str) -> TaskAnswer:
        """Asks the coordinator a question about what it remembers of a task."""
        table = self._by_task[task]
        # For questions, the worker also reads from the log what is left on the table, as in the paper (III-F).
        self.memory.worker, kept = self._asked, self.memory.worker
        try:
            return TaskQuestions(self.parts).ask(task, question, table.snapshot())
        finally:
            self.memory.worker = kept

    def record(self, request: EntryRequest) -> int:
        """Passes an entry of the table on to the worker."""
        return self.memory.worker.recorder.record(request)

    def _table(self, objects: Iterable[str], containers: Iterable[str]) -> SymbolicTable:
        return SymbolicTable(
            sample_objects(objects), tuple(containers), self.actions, self, inject=self._inject, witness=self.audit
        )

    def _start(self, tasks: Mapping[str, TaskSpec]) -> None:
        setting, clock = self.spec.setting, self._clock
        self._book = book = TaskBook(tasks, self.actions, self._folder)
        recorder = make_recorder(setting.ablation, book, LogStore(self._folder))
        config = worker_config(self.spec)
        self.worker, self._asked = (
            Worker(
                self._worker_model,
                book,
                recorder,
                replace(config, environment=environment, model_deadline_s=MODEL_DEADLINE_S),
                prompts=self._worker_prompts,
                clock=clock,
                sleep=clock.sleep,
            )
            for environment in (False, True)
        )
        self.memory = memory_port(setting.ablation, self.worker)
        self.parts = make_parts(
            self.coordinator,
            self.memory,
            self._tables,
            self._tables,
            coordinator_config(self.spec),
            tasks=tasks,
            action_specs=self.actions,
            prompts=self._prompts,
            waits=self.waits,
            wall_clock=clock,
        )

    def _inject(self, number: int, call: ActionCall) -> Failure | None:
        setting = self.spec.setting
        if not setting.slips or self._slips.random() >= setting.slips:
            return None
        if setting.ablation == Ablation.NO_VERIFICATION:
            return Failure(ReasonCode.DONE)
        return Failure(ReasonCode.EFFECT_NOT_SEEN)


def coordinator_config(spec: TrialSpec) -> CoordinatorConfig:
    """The coordinator's settings in a trial. Without safeguards, a wrong answer ends a task, as in the paper."""
    setting = spec.setting
    config = CoordinatorConfig(
        memory=spec.memory and setting.ablation != Ablation.NO_WORKER,
        base_role=setting.base_role,
        prompts=setting.prompts,
        whole_dialogue=setting.whole_dialogue,
        show_containers=setting.containers,
        think_first=setting.think_first,
        must_retrieve=setting.must_retrieve,
        seed=spec.model_seed('coordinator'),
        context_tokens=setting.context_tokens,
        second_opinion=setting.safeguards and setting.second_opinion,
        deliberate=setting.safeguards and setting.deliberate and setting.ablation == Ablation.NONE,
        attend=setting.safeguards and setting.ablation != Ablation.DECLARATIVE_ONLY,
        look_again_s=0.0,
        # As in the paper: only the model's own memory keeps it to its task.
        restate=False,
        max_goal_tokens=100_000_000,
        constrain=setting.safeguards and setting.grammar,
        answer_tokens=setting.answer_tokens,
        # A model that does not know what was already pointed at would point forever.
        max_steps=40 if setting.ablation == Ablation.WORKING_ONLY or not spec.memory else CoordinatorConfig().max_steps,
        model_deadline_s=MODEL_DEADLINE_S,
    )
    if not setting.safeguards:
        return replace(config, max_refusals=1, max_repairs=0, ask_back=0, model_retries=0)
    if setting.ablation == Ablation.NO_REPAIR:
        return replace(config, max_refusals=1, max_repairs=0, ask_back=0)
    return config


def begun(event: GoalFeedback | None) -> bool:
    """Whether anything has been heard of a goal. As `preempted`, it suspends the task before its first action."""
    return event is not None
