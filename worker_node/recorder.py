"""The only writer of the task logs: numbers, checks and refuses entries, and records changes of the table."""

import contextlib
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.entries import RESTORED, EntryKind, EntryRequest
from lucca_core.protocol.observations import LogEntry, Observe, unobserved
from lucca_core.protocol.snapshots import TABLE, Snapshot, TableObject
from lucca_memory.declarative.entry import Entry, table_of
from lucca_memory.declarative.log import LogStore, TaskLog
from lucca_memory.declarative.object_matching import aliases, kind, match
from lucca_memory.declarative.replay import DoneAction, TaskLogState, begins_episode
from lucca_memory.declarative.table_changes import TableChange, changes
from lucca_memory.procedural import ActionSpec, Effect
from lucca_memory.task_book import TaskBook
from lucca_memory.task_forgetting import forget_expired, forget_task

_TAKEN_AS_DONE = 'interrupted twice without being seen; not repeated again'


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """A task's log, and its objects as a snapshot shows them."""

    log: tuple[Entry, ...]
    state: TaskLogState
    now: dict[str, TableObject]
    """Objects of the snapshot, by their id in the log."""
    changed: tuple[DoneAction, ...] = ()
    """Actions whose effects are no longer there."""
    uncertain: tuple[str, ...] = ()
    """Names of objects that may or may not be one that was handled before."""

    def name_of(self, done: DoneAction) -> str:
        """The present name of the action's object, or else its name at that time."""
        item = self.now.get(done.object_id)
        return item.name if item else done.object_name

    def is_certain(self, done: DoneAction) -> bool:
        """False if the object's old name is now the name of an object that may or may not be the same."""
        return done.object_id in self.now or done.object_name not in self.uncertain


class Recorder:
    """Writes and reads the task logs. Safe to use from several threads."""

    def __init__(self, book: TaskBook, logs: LogStore, observe: Observe = unobserved) -> None:
        """`observe` receives a LogEntry for each entry written."""
        self._book = book
        self._observe = observe
        self._logs = logs
        self._lock = threading.RLock()
        self._table_stamps_s: dict[str, float] = {}
        self._left: dict[str, tuple[str, ...]] = {}

    def record(self, request: EntryRequest) -> int:
        """Appends an entry to a task's log and returns its number once it is safe on disk.

        An outcome that is sent again with the same code is not written twice: the sender may not have received the
        answer.

        Raises:
            MemoryFault: the entry was not recorded: unknown task, an intent while another one is open, an outcome
                without an open intent, lock lost, disk full, or log damaged. The message says which.
        """
        if self._book.get(request.task) is None:
            raise MemoryFault(f'no task is named {request.task[:80]!r}; known are {self._book.listed()}')
        with self._lock:
            log = self._logs.log(request.task)
            if request.kind is EntryKind.STARTED:
                self._left.pop(request.task, None)
            left = self._left.get(request.task)
            if left is not None and request.code == ReasonCode.DONE:
                left = tuple(name for name in left if name != request.object_name)
            open_intent = log.state.open_intent
            if request.kind is EntryKind.INTENT and open_intent is not None:
                raise MemoryFault(
                    f'intent {open_intent.entry_id} ({open_intent.action}) of {request.task!r} has no outcome yet; '
                    f'settle it before {request.action}'
                )
            if request.kind is EntryKind.OUTCOME and request.intent_id:
                if self._was_repeated_once(log, request):
                    request = replace(request, code=str(ReasonCode.DONE), note=_TAKEN_AS_DONE)
                if written := _outcome_of(log, request):
                    return written.entry_id
                if open_intent is None or open_intent.entry_id != request.intent_id:
                    raise MemoryFault(
                        f'intent {request.intent_id} of {request.task!r} is not open; {_open(open_intent)}'
                    )
                request = _completed(request, open_intent)
            if request.kind is EntryKind.INTENT:
                self._notice_changes(
                    log, request.task, request.snapshot, lambda change: change.item.object_id == request.object_id
                )
            return self._append(log, request, left).entry_id

    def new_entries(self, seen: Mapping[str, int]) -> dict[str, tuple[Entry, ...]]:
        """The entries of each known task after the number given in `seen`. Logs that cannot be read are left out."""
        found: dict[str, tuple[Entry, ...]] = {}
        for task in self._book.tasks:
            # Lock for one log at a time, so that an intent waits for the reading of one log at most.
            with self._lock, contextlib.suppress(MemoryFault):
                found[task] = self._logs.log(task).entries[seen.get(task, 0) :]
        return found

    def look(self, task: str, snapshot: Snapshot, last: int) -> TaskView:
        """A task's log compared with a snapshot. Changes of the table are recorded first.

        Args:
            task: its name.
            snapshot: the table now.
            last: number of newest entries to return.

        Raises:
            MemoryFault: the log cannot be read or written.
        """
        with self._lock:
            log = self._logs.log(task)
            if not log.entries:
                return TaskView(log=(), state=log.state, now={})
            changed = [item.done for item in self._notice_changes(log, task, snapshot) if not item.there]
            now, uncertain = _identify(log, snapshot)
            state = _with_current_id(log.state, now)
            return TaskView(log=log.last(last), state=state, now=now, changed=tuple(changed), uncertain=uncertain)

    def changes(self, task: str, snapshot: Snapshot) -> tuple[TableChange, ...]:
        """The differences between a task's log and a snapshot; nothing is written.

        Raises:
            MemoryFault: the log cannot be read.
        """
        with self._lock:
            log = self._logs.log(task)
            if not log.entries or self._is_older(task, snapshot):
                return ()
            now, _ = _identify(log, snapshot)
            return changes(log.state, now, self.effect_of)

    def notice(self, task: str, snapshot: Snapshot, lasting: Collection[TableChange]) -> tuple[TableChange, ...]:
        """Records and returns the changes that are also in `lasting`, wherever their object is by now.

        Raises:
            MemoryFault: the log cannot be read or written.
        """
        wanted = {(item.done, item.there) for item in lasting}
        with self._lock:
            return self._notice_changes(
                self._logs.log(task), task, snapshot, lambda change: (change.done, change.there) in wanted
            )

    def list_left(self, task: str, names: tuple[str, ...]) -> None:
        """Notes what a working memory lists as still to do. What is done from now on is taken off the list."""
        with self._lock:
            self._left[task] = names

    def left(self, task: str) -> tuple[str, ...] | None:
        """What the last working memory listed and is not done yet; None if there was none in this process."""
        return self._left.get(task)

    def state(self, task: str) -> TaskLogState:
        """The state of a task according to its log.

        Raises:
            MemoryFault: the log cannot be read.
        """
        with self._lock:
            return self._logs.log(task).state

    def forget(self, task: str, *, force: bool = False) -> Path | None:
        """Forgets a taught task and sets its log aside; see lucca_memory.task_forgetting.

        Raises:
            MemoryFault: the task is not forgotten; the message says why.
        """
        with self._lock:
            aside = forget_task(self._book, self._logs, task, force=force)
            self._left.pop(task, None)
            return aside

    def forget_expired(self, now: datetime, kept_for: timedelta) -> tuple[str, ...]:
        """Forgets described tasks that are no longer needed; returns their names. See lucca_memory.task_forgetting.

        Raises:
            MemoryFault: the folder cannot be written.
        """
        with self._lock:
            gone = forget_expired(self._book, self._logs, now, kept_for)
            for task in gone:
                self._left.pop(task, None)
            return gone

    def effect_of(self, action: str) -> Effect | None:
        """The declared effect of an action given as text, such as `<point(pear)>`; None if there is no such action."""
        spec = self._book.actions.get(ActionCall.from_text(action).name)
        return spec.effect if spec else None

    def points(self, action: str) -> bool:
        """True for the text of an action whose effect cannot be seen on the table afterwards."""
        effect = self.effect_of(action)
        return effect is not None and not effect.lasts

    def _was_repeated_once(self, log: TaskLog, request: EntryRequest) -> bool:
        """True if an earlier outcome of the same action is uncertain, too, and its effect cannot be seen.

        Nothing on the table can settle this later, so such an action is repeated once and then taken as done.
        """
        if not request.uncertain or request.code == ReasonCode.DONE or not self.points(request.action):
            return False
        same_as = dict(log.state.same_as)
        object_id = same_as.get(request.object_id, request.object_id)
        for entry in reversed(log.entries):
            if entry.kind is EntryKind.STARTED:
                return False
            uncertain = entry.kind is EntryKind.OUTCOME and entry.uncertain and not entry.done
            if uncertain and entry.intent_id != request.intent_id:
                same_object = same_as.get(entry.object_id, entry.object_id) == object_id
                if same_object and entry.action == request.action:
                    return True
        return False

    def _append(self, log: TaskLog, request: EntryRequest, left: tuple[str, ...] | None = None) -> Entry:
        """Writes an entry. `left`: what the task has still to do after it; None if that is not known."""
        contents, on_table, seen = table_of(request.snapshot)
        now, _ = _identify(log, request.snapshot)
        same_as = dict(log.state.same_as)
        known_as = tuple(
            (item.object_id, known)
            for known, item in now.items()
            if same_as.get(item.object_id, item.object_id) != known
        )
        if not (seen or contents) or self._is_stale(request):
            # The sender has not seen the table since the last entry (or not at all), so that entry describes it better.
            contents, on_table, seen, known_as = log.state.contents, log.state.on_table, (), ()
        entry = Entry(
            **request.facts,
            contents=contents,
            on_table=on_table,
            seen=seen,
            known_as=known_as,
            pointed_at=self._pointed_at(request, log.state, now),
            left=left,
        )
        written = log.append(entry, lambda text: self._observe(LogEntry(task=request.task, text=text)))
        if seen:
            self._table_stamps_s[request.task] = request.snapshot.stamp_s
        if left is not None:
            self._left[request.task] = left
        return written

    def _is_stale(self, request: EntryRequest) -> bool:
        """True for an entry that observes nothing itself and whose snapshot is older than the last one written.

        Observations are never stale: a restarted simulator begins at time 0, and its observations must count.
        """
        observed = request.kind not in (EntryKind.SUSPENDED, EntryKind.REFUSED) and (
            request.kind is not EntryKind.OUTCOME or request.intent_id != 0
        )
        return not observed and self._is_older(request.task, request.snapshot)

    def _is_older(self, task: str, snapshot: Snapshot) -> bool:
        return snapshot.stamp_s < self._table_stamps_s.get(task, 0.0)

    def _pointed_at(
        self, request: EntryRequest, state: TaskLogState, now: dict[str, TableObject]
    ) -> tuple[str, ...] | None:
        task = self._book.get(request.task)
        if task is None or not any(points(self._book.actions.get(name)) for name in task.actions):
            return None
        if request.kind is EntryKind.STARTED and begins_episode(state.status, request.code):
            return ()
        names = dict.fromkeys(
            now[item.object_id].name if item.object_id in now else item.object_name
            for item in state.actions_done
            if self.points(item.action)
        )
        if request.kind is EntryKind.OUTCOME and request.code == ReasonCode.DONE and self.points(request.action):
            names[request.object_name] = None
        return tuple(names)

    def _notice_changes(
        self, log: TaskLog, task: str, snapshot: Snapshot, wanted: Callable[[TableChange], bool] = lambda change: True
    ) -> tuple[TableChange, ...]:
        if self._is_older(task, snapshot):
            return ()
        now, _ = _identify(log, snapshot)
        found = tuple(filter(wanted, changes(log.state, now, self.effect_of)))
        for change in found:
            self._append(log, _changed(task, change, snapshot))
        return found


def points(action: ActionSpec | None) -> bool:
    """True for an action whose effect cannot be seen on the table afterwards."""
    return action is not None and not action.effect.lasts


def _identify(log: TaskLog, snapshot: Snapshot) -> tuple[dict[str, TableObject], tuple[str, ...]]:
    """The snapshot's objects by the id that the log knows (or will know) them by, and the names of uncertain ones."""
    state, seen = log.state, table_of(snapshot)[2]
    matching = match(state.known, seen, dict(state.same_as))
    names = aliases(matching, seen, state.known, len(log.entries) + 1)
    now = {names[item.object_id]: item for item in snapshot}
    if state.open_object and state.open_object not in now:
        now |= _under_way(state, matching.uncertain, snapshot)
    handled = {item.object_id for item in state.actions_done} - set(now)
    kinds = {kind(item.name) for item in state.known if item.object_id in handled}
    doubtful = tuple(
        item.name for item in snapshot if item.object_id in matching.uncertain and kind(item.name) in kinds
    )
    return now, doubtful


def _under_way(state: TaskLogState, uncertain: tuple[str, ...], snapshot: Snapshot) -> dict[str, TableObject]:
    """The object of the open intent. It may be anywhere, so the kind is enough if only one object has it."""
    like = next((kind(item.name) for item in state.known if item.object_id == state.open_object), None)
    candidates = [item for item in snapshot if item.object_id in uncertain and kind(item.name) == like]
    return {state.open_object: candidates[0]} if len(candidates) == 1 else {}


def _with_current_id(state: TaskLogState, now: dict[str, TableObject]) -> TaskLogState:
    """The state in which the open intent's object has its present id and name, so that it can be looked at."""
    intent = state.open_intent
    item = now.get(state.open_object)
    if intent is None or item is None:
        return state
    return replace(state, open_intent=replace(intent, object_id=item.object_id, object_name=item.name))


def _outcome_of(log: TaskLog, request: EntryRequest) -> Entry | None:
    for entry in reversed(log.last(50)):
        if entry.kind is EntryKind.OUTCOME and entry.intent_id == request.intent_id:
            return entry if entry.code == request.code else None
    return None


def _completed(request: EntryRequest, intent: Entry) -> EntryRequest:
    return replace(
        request,
        action=request.action or intent.action,
        object_id=request.object_id or intent.object_id,
        object_name=request.object_name or intent.object_name,
    )


def _open(intent: Entry | None) -> str:
    return f'open is {intent.entry_id} ({intent.action})' if intent else 'none is open'


def _changed(task: str, change: TableChange, snapshot: Snapshot) -> EntryRequest:
    item, done = change.item, change.done
    place = 'on the table' if item.container == TABLE else f'in {item.container}'
    return EntryRequest(
        task=task,
        kind=EntryKind.WORLD_CHANGED,
        snapshot=snapshot,
        action=done.action,
        object_id=item.object_id,
        object_name=item.name,
        code=RESTORED if change.there else '',
        note=f'{item.name} is {place} now; entry {done.entry_id} was the outcome of {done.action}',
    )
