"""Task states according to the logs, and requests to teach and forget tasks."""

from dataclasses import asdict, dataclass
from typing import Any

INTERRUPTED = 'interrupted'
"""Status of a task that is running by its log while no coordinator carries it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The state of one task. `status` is new, running, suspended or finished; for people also `INTERRUPTED`.

    Attributes:
        actions: names of the actions that the task may use.
        actions_done: actions with a verified effect, oldest first.
        done_before: actions that had a verified effect when the task was restarted, and were not done again since.
        undone: actions whose verified effect was later seen to be gone, and that were not done again since.
        left: names of the objects that the last working memory listed as still to do.
        open_intent: the action whose outcome is unknown; empty for none.
        repeated: number of verified effects that were caused again.
        retries: number of motions repeated after a miss.
        described: the task is known only by its description; its name was generated.
    """

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

    def as_json(self) -> dict[str, Any]:
        """All fields, in types that json can write."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLesson:
    """A task to add or replace. Without a name it is known by its description only; without actions it may use all."""

    task: str
    description: str
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTaught:
    """The name under which the task is known from now on."""

    task: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRemoval:
    """A taught task to forget; with `force`, even if it is running or suspended."""

    task: str
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRemoved:
    """The name of the file that now holds the log of the forgotten task; empty if it had no log."""

    log_file: str
