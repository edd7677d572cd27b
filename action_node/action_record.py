"""The record of one action: its intent before anything moves, its outcome at the end, and the result returned."""

import time

from action_node.action_end import ActionEnd
from action_node.action_timing import ActionTiming
from action_node.interfaces import ActionComponents
from lucca_core.codes import ReasonCode
from lucca_core.errors import LuccaError, MotionError, RefusalError
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.snapshots import Snapshot, TableObject


class ActionRecord:
    """The record of one action. `action`, `target` and `intent_id` are set as soon as they are known."""

    def __init__(self, parts: ActionComponents, request: ActionRequest, timing: ActionTiming) -> None:
        self._parts = parts
        self._config = parts.config
        self._request = request
        self._timing = timing
        self.began_s = parts.arms.now_s()
        self.action = ''
        self.target: TableObject | None = None
        self.intent_id = 0

    def open(self, target: TableObject, snapshot: Snapshot) -> None:
        """Records the intent.

        Raises:
            LuccaError: the memory did not acknowledge it.
        """
        entry = EntryRequest(
            kind=EntryKind.INTENT,
            task=self._request.task,
            snapshot=snapshot,
            action=self.action,
            object_id=target.object_id,
            object_name=target.name,
        )
        self.intent_id = self._recorded(entry, self._config.intent_timeout_s)

    def close(self, target: TableObject | None, snapshot: Snapshot, end: ActionEnd) -> ActionResult:
        """Records the outcome and returns the result."""
        entry = EntryRequest(
            kind=EntryKind.OUTCOME,
            task=self._request.task,
            snapshot=snapshot,
            action=self.action,
            object_id=target.object_id if target else '',
            object_name=target.name if target else '',
            intent_id=self.intent_id,
            code=str(end.code),
            uncertain=end.uncertain,
            attempts=end.attempts,
            duration_s=self._duration_s(),
            note='' if end.code is ReasonCode.DONE and not end.uncertain else end.message,
        )
        try:
            outcome_id = self._insist(entry)
        except LuccaError as error:
            return self.answer(
                ReasonCode.HARDWARE_FAULT,
                f'the action ended as {end.code} ({end.message}), but no outcome could be recorded: {error}',
                attempts=end.attempts,
            )
        return self.answer(end.code, end.message, outcome_id=outcome_id, attempts=end.attempts)

    def refuse(self, error: RefusalError | MotionError) -> ActionResult:
        """Returns a refusal and records it if possible; without a record it is still a refusal."""
        outcome_id = 0
        message = str(error)
        if self._request.task:
            entry = EntryRequest(
                kind=EntryKind.OUTCOME,
                task=self._request.task,
                snapshot=self._request.snapshot,
                action=self.action,
                object_id=self.target.object_id if self.target else '',
                object_name=self.target.name if self.target else '',
                code=str(error.code),
                note=message,
            )
            try:
                outcome_id = self._recorded(entry, self._config.refusal_timeout_s)
            except LuccaError as fault:
                message = f'{message} (this could not be recorded: {fault})'
        return self.answer(error.code, message, outcome_id=outcome_id)

    def answer(self, code: ReasonCode, message: str, *, outcome_id: int = 0, attempts: int = 0) -> ActionResult:
        """Builds the result, with the times until now; records nothing."""
        timing = self._timing
        return ActionResult(
            code=code,
            message=message,
            action=self.action,
            object_id=self.target.object_id if self.target else '',
            intent_id=self.intent_id,
            outcome_id=outcome_id,
            attempts=attempts,
            duration_s=self._duration_s(),
            overhead_before_s=timing.overhead_before_s,
            planning_s=timing.planning_s,
            overhead_after_s=timing.overhead_after_s(),
            verify_wait_s=timing.waited_s,
        )

    def _insist(self, entry: EntryRequest) -> int:
        """Records an outcome, retrying so that a restarted worker can come back."""
        deadline_s = time.monotonic() + self._config.outcome_timeout_s
        while True:
            remaining_s = deadline_s - time.monotonic()
            try:
                return self._recorded(entry, max(0.1, min(self._config.intent_timeout_s, remaining_s)))
            except LuccaError:
                if time.monotonic() + 0.25 > deadline_s or self._parts.ending.wait(0.25):
                    raise

    def _recorded(self, entry: EntryRequest, timeout_s: float) -> int:
        entry_id = self._parts.recorder.record(entry, timeout_s)
        self._parts.history.acknowledged(entry, entry_id)
        return entry_id

    def _duration_s(self) -> float:
        return round(max(0.0, self._parts.arms.now_s() - self.began_s), 3)
