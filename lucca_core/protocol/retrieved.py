"""The worker's answers about one task: its memory, and a second opinion on a call."""

from dataclasses import dataclass

from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.usage import NOTHING_USED, ModelUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIntent:
    """An intent without an outcome: the action that was about to happen when a process died.

    Its object is given as perception sees it now, if it is visible.
    """

    intent_id: int
    action: str
    object_id: str = ''
    object_name: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Working or declarative memory of one task, as the worker built it for one snapshot.

    `doubt` says what is uncertain, such as whether an object is the one that was handled before. `to_do` is filled only
    for working memory, and so is `calls`, the calls still to make, if each object was decided on separately.
    `corrections` counts what the model misread in the log.
    """

    text: str
    to_do: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """Asks for the memory of a task, built for a snapshot. `prohibited`: lines for the prompt of working memory."""

    task: str
    snapshot: Snapshot
    prohibited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """Asks for a second opinion on a call: an action, or `<finish_task(NAME)>`. `prohibited`: lines for the prompt."""

    task: str
    proposed: str
    snapshot: Snapshot
    prohibited: tuple[str, ...] = ()
