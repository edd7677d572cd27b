"""The stack on a symbolic table. Conversation, coordinator, worker, gate and log are real; arms and eyes are not."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from coordinator_node.config import CoordinatorConfig
from coordinator_node.goals.goal_dispatcher import GoalDispatcher
from coordinator_node.goals.goals import GoalQueue, Leave
from coordinator_node.interfaces import Goal
from coordinator_node.model_caller import ModelCaller
from coordinator_node.persona import load_persona
from coordinator_node.prompts import CoordinatorPrompts
from coordinator_node.talk.agent import Agent
from coordinator_node.tasks.parts import make_parts
from coordinator_node.waits import Waits
from lucca_cli.local_memory import LocalMemory
from lucca_cli.local_people import LocalPeople, local_worker
from lucca_core.protocol.actions import ActionCall, ActionRequest
from lucca_core.protocol.entries import EntryRequest
from lucca_core.protocol.goals import OnFeedback
from lucca_core.protocol.snapshots import Container, Snapshot, TableObject
from lucca_lab.symbolic_table import SymbolicTable
from lucca_lab.tasks.session import SHARED_MEMORY, VirtualClock
from lucca_lab.understanding.outcomes import SentenceOutcome, end_of
from lucca_llm.model import ChatModel
from lucca_llm.model_spec import make_model, talking_spec
from lucca_memory.procedural import ActionSpec, TaskSpec, load_actions, load_tasks

SOURCE = 'cli'
NO_EMBEDDING = 'none'


class _WatchedQueue(GoalQueue):
    """The queue of one speaker, whose goals never wait. It remembers which tasks ran."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[str] = []

    def try_start(self, goal_id: str) -> Leave:
        leave = super().try_start(goal_id)
        if leave is Leave.RUN and (running := self.running()) is not None:
            self.ran.append(running.task)
        return leave


class StackOnTable:
    """A robot in front of one table, to which people say things; made by `stack_on_table`."""

    def __init__(
        self,
        model: ChatModel,
        memory: LocalMemory,
        people: LocalPeople,
        tasks: Mapping[str, TaskSpec],
        actions: Mapping[str, ActionSpec],
        objects: Sequence[TableObject],
        containers: Sequence[str],
        data_dir: Path,
        geometry: Sequence[Container] = (),
    ) -> None:
        self.memory = memory
        self.data_dir = data_dir
        self.table = SymbolicTable(objects, containers, actions, self, witness=self._witness, geometry=geometry)
        self.on_action: Callable[[ActionCall], None] = lambda call: None
        """Called with each action while it is executed."""
        self._people = people
        clock = VirtualClock()
        self._waits = Waits(clock, clock.sleep)
        # Nothing on this table is hidden for a moment, so looking again shows nothing new.
        self._config = CoordinatorConfig(look_again_s=0.0)
        spec = talking_spec(model.spec, '', self._config.prompts)
        self._talk_model = model if spec == model.spec else make_model(spec)
        self._parts = make_parts(
            model,
            memory,
            self.table,
            self.table,
            self._config,
            tasks=tasks,
            action_specs=actions,
            prompts=CoordinatorPrompts(),
            waits=self._waits,
            wall_clock=clock,
        )
        self._queue = _WatchedQueue()
        self._goals = 0
        self._agent = self._new_agent()

    def say(
        self,
        text: str,
        person: str = '',
        *,
        max_actions: int = 0,
        on_event: OnFeedback = lambda _: None,
    ) -> SentenceOutcome:
        """Says something to the robot and returns the outcome.

        Args:
            text: what is said.
            person: who says it; empty for a guest.
            max_actions: number of actions after which a started task is suspended; 0 means never.
            on_event: called with the goal's progress.
        """
        goal = Goal(goal_id='', text=text, person=person, source=SOURCE, max_actions=max_actions)
        return self._serve(goal, on_event)

    def run(self, task: str, *, max_actions: int = 0) -> SentenceOutcome:
        """Starts or resumes a task by its name."""
        return self._serve(Goal(goal_id='', task=task, source=SOURCE, max_actions=max_actions))

    def end_conversations(self) -> None:
        """Ends all conversations, as a long silence does. What people told is kept in their memory."""
        self._agent.close()

    def record(self, request: EntryRequest) -> int:
        """Passes an entry of the table on to the worker."""
        return self.memory.worker.recorder.record(request)

    def _new_agent(self) -> Agent:
        agent = Agent(
            ModelCaller(self._talk_model, self._config, self._waits),
            self.memory,
            self._config,
            people=self._people,
            persona=load_persona(),
            waits=self._waits,
            table=self.table.snapshot,
        )
        self._dispatcher = GoalDispatcher(self._parts, agent)
        self._dispatcher.queue = self._queue
        return agent

    def _witness(self, request: ActionRequest, call: ActionCall, before: Snapshot) -> None:
        self.on_action(call)

    def _serve(self, goal: Goal, on_event: OnFeedback = lambda _: None) -> SentenceOutcome:
        self._goals += 1
        goal = Goal(
            goal_id=f'goal-{self._goals}',
            task=goal.task,
            text=goal.text,
            person=goal.person,
            source=goal.source,
            max_actions=goal.max_actions,
        )
        ran, performed = len(self._queue.ran), len(self.table.performed)
        self._dispatcher.queue.add(goal)
        result = self._dispatcher.serve(goal, on_event)
        started = tuple(self._queue.ran[ran:])
        return SentenceOutcome(
            end=end_of(result, started=bool(started)),
            said=result.said or result.reason,
            started=started,
            performed=tuple(self.table.performed[performed:]),
            contents=self.table.contents(),
        )


@contextmanager
def model_kept_open(llm: str) -> Iterator[None]:
    """Keeps a model of this machine loaded, with what it has read, while stacks that use it come and go.

    Raises:
        ConfigError: the spec is wrong.
    """
    model = make_model(llm)
    try:
        yield
    finally:
        if (close := getattr(model, 'close', None)) is not None:
            close()


@contextmanager
def stack_on_table(
    objects: Sequence[TableObject],
    containers: Sequence[str],
    *,
    tasks: Mapping[str, TaskSpec] | None = None,
    actions: Mapping[str, ActionSpec] | None = None,
    llm: str = 'embedded',
    embedding: str = NO_EMBEDDING,
    geometry: Sequence[Container] = (),
) -> Iterator[StackOnTable]:
    """A stack with its own memory in a temporary folder, which is deleted when the context ends.

    Args:
        objects: the objects on the table, with unique names.
        containers: names of places that can hold objects.
        tasks: the known tasks by name; by default, those of `config/tasks.yaml`.
        actions: the known actions by name; by default, those of `config/actions.yaml`.
        llm: model spec of coordinator and worker.
        embedding: embedding spec of the memory of people.
        geometry: where some of the containers are; without it, nothing is known of sides and neighbours.

    Raises:
        ConfigError: a spec or a file is wrong.
    """
    actions = load_actions() if actions is None else actions
    tasks = load_tasks(actions=actions) if tasks is None else tasks
    with ExitStack() as stack:
        model = make_model(llm)
        if (close := getattr(model, 'close', None)) is not None:
            stack.callback(close)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix='lucca-understanding-', dir=SHARED_MEMORY))
        data_dir = Path(folder) / 'data'
        memory, people = stack.enter_context(
            local_worker(data_dir, model, embedding=embedding, tasks=tasks, actions=actions)
        )
        robot = StackOnTable(model, memory, people, tasks, actions, objects, containers, data_dir, geometry)
        stack.callback(robot.end_conversations)
        yield robot
