"""What the coordinator asks of the rest of the stack, and the values that pass: over ROS in the node, in memory in tests."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.usage import ModelUsage

Flag = Callable[[], bool]
"""Asked again and again while waiting; once true it stays true."""


NOTHING_USED = ModelUsage()


def never() -> bool:
    """A flag that nobody raises."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A request to do a task (`task`) or what a text asks for (`text`), by someone, with a priority. `source`: where it
    came from, which decides whether `person` is believed."""

    goal_id: str
    task: str = ''
    text: str = ''
    person: str = ''
    source: str = ''
    priority: int = 0
    max_actions: int = 0
    restart: bool = False
    confirmed: str = ''
    """The one call that the person confirms, for one execution, such as `give(pear)`; nothing: none."""


class Status(StrEnum):
    """How a goal ended."""

    FINISHED = 'finished'
    SUSPENDED = 'suspended'
    CANCELLED = 'cancelled'
    FAILED = 'failed'
    REFUSED = 'refused'


class Phase(StrEnum):
    """What a goal is at; feedback names it."""

    WAITING = 'waiting'
    SAYING = 'saying'
    RECALLED = 'recalled'
    THINKING = 'thinking'
    ACTING = 'acting'
    ACTED = 'acted'
    SUSPENDED = 'suspended'


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEvent:
    """One piece of feedback. `actions_done` are those with a verified effect so far, over all resumes."""

    step: int
    phase: Phase
    text: str = ''
    code: str = ''
    actions_done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """What came of a goal. `spoken`: what is said was spoken already, sentence by sentence, as feedback. The last four
    hold one number for each action of this goal, in order; times in s."""

    status: Status
    task: str = ''
    said: str = ''
    spoken: bool = False
    reason: str = ''
    to_confirm: str = ''
    actions_done: tuple[str, ...] = ()
    done_before: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    repeated: int = 0
    retries: int = 0
    refusals: int = 0
    model_retries: int = 0
    coordinator: ModelUsage = NOTHING_USED
    worker: ModelUsage = NOTHING_USED
    overhead_s: tuple[float, ...] = ()
    planning_s: tuple[float, ...] = ()
    verify_wait_s: tuple[float, ...] = ()
    prompt_tokens: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatus:
    """The state of one task as its log has it. `status` is new, running, suspended or finished; `undone` are actions whose
    effect was seen to be so no longer."""

    task: str
    description: str
    actions: tuple[str, ...] = ()
    status: str = 'new'
    actions_done: tuple[str, ...] = ()
    done_before: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    open_intent: str = ''
    repeated: int = 0
    retries: int = 0
    described: bool = False
    """Known by its description only; the name was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIntent:
    """An intent without outcome: what was about to happen when something died."""

    intent_id: int
    action: str
    object_id: str = ''
    object_name: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Working or declarative memory of one task as the worker built it on one snapshot. `doubt` says what is not
    certain, such as whether an object is one that was handled before."""

    text: str
    to_do: tuple[str, ...] = ()
    actions_done: tuple[str, ...] = ()
    open_intent: OpenIntent | None = None
    world_changed: tuple[str, ...] = ()
    corrections: int = 0
    doubt: str = ''
    usage: ModelUsage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The worker's second opinion on a call."""

    fits: bool
    usage: ModelUsage = NOTHING_USED


class MemoryPort(Protocol):
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

    def record(self, task: str, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '') -> int:
        """Appends an entry (started, suspended, resumed, finished) and returns its number once it is on disk.

        `code` is `restart` for a started entry that forgets what came before it.
        """
        ...

    def tasks(self) -> tuple[TaskStatus, ...]:
        """All tasks that memory knows, taught ones too; those that are only described last, by when they were described."""
        ...

    def teach(self, name: str, description: str, actions: tuple[str, ...] = ()) -> str:
        """Adds or replaces a task (no actions: all of them) and returns its name.

        Without a name it is one that is only described: the same words give the same task again.
        """
        ...


class ActionPort(Protocol):
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


class PerceptionPort(Protocol):
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
