"""The values of one action: what is asked for, what is recorded, what came of it, and the latch that cancels it."""

import threading
from dataclasses import dataclass

from lucca_core.codes import ReasonCode
from lucca_core.values import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRequest:
    """One action as asked for; the fields are those of the goal of ExecuteAction."""

    text: str
    task: str
    allowed_actions: tuple[str, ...]
    snapshot: Snapshot
    confirmed_by: str = ''
    settle_intent_id: int = 0
    answered_wall_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """What came of one action; the fields are those of the result of ExecuteAction. Times in s."""

    code: ReasonCode
    message: str = ''
    action: str = ''
    object_id: str = ''
    intent_id: int = 0
    outcome_id: int = 0
    attempts: int = 0
    duration_s: float = 0.0
    overhead_before_s: float = 0.0
    planning_s: float = 0.0
    overhead_after_s: float = 0.0
    verify_wait_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One entry that memory is asked to record. `kind` is `intent` or `outcome`.

    A refusal is an outcome that closes no intent (`intent_id` 0) and says that nothing moved (`attempts` 0).
    """

    kind: str
    task: str
    snapshot: Snapshot
    action: str = ''
    object_id: str = ''
    object_name: str = ''
    intent_id: int = 0
    code: str = ''
    uncertain: bool = False
    attempts: int = 0
    duration_s: float = 0.0
    note: str = ''


class CancelLatch:
    """Set once, never cleared: what was cancelled does not revive. Safe to set from any thread."""

    __slots__ = ('_event',)

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Cancels."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """True from the first `set` on."""
        return self._event.is_set()
