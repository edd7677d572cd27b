"""Reports that nodes publish for watchers and recorders: gate decisions, actions, goals, log entries, corrections.

The exchanges with language models are in `lucca_llm.exchange.ModelExchange`. Nothing in the stack reads any of this.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult

if TYPE_CHECKING:
    from pydantic import TypeAdapter

OTHER_SENDERS = 'other senders'
"""In the report of the action node: the name of the detail that says who else may move the arms, if anybody may."""
PERMITTED = 'permitted'
"""The code of a gate decision that is not a refusal."""


class Observable(Protocol):
    """A value that is reported. `KIND` names its type in messages."""

    KIND: ClassVar[str]


Observe = Callable[[Observable], None]
"""Reports such a value. It returns at once and never raises, so that nothing in the stack waits for a watcher."""


@functools.cache
def adapter(kind: type[Observable]) -> 'TypeAdapter[Any]':
    """What turns values of a class into types for JSON and back. The first one of a class takes many milliseconds."""
    # Most commands report nothing and import this, too.
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def unobserved(value: Observable) -> None:
    """An `Observe` that does nothing, for use without watchers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """The decision of the parser and the gate on an action, with everything it was based on.

    Attributes:
        request: the action as the model wrote it, with the last snapshot on which it was judged.
        stopped: whether the robot was stopped.
        busy: whether another action was being carried out.
        arms_clear: whether no arm was over the table.
        action: the parsed call; empty if the text could not be parsed.
        code: PERMITTED, or the code of the refusal.
        message: why it was refused.
    """

    KIND: ClassVar[str] = 'gate'

    request: ActionRequest
    stopped: bool = False
    busy: bool = False
    arms_clear: bool = True
    action: str = ''
    code: str = PERMITTED
    message: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionEnded:
    """How an action ended, with its times."""

    KIND: ClassVar[str] = 'action'

    task: str
    result: ActionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalNews:
    """A report about a goal: that it was received, one of its steps, or its result.

    Attributes:
        source: where the goal came from, such as cli or speech.
        step: set only if this reports a step.
        result: None until the goal has ended.
        waits: whether the task of the goal that has ended waits, suspended; None if this is not known.
    """

    KIND: ClassVar[str] = 'goal'
    goal_id: str
    source: str
    request: GoalRequest
    step: GoalFeedback | None = None
    result: GoalResult | None = None
    waits: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """An entry that is now on the disk. `text` is the entry as written in the task's log, without its checksum."""

    KIND: ClassVar[str] = 'entry'

    task: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryMisread:
    """The worker's model misread memory.

    Attributes:
        task: the task whose memory was asked for.
        misread: one sentence for each mistake: what the model said, and what the log says.
        corrected: whether the log's content was passed on instead.
    """

    KIND: ClassVar[str] = 'misread'

    task: str
    misread: tuple[str, ...]
    corrected: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One of these values in transit: `json` holds the value, `kind` says which type it has.

    Attributes:
        stamp_s: ROS time of the node.
        wall_s: wall time since the epoch.
        node: name of the node that reports it.
    """

    stamp_s: float
    wall_s: float
    node: str
    kind: str
    json: str
