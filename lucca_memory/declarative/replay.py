"""The state of a task, computed from the entries of its log."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lucca_core.codes import ReasonCode
from lucca_core.protocol.entries import RESTART, RESTORED, EntryKind
from lucca_memory.declarative.entry import Entry, SeenObject

_RAN = frozenset({ReasonCode.EFFECT_NOT_SEEN, ReasonCode.HARDWARE_FAULT, ReasonCode.TIMEOUT})
"""Endings of a motion after which the effect may still appear: the motion ran, but its effect was not seen."""

_MOST_BEFORE = 100
"""How many of the newest actions of earlier episodes are kept, so that daily tasks do not accumulate."""


class TaskStatus(StrEnum):
    """Where a task stands."""

    NEW = 'new'
    RUNNING = 'running'
    SUSPENDED = 'suspended'
    FINISHED = 'finished'


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneAction:
    """An action with a verified effect that still holds as far as the log knows. `object_id` is the id in the log,
    `container` where the object was seen when the effect was verified."""

    action: str
    object_id: str
    object_name: str
    entry_id: int
    container: str
    uncertain: bool = False
    verified: bool = True
    """False: the motion ran, but its effect was not seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLogState:
    """The state of a task. All but `known` and `same_as` belong to the last episode, which begins with a `started`
    entry with the code `restart`, or with one after the task was finished."""

    status: TaskStatus = TaskStatus.NEW
    actions_done: tuple[DoneAction, ...] = ()
    """Oldest first; without actions that a changed table has undone."""
    done_before: tuple[DoneAction, ...] = ()
    """Actions of earlier episodes that held when this one began, and were neither repeated in it nor undone by a
    changed table (those are in `reopened`)."""
    reopened: tuple[DoneAction, ...] = ()
    """Actions that are open again, because the table changed or because their motion ran and its effect was not seen.
    If the effect is seen later, they are closed again."""
    open_intent: Entry | None = None
    """The intent without a known outcome."""
    open_object: str = ''
    """Id of the open intent's object in the log."""
    contents: tuple[tuple[str, tuple[str, ...]], ...] = ()
    on_table: tuple[str, ...] = ()
    known: tuple[SeenObject, ...] = ()
    """Every object seen so far, by its id in the log, as last seen."""
    same_as: tuple[tuple[str, str], ...] = ()
    """Ids that perception uses now, mapped to the id in the log; ids that are equal are left out."""
    left: tuple[str, ...] = ()
    """Names of the objects that the last working memory listed as still to do."""
    repeated: int = 0
    """Verified effects that were caused again for the same object while they still held."""
    retries: int = 0
    """Motions repeated after a miss."""
    refusals: int = 0
    uncertain: int = 0
    """Outcomes judged without seeing the whole action."""
    description: str = ''
    """The task's description as a person changed it in this episode; empty if it was not changed."""
    episodes: int = 0
    began_id: int = 0
    """Number of the first entry of the last episode."""
    last_entry_id: int = 0
    stood: TaskStatus = TaskStatus.NEW
    """NEW or FINISHED: the status before the last episode, which returns if that episode is refused."""

    @property
    def undone(self) -> tuple[DoneAction, ...]:
        """Actions whose effect was seen and no longer holds, in the order of the entries that recorded it."""
        return tuple(item for item in self.reopened if item.verified)


def replay(entries: Iterable[Entry]) -> TaskLogState:
    """The state after these entries."""
    return LogReplay(entries).state


def begins_episode(status: TaskStatus, code: str) -> bool:
    """True if a `started` entry with this code begins a new episode."""
    return code == RESTART or status in (TaskStatus.NEW, TaskStatus.FINISHED)


class LogReplay:
    """Replays a growing log. The cost of an entry does not depend on the length of the log or the number of objects;
    the state is built on request."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._flat = TaskLogState()
        """The parts of the state that are replaced as a whole."""
        self._known: dict[str, SeenObject] = {}
        self._same_as: dict[str, str] = {}
        self._done, self._open_again, self._before = _Actions(), _Actions(), _Actions()
        self._state: TaskLogState | None = self._flat
        for entry in entries:
            self.add(entry)

    @property
    def state(self) -> TaskLogState:
        """The state after all entries so far."""
        if self._state is None:
            self._state = replace(
                self._flat,
                actions_done=tuple(sorted(self._done, key=lambda item: item.entry_id)),
                done_before=tuple(self._before),
                reopened=tuple(self._open_again),
                known=tuple(self._known.values()),
                same_as=tuple(self._same_as.items()),
            )
        return self._state

    def add(self, entry: Entry) -> None:
        """Applies one more entry."""
        self._state = None
        flat = self._flat
        if entry.kind is EntryKind.STARTED and begins_episode(flat.status, entry.code):
            earlier = (*self._before, *sorted(self._done, key=lambda item: item.entry_id))
            self._done, self._open_again, self._before = _Actions(), _Actions(), _Actions()
            for action in earlier[-_MOST_BEFORE:]:
                self._before.add(action)
            flat = TaskLogState(
                open_intent=flat.open_intent,
                open_object=flat.open_object,
                episodes=flat.episodes + 1,
                began_id=entry.entry_id,
                stood=TaskStatus.FINISHED if flat.status is TaskStatus.FINISHED else TaskStatus.NEW,
            )
        left = flat.left if entry.left is None else entry.left
        self._flat = replace(flat, last_entry_id=entry.entry_id, left=left)
        self._see(entry)
        match entry.kind:
            case EntryKind.STARTED | EntryKind.RESUMED:
                self._set(status=TaskStatus.RUNNING)
            case EntryKind.SUSPENDED:
                self._set(status=TaskStatus.SUSPENDED)
            case EntryKind.REFUSED:
                self._set(status=TaskStatus.SUSPENDED if self._is_begun else flat.stood)
            case EntryKind.FINISHED:
                # A person's change holds for this execution of the task, not for the next one.
                self._set(status=TaskStatus.FINISHED, description='')
            case EntryKind.CHANGED:
                self._set(description=entry.description)
            case EntryKind.INTENT:
                self._set(status=TaskStatus.RUNNING, open_intent=entry, open_object=self._object_of(entry))
            case EntryKind.WORLD_CHANGED if entry.code == RESTORED:
                self._restored(entry)
            case EntryKind.WORLD_CHANGED:
                self._done.move(self._concerned(self._done, entry), self._open_again)
                self._before.move(self._concerned(self._before, entry), self._open_again)
            case EntryKind.OUTCOME:
                self._outcome(entry)

    @property
    def _is_begun(self) -> bool:
        """Whether anything was done in this episode, or may have been."""
        return bool(self._flat.open_intent) or any(True for of in (self._done, self._open_again) for _ in of)

    def _set(self, **changes: Any) -> None:
        self._flat = replace(self._flat, **changes)

    def _see(self, entry: Entry) -> None:
        if not (entry.seen or entry.contents or entry.on_table):
            return
        for new, old in dict(entry.known_as).items():
            self._same_as[new] = old
        for item in entry.seen:
            own = self._same_as.get(item.object_id, item.object_id)
            self._known[own] = replace(item, object_id=own)
        for new, old in entry.known_as:
            if self._same_as.get(new) == new == old:
                del self._same_as[new]
        self._set(contents=entry.contents, on_table=entry.on_table)

    def _outcome(self, entry: Entry) -> None:
        flat = self._flat
        if entry.refused:
            self._set(refusals=flat.refusals + 1)
            return
        object_id = self._object_of(entry)
        if flat.open_intent is not None and entry.intent_id == flat.open_intent.entry_id:
            # Perception may have been restarted since the intent: use the intent's object, not the id's current one.
            object_id = flat.open_object
            self._set(open_intent=None, open_object='')
        self._set(retries=flat.retries + max(entry.attempts - 1, 0), uncertain=flat.uncertain + entry.uncertain)
        before = self._done.to(object_id)
        seen = self._known.get(object_id)
        done = DoneAction(
            action=entry.action,
            object_id=object_id,
            object_name=entry.object_name,
            entry_id=entry.entry_id,
            container=seen.container if seen else '',
            uncertain=entry.uncertain,
        )
        if not entry.done:
            # Settling after a crash does not move: the motion ran before, so it is no new attempt.
            ran = entry.code == ReasonCode.EFFECT_NOT_SEEN or (entry.code in _RAN and entry.attempts)
            if ran and not before:
                was_so = any(item.verified for item in self._open_again.to(object_id))
                self._open_again.drop(object_id)
                self._open_again.add(replace(done, verified=was_so))
            return
        self._open_again.drop(object_id)
        if before and _name_of(before[-1].action) == _name_of(entry.action):
            self._set(repeated=self._flat.repeated + 1)
        else:
            self._done.add(done)
            self._before.drop(object_id)

    def _restored(self, entry: Entry) -> None:
        found = self._concerned(self._open_again, entry)
        self._open_again.move(found, _Actions())
        for item in found:
            earlier = item.entry_id < self._flat.began_id
            (self._before if earlier else self._done).add(replace(item, verified=True))

    def _concerned(self, actions: '_Actions', entry: Entry) -> list[DoneAction]:
        found = actions.to(self._object_of(entry))
        return [item for item in found if not entry.action or item.action == entry.action]

    def _object_of(self, entry: Entry) -> str:
        return self._same_as.get(entry.object_id, entry.object_id) or entry.object_name


class _Actions:
    """Actions in order, indexed by their object."""

    def __init__(self) -> None:
        self._of: dict[str, list[DoneAction]] = {}
        self._order: dict[DoneAction, None] = {}

    def __iter__(self) -> Iterator[DoneAction]:
        return iter(self._order)

    def to(self, object_id: str) -> list[DoneAction]:
        """The actions of an object, ordered by entry."""
        return self._of.get(object_id, [])

    def add(self, action: DoneAction) -> None:
        self._order[action] = None
        of_object = self._of.setdefault(action.object_id, [])
        of_object.append(action)
        if len(of_object) > 1 and of_object[-2].entry_id > action.entry_id:
            of_object.sort(key=lambda item: item.entry_id)

    def drop(self, object_id: str) -> None:
        """Removes the actions of an object."""
        for action in self._of.pop(object_id, []):
            self._order.pop(action, None)

    def move(self, actions: list[DoneAction], to: '_Actions') -> None:
        """Moves actions of one object to another collection."""
        for action in actions:
            self._order.pop(action, None)
            to.add(action)
        if actions:
            object_id, gone = actions[0].object_id, set(actions)
            self._of[object_id] = [item for item in self._of[object_id] if item not in gone]


def _name_of(action: str) -> str:
    return action.partition('(')[0]
