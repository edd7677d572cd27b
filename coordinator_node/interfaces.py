"""Interfaces to memory, arms and perception, and the goals and results that pass through them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Protocol

from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.goals import GoalRequest, GoalResult
from lucca_core.protocol.retrieved import OpenIntent, Retrieved, Review
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_core.protocol.usage import NOTHING_USED, ModelUsage

Flag = Callable[[], bool]
"""Asked again and again while waiting; once true it stays true."""


def never() -> bool:
    """A flag that nobody raises."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal(GoalRequest):
    """A goal as the coordinator keeps it. `source`: where it came from, which decides whether `person` is believed."""

    goal_id: str
    source: str = ''

    @classmethod
    def of(cls, request: GoalRequest, goal_id: str, source: str) -> 'Goal':
        """The goal that somebody asks for."""
        return cls(goal_id=goal_id, source=source, **asdict(request))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult(GoalResult):
    """The result of a goal. `spoken`: `said` was already spoken sentence by sentence, as feedback. `model_retries`
    go to the log."""

    spoken: bool = False
    model_retries: int = 0


class MemoryInterface(Protocol):
    """The worker. Every call raises StackError while it cannot be reached and MemoryFault where it says no."""

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """What has been done in a task, read from its log."""
        ...

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """What matters now for a task; `to_do` lists the objects that still need something done."""
        ...

    def review(self, task: str, proposed: str, snapshot: Snapshot, *, cancelled: Flag) -> Review:
        """Whether a call that is about to be made fits the task, in the eyes of the worker's model."""
        ...

    def record(
        self, task: str, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '', description: str = ''
    ) -> int:
        """Appends an entry (started, suspended, resumed, changed, finished) and returns its number once it is on disk.

        `code` is `restart` for a started entry that forgets what came before it; `description` is what a changed entry
        makes of the task.
        """
        ...

    def tasks(self) -> tuple[TaskState, ...]:
        """All tasks that memory knows, taught ones too; tasks known only by a description come last, oldest first."""
        ...

    def teach(self, name: str, description: str, actions: tuple[str, ...] = ()) -> str:
        """Adds or replaces a task (no actions: all of them) and returns its name.

        Without a name it is one that is only described: the same words give the same task again.
        """
        ...


class ActionInterface(Protocol):
    """The action node."""

    def execute(self, request: ActionRequest, *, cancelled: Flag) -> ActionResult:
        """Does one action and waits for its end; when cancelled, for the end of that.

        Raises:
            StackError: the action node is not there, or went away in the middle.
        """
        ...

    def settle(self, task: str, intent: OpenIntent, snapshot: Snapshot, *, cancelled: Flag) -> ActionResult:
        """Moves nothing; judges whether the effect of an open intent is there and has its outcome recorded.

        Raises:
            StackError: as above.
        """
        ...


class PerceptionInterface(Protocol):
    """What is seen."""

    def now_s(self) -> float:
        """The clock that stamps snapshots, in s."""
        ...

    def fresh(self, newer_than_s: float, timeout_s: float, *, cancelled: Flag) -> Snapshot:
        """The first snapshot whose stamp is later than `newer_than_s`.

        Raises:
            StackError: none came in time, or cancelled.
        """
        ...


@dataclass(slots=True)
class Tally:
    """What a goal has used up and brought about so far. `moved`: actions that may have moved something, done or not."""

    steps: int = 0
    refusals: int = 0
    faults: int = 0
    retries: int = 0
    model_retries: int = 0
    done: int = 0
    moved: int = 0
    coordinator: ModelUsage = NOTHING_USED
    worker: ModelUsage = NOTHING_USED
    overhead_s: list[float] = field(default_factory=list)
    planning_s: list[float] = field(default_factory=list)
    verify_wait_s: list[float] = field(default_factory=list)
    prompt_tokens: list[int] = field(default_factory=list)
