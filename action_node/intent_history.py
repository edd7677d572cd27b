"""What became of this process's intents, as far as the memory may not know it; used when an open intent is settled."""

import threading
from dataclasses import dataclass

from action_node.action_end import ActionEnd
from lucca_core.codes import ReasonCode
from lucca_core.protocol.entries import EntryKind, EntryRequest


@dataclass(frozen=True, slots=True)
class _Unrecorded:
    """The end of an action whose outcome the memory did not acknowledge."""

    intent_id: int
    action: str
    end: ActionEnd


class IntentHistory:
    """The newest acknowledged entry of each task, and the ends that could not be recorded. Thread-safe.

    An action that leaves nothing to see on the table, such as pointing, cannot be settled by looking. This process may
    know more: it writes all intents, and moves only for those that were acknowledged. So for an open intent that is
    newer than every entry acknowledged to this process, nothing has moved.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: dict[str, int] = {}
        self._unrecorded: dict[str, _Unrecorded] = {}

    def acknowledged(self, entry: EntryRequest, entry_id: int) -> None:
        """Notes that an entry is in the log. A new intent, or the outcome itself, ends what was not recorded."""
        with self._lock:
            # Threads may come here in another order than that of the log, and an outcome may be answered twice.
            self._newest[entry.task] = max(entry_id, self._newest.get(entry.task, 0))
            last = self._unrecorded.get(entry.task)
            closes = last is not None and entry.intent_id == last.intent_id
            if entry.kind is EntryKind.INTENT or closes:
                self._unrecorded.pop(entry.task, None)

    def not_recorded(self, task: str, intent_id: int, action: str, end: ActionEnd) -> None:
        """Notes how an action ended, until its outcome is acknowledged."""
        with self._lock:
            self._unrecorded[task] = _Unrecorded(intent_id, action, end)

    def end_of(self, task: str, intent_id: int, action: str) -> ActionEnd | None:
        """The end of the action with this open intent; None if this process does not know it."""
        with self._lock:
            last, newest = self._unrecorded.get(task), self._newest.get(task)
        if last is not None and (last.intent_id, last.action) == (intent_id, action):
            return last.end
        if newest is not None and intent_id > newest:
            return ActionEnd(ReasonCode.EFFECT_NOT_SEEN, 'its intent was not acknowledged, and nothing moved for it')
        return None
