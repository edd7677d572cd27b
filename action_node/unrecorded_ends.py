"""What this process knows of actions whose intent or outcome the memory did not acknowledge, to settle them later."""

import threading
from collections import OrderedDict
from typing import Any

from action_node.action_end import ActionEnd
from lucca_core.codes import ReasonCode

_MOST = 100


class UnrecordedEnds:
    """The ends of such actions. Thread-safe.

    What leaves nothing to see on the table, such as pointing, cannot be settled by looking. Without this, an action
    that never began would count as one that may have been done.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unmoved: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._ends: OrderedDict[tuple[str, int], ActionEnd] = OrderedDict()

    def began(self, task: str, action: str) -> None:
        """Notes that the intent of an action was acknowledged, so that from now on something may move for it."""
        with self._lock:
            self._unmoved.pop((task, action), None)

    def nothing_moved(self, task: str, action: str) -> None:
        """Notes that the intent of an action was not acknowledged. It may be in the log, and nothing moved for it."""
        with self._lock:
            _keep(self._unmoved, (task, action), None)

    def ended(self, task: str, intent_id: int, end: ActionEnd) -> None:
        """Notes the end of an action whose outcome was not acknowledged."""
        with self._lock:
            _keep(self._ends, (task, intent_id), end)

    def of(self, task: str, action: str, intent_id: int) -> ActionEnd | None:
        """The end of the action with this open intent; None if this process does not know it."""
        with self._lock:
            end = self._ends.get((task, intent_id))
            if end is None and (task, action) in self._unmoved:
                return ActionEnd(ReasonCode.EFFECT_NOT_SEEN, 'nothing moved for it')
            return end


def _keep(kept: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > _MOST:
        kept.popitem(last=False)
