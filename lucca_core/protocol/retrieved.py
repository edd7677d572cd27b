"""What the worker answers about one task: its memory, and a second opinion on a call."""

from dataclasses import dataclass

from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.usage import NOTHING_USED, ModelUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIntent:
    """An intent without outcome: what was about to happen when something died.

    The object is as perception has it now, if it is seen.
    """

    intent_id: int
    action: str
    object_id: str = ''
    object_name: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Working or declarative memory of one task as the worker built it on one snapshot. `doubt` says what is not
    certain, such as whether an object is one that was handled before. `to_do` is filled for working memory only;
    `corrections` counts what the model misread in the log."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """Memory of a task is asked for, to be built on a snapshot."""

    task: str
    snapshot: Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """An opinion is asked for on a call: an action, or `<finish_task(NAME)>`."""

    task: str
    proposed: str
    snapshot: Snapshot
