"""What the worker answers to whoever asks of memory."""

from dataclasses import dataclass

from lucca_core.protocol.usage import ModelUsage
from lucca_memory.declarative.replay import TaskLogState
from lucca_memory.procedural import TaskSpec

NOTHING_USED = ModelUsage()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIntent:
    """An intent without outcome; `object_id` and `object_name` as perception has them now, if it sees the object."""

    intent_id: int
    action: str
    object_id: str
    object_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Working or declarative memory of one task. `text` is for the coordinator's prompt; `to_do` is filled for working
    memory only; `message` says what is not certain; `corrections` counts differences between model and log."""

    text: str
    to_do: tuple[str, ...] = ()
    actions_done: tuple[str, ...] = ()
    open_intent: OpenIntent | None = None
    world_changed: tuple[str, ...] = ()
    corrections: int = 0
    message: str = ''
    usage: ModelUsage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The worker's opinion on a call that the coordinator is about to make."""

    fits: bool
    usage: ModelUsage = NOTHING_USED


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The state of one task for whoever lists them. `problem` says why its log cannot be read."""

    task: TaskSpec
    log: TaskLogState
    left: tuple[str, ...] = ()
    problem: str = ''
