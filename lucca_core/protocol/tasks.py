"""A task as its log has it, and what changes the tasks that are known."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The state of one task. `status` is new, running, suspended or finished.

    Attributes:
        actions: names of the actions that the task may use.
        actions_done: with a verified effect, oldest first.
        done_before: with a verified effect when the task was begun anew, and not done again since.
        undone: had a verified effect that was seen to be gone, and not done again since.
        left: names of the objects that the last working memory listed as still to do.
        open_intent: the action whose outcome is not known; empty for none.
        repeated: verified effects that were caused again.
        retries: motions tried again after a miss.
        described: known by its description only; the name was made.
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
        """Everything, in types that json can write."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLesson:
    """A task to be added or replaced. Without a name it is only described; without actions it may use all of them."""

    task: str
    description: str
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTaught:
    """The name under which a task is known from now on."""

    task: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRemoval:
    """A taught task to be forgotten; with `force` also one that is running or suspended."""

    task: str
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRemoved:
    """The name of the file in which the log of a forgotten task now is; empty where there was none."""

    log_file: str
