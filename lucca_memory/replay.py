"""What a declarative log says about its task, as a pure function of the entries."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce

from lucca_core.codes import ReasonCode
from lucca_memory.entry import RESTART, RESTORED, Entry, EntryKind, SeenObject

_RAN = frozenset({ReasonCode.EFFECT_NOT_SEEN, ReasonCode.HARDWARE_FAULT, ReasonCode.TIMEOUT})
"""Ends of a motion after which the effect may yet be there: the arm came to it, and nobody looked, or too early."""


class TaskStatus(StrEnum):
    """Where a task stands."""

    NEW = 'new'
    RUNNING = 'running'
    SUSPENDED = 'suspended'
    FINISHED = 'finished'


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneAction:
    """An action whose effect was verified and still holds as far as the log knows. `object_id` is the id by which the
    log knows the object, `container` where the object was seen when the effect was verified."""

    action: str
    object_id: str
    object_name: str
    entry_id: int
    container: str
    uncertain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLogState:
    """The state of a task. Everything but `known` and `same_as` belongs to its last episode: a `started` entry with the
    code `restart`, or one after the task was finished, begins a new one."""

    status: TaskStatus = TaskStatus.NEW
    actions_done: tuple[DoneAction, ...] = ()
    """Oldest first; without those that a changed world has opened again."""
    reopened: tuple[DoneAction, ...] = ()
    """Those that are open though they were done once or attempted: a changed world has opened them again, or their motion
    ran and its effect was not seen. Seen on the table later, the effect closes them."""
    open_intent: Entry | None = None
    """The intent whose outcome is not known."""
    open_object: str = ''
    """The id by which the log knows the object of the open intent."""
    contents: tuple[tuple[str, tuple[str, ...]], ...] = ()
    on_table: tuple[str, ...] = ()
    known: tuple[SeenObject, ...] = ()
    """Every object that an entry has seen, by its first id, as it stood when last seen."""
    same_as: tuple[tuple[str, str], ...] = ()
    """Ids that perception gives now, each with the id by which the log knows the object; an id not here is its own."""
    left: tuple[str, ...] = ()
    """Names of the objects that the last working memory before the last entry listed as still to do."""
    repeated: int = 0
    """Verified effects caused again for the same object while they still held."""
    retries: int = 0
    """Motions tried again after a miss."""
    refusals: int = 0
    uncertain: int = 0
    """Outcomes judged without having seen the whole action."""
    episodes: int = 0
    last_entry_id: int = 0

    def known_id(self, object_id: str) -> str:
        """The id by which the log knows the object that perception now calls `object_id`."""
        return dict(self.same_as).get(object_id, object_id)

    def done_to(self, object_id: str) -> tuple[DoneAction, ...]:
        """What was done to an object, by the id that the log knows it by."""
        return tuple(item for item in self.actions_done if item.object_id == object_id)


def replay(entries: Iterable[Entry]) -> TaskLogState:
    """The state after these entries."""
    return reduce(advance, entries, TaskLogState())


def advance(state: TaskLogState, entry: Entry) -> TaskLogState:
    """The state after one more entry."""
    if entry.kind is EntryKind.STARTED and _begins_episode(state, entry):
        state = TaskLogState(
            open_intent=state.open_intent,
            open_object=state.open_object,
            known=state.known,
            same_as=state.same_as,
            episodes=state.episodes + 1,
        )
    left = state.left if entry.left is None else entry.left
    state = replace(_see(state, entry), last_entry_id=entry.entry_id, left=left)
    match entry.kind:
        case EntryKind.STARTED | EntryKind.RESUMED:
            return replace(state, status=TaskStatus.RUNNING)
        case EntryKind.SUSPENDED:
            return replace(state, status=TaskStatus.SUSPENDED)
        case EntryKind.FINISHED:
            return replace(state, status=TaskStatus.FINISHED)
        case EntryKind.INTENT:
            return replace(state, status=TaskStatus.RUNNING, open_intent=entry, open_object=_object_of(state, entry))
        case EntryKind.WORLD_CHANGED:
            return _restored(state, entry) if entry.code == RESTORED else _reopened(state, entry)
        case EntryKind.OUTCOME:
            return _outcome(state, entry)


def _begins_episode(state: TaskLogState, entry: Entry) -> bool:
    return entry.code == RESTART or state.status in (TaskStatus.NEW, TaskStatus.FINISHED)


def _see(state: TaskLogState, entry: Entry) -> TaskLogState:
    if not (entry.seen or entry.contents or entry.on_table):
        return state
    same_as = {**dict(state.same_as), **dict(entry.known_as)}
    known = {item.object_id: item for item in state.known}
    for item in entry.seen:
        own = same_as.get(item.object_id, item.object_id)
        known[own] = replace(item, object_id=own)
    return replace(
        state,
        contents=entry.contents,
        on_table=entry.on_table,
        known=tuple(known.values()),
        same_as=tuple((new, old) for new, old in same_as.items() if new != old),
    )


def _outcome(state: TaskLogState, entry: Entry) -> TaskLogState:
    if entry.refused:
        return replace(state, refusals=state.refusals + 1)
    object_id = _object_of(state, entry)
    if state.open_intent is not None and entry.intent_id == state.open_intent.entry_id:
        # Perception may have been restarted since the intent, so its own object counts and not what the id means now.
        object_id = state.open_object
        state = replace(state, open_intent=None, open_object='')
    state = replace(
        state,
        retries=state.retries + max(entry.attempts - 1, 0),
        uncertain=state.uncertain + entry.uncertain,
    )
    before = state.done_to(object_id)
    done = DoneAction(
        action=entry.action,
        object_id=object_id,
        object_name=entry.object_name,
        entry_id=entry.entry_id,
        container=next((item.container for item in state.known if item.object_id == object_id), ''),
        uncertain=entry.uncertain,
    )
    if not entry.done:
        # Settling after a crash looks without moving: its motion ran before, though it counts no attempt of its own.
        ran = entry.code == ReasonCode.EFFECT_NOT_SEEN or (entry.code in _RAN and entry.attempts)
        if not ran or before:
            return state
        others = tuple(item for item in state.reopened if item.object_id != object_id)
        return replace(state, reopened=(*others, done))
    repeats = bool(before) and _name_of(before[-1].action) == _name_of(entry.action)
    state = replace(state, reopened=tuple(item for item in state.reopened if item.object_id != object_id))
    if repeats:
        return replace(state, repeated=state.repeated + 1)
    return replace(state, actions_done=(*state.actions_done, done))


def _reopened(state: TaskLogState, entry: Entry) -> TaskLogState:
    undone = tuple(item for item in state.actions_done if _concerns(state, entry, item))
    still_done = tuple(item for item in state.actions_done if item not in undone)
    return replace(state, actions_done=still_done, reopened=(*state.reopened, *undone))


def _restored(state: TaskLogState, entry: Entry) -> TaskLogState:
    again = tuple(item for item in state.reopened if _concerns(state, entry, item))
    still_open = tuple(item for item in state.reopened if item not in again)
    done = sorted((*state.actions_done, *again), key=lambda item: item.entry_id)
    return replace(state, actions_done=tuple(done), reopened=still_open)


def _concerns(state: TaskLogState, entry: Entry, done: DoneAction) -> bool:
    return done.object_id == _object_of(state, entry) and (not entry.action or done.action == entry.action)


def _object_of(state: TaskLogState, entry: Entry) -> str:
    return state.known_id(entry.object_id) or entry.object_name


def _name_of(action: str) -> str:
    return action.partition('(')[0]
