"""What nodes tell of their work to whoever watches or records: gate decisions, ends of actions, goals, log entries.

What a model was asked and answered is `lucca_llm.exchange.ModelExchange`. Nothing in the stack reads any of this.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult

PERMITTED = 'permitted'
"""The code of a gate decision that is no refusal."""


class Observable(Protocol):
    """A value that is told. `KIND` is what it is called on the wire."""

    KIND: ClassVar[str]


Observe = Callable[[Observable], None]
"""Takes such a value. It returns at once and never raises: nothing in the stack waits for a watcher."""


def unobserved(value: Observable) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """What parser and gate made of an action, with all that they judged it by.

    Attributes:
        request: the action as the model wrote it; its snapshot is the one that was judged last.
        stopped: the robot was stopped.
        busy: another action was being carried out.
        arms_clear: no arm was over the table.
        action: the parsed call; empty where the text could not be parsed.
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
    """Something about a goal: that it was given, one step of it, or how it ended.

    Attributes:
        source: where the goal came from, such as cli or speech.
        step: None unless this is a step.
        result: None until the goal has ended.
    """

    KIND: ClassVar[str] = 'goal'
    goal_id: str
    source: str
    request: GoalRequest
    step: GoalFeedback | None = None
    result: GoalResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """An entry that is on the disk now. `text`: as it stands in the task's log, without its checksum."""

    KIND: ClassVar[str] = 'entry'

    task: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One of these values on its way: `json` holds it, `kind` says which it is.

    Attributes:
        stamp_s: ROS time of the node.
        wall_s: wall time since the epoch.
        node: who tells it.
    """

    stamp_s: float
    wall_s: float
    node: str
    kind: str
    json: str
