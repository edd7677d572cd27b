"""Interfaces to memory, arms and perception, and the goals and results that pass through them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from lucca_core.errors import MemoryFault
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.goals import GoalRequest, GoalResult
from lucca_core.protocol.prohibitions import ProhibitionRequest, ProhibitionsAnswer
from lucca_core.protocol.retrieved import OpenIntent, Retrieved, Review
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_core.protocol.usage import NOTHING_USED, ModelUsage

Flag = Callable[[], bool]
"""Polled while waiting. Once it returns true, it keeps returning true."""


def never() -> bool:
    """A flag that is never raised."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal(GoalRequest):
    """A goal as the coordinator keeps it. `source` is where it came from; only trusted sources may name a `person`."""

    goal_id: str
    source: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult(GoalResult):
    """The result of a goal, with what is not part of its message.

    Attributes:
        spoken: `said` was already spoken sentence by sentence, as feedback.
        model_retries: for the log only.
        waits: whether the task waits, suspended, after the goal; None if it did not run, or its log was not reached.
    """

    spoken: bool = False
    model_retries: int = 0
    waits: bool | None = None


class MemoryInterface(Protocol):
    """The worker. Every call raises StackError if the worker cannot be reached and MemoryFault if it refuses."""

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled: Flag) -> Retrieved:
        """What has been done in a task, according to its log."""
        ...

    def working(self, task: str, snapshot: Snapshot, *, cancelled: Flag, prohibited: tuple[str, ...] = ()) -> Retrieved:
        """What matters now for a task. `to_do` lists the objects that still need an action.

        `prohibited`: lines for the prompt, as `Prohibited.lines` makes them.
        """
        ...

    def review(
        self, task: str, proposed: str, snapshot: Snapshot, *, cancelled: Flag, prohibited: tuple[str, ...] = ()
    ) -> Review:
        """Whether the worker's model thinks that a proposed call fits the task. `prohibited`: as for `working`."""
        ...

    def record(
        self, task: str, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '', description: str = ''
    ) -> int:
        """Appends an entry (started, suspended, resumed, changed, finished) and returns its number once it is on disk.

        `code` is `restart` for a started entry after which earlier entries no longer count. `description` is the new
        description of the task in a changed entry.
        """
        ...

    def tasks(self) -> tuple[TaskState, ...]:
        """All tasks that memory knows. Tasks known only by a description come last, oldest first."""
        ...

    def teach(self, name: str, description: str, actions: tuple[str, ...] = ()) -> str:
        """Adds or replaces a task and returns its name. Without `actions`, all actions are allowed.

        Without a name, the task is known by its description only, and the same description yields the same task again.
        """
        ...


class ActionInterface(Protocol):
    """The action node."""

    def execute(self, request: ActionRequest, *, cancelled: Flag) -> ActionResult:
        """Carries out one action and waits until it ends; a cancelled action is waited for, too.

        Raises:
            StackError: the action node cannot be reached, or went away during the action.
        """
        ...

    def settle(self, task: str, intent: OpenIntent, snapshot: Snapshot, *, cancelled: Flag) -> ActionResult:
        """Judges whether the effect of an open intent is there, and has the outcome recorded. Nothing moves.

        Raises:
            StackError: as for `execute`.
        """
        ...


class ProhibitionsInterface(Protocol):
    """The prohibitions that the action node keeps."""

    def ask(self, request: ProhibitionRequest, *, cancelled: Flag = never) -> ProhibitionsAnswer:
        """Lists the prohibitions that hold, and adds or lifts one first; what is answered is on the disk.

        Raises:
            StackError: the action node cannot be reached or gave no answer, or the wait was cancelled; what was asked
                for is not known to hold.
            MemoryFault: it refused and changed nothing, or does not know what holds.
        """
        ...


class NothingProhibited:
    """A `ProhibitionsInterface` where no arm is that could keep any."""

    def ask(self, request: ProhibitionRequest, *, cancelled: Flag = never) -> ProhibitionsAnswer:
        """An empty list; a change is refused."""
        if request.change:
            raise MemoryFault('there are no arms here that would keep a prohibition')
        return ProhibitionsAnswer()


class PerceptionInterface(Protocol):
    """The snapshots of the table."""

    def now_s(self) -> float:
        """The present time, in s, by the clock that stamps snapshots."""
        ...

    def fresh(self, newer_than_s: float, timeout_s: float, *, cancelled: Flag) -> Snapshot:
        """The first snapshot whose stamp is later than `newer_than_s`.

        Raises:
            StackError: none arrived within `timeout_s`, or the wait was cancelled.
        """
        ...


@dataclass(slots=True)
class Tally:
    """What a goal has used and done so far. `moved` counts actions that may have moved something."""

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
