"""A watch on the table for effects of finished and suspended tasks that have been undone."""

from collections.abc import Iterable

from lucca_core.errors import MemoryFault
from lucca_core.protocol.snapshots import Snapshot
from lucca_memory.declarative.replay import TaskLogState, TaskStatus
from lucca_memory.declarative.table_changes import TableChange
from worker_node.recorder import Recorder

_RESTING = (TaskStatus.FINISHED, TaskStatus.SUSPENDED)
_Key = tuple[str, int, bool]


class TableWatch:
    """Compares the logs with each snapshot.

    A difference is recorded once every snapshot has shown it for a while, so an arm in the way or one misread frame has
    no effect. Not thread-safe.
    """

    def __init__(self, recorder: Recorder, lasting_s: float) -> None:
        """`lasting_s`: how long a difference has to be seen before it is recorded, by the stamps of the snapshots."""
        self._recorder = recorder
        self._lasting_s = lasting_s
        self._since_s: dict[_Key, float] = {}
        self._agreed: dict[str, tuple[object, int]] = {}

    def see(self, snapshot: Snapshot, tasks: Iterable[str]) -> dict[str, tuple[TableChange, ...]]:
        """Takes in a snapshot; returns the changes that it made certain and that were recorded, by task.

        Raises:
            MemoryFault: a log cannot be written.
        """
        states = self._states(tasks)
        if any(state.open_intent is not None for state in states.values()):
            # An arm is moving, or went away during an action. What it moves is reported by its own task.
            self._since_s.clear()
            return {}
        looks = _looks(snapshot)
        since_s: dict[_Key, float] = {}
        recorded = {}
        for task, state in states.items():
            if state.status not in _RESTING or self._agreed.get(task) == (looks, state.last_entry_id):
                continue
            found = self._recorder.changes(task, snapshot)
            if not found:
                self._agreed[task] = (looks, state.last_entry_id)
                continue
            lasting = []
            for change in found:
                key = (task, change.done.entry_id, change.there)
                # A restarted simulation begins at time 0.
                since_s[key] = min(self._since_s.get(key, snapshot.stamp_s), snapshot.stamp_s)
                if snapshot.stamp_s - since_s[key] >= self._lasting_s:
                    lasting.append(change)
            if lasting and (noticed := self._recorder.notice(task, snapshot, lasting)):
                recorded[task] = noticed
        self._since_s = since_s
        return recorded

    def _states(self, tasks: Iterable[str]) -> dict[str, TaskLogState]:
        states = {}
        for task in tasks:
            try:
                states[task] = self._recorder.state(task)
            except MemoryFault:
                # The list of tasks reports the reason.
                continue
        return states


def _looks(snapshot: Snapshot) -> object:
    """The parts of a snapshot that differences depend on. Most snapshots equal the one before in these."""
    return tuple((item.object_id, item.name, item.container, item.visible, item.inferred) for item in snapshot)
