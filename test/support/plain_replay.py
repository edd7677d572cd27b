"""A plain reference implementation of log replay: each entry makes a new state. lucca_memory's must agree with it."""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from lucca_core.codes import ReasonCode
from lucca_core.protocol.entries import RESTART, RESTORED, EntryKind
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.replay import DoneAction, TaskLogState, TaskStatus

_RAN = frozenset({ReasonCode.EFFECT_NOT_SEEN, ReasonCode.HARDWARE_FAULT, ReasonCode.TIMEOUT})
_MOST_BEFORE = 100


def plain_replay(entries: Iterable[Entry]) -> TaskLogState:
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
            done_before=tuple(dict.fromkeys((*state.done_before, *state.actions_done)[-_MOST_BEFORE:])),
            episodes=state.episodes + 1,
            began_id=entry.entry_id,
            stood=TaskStatus.FINISHED if state.status is TaskStatus.FINISHED else TaskStatus.NEW,
        )
    left = state.left if entry.left is None else entry.left
    state = replace(_see(state, entry), last_entry_id=entry.entry_id, left=left)
    match entry.kind:
        case EntryKind.STARTED | EntryKind.RESUMED:
            return replace(state, status=TaskStatus.RUNNING)
        case EntryKind.SUSPENDED:
            return replace(state, status=TaskStatus.SUSPENDED)
        case EntryKind.REFUSED:
            begun = state.actions_done or state.reopened or state.open_intent
            return replace(state, status=TaskStatus.SUSPENDED if begun else state.stood)
        case EntryKind.FINISHED:
            return replace(state, status=TaskStatus.FINISHED, description='')
        case EntryKind.CHANGED:
            return replace(state, description=entry.description)
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
    before = tuple(item for item in state.actions_done if item.object_id == object_id)
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
        was_so = any(item.object_id == object_id and item.verified for item in state.reopened)
        others = tuple(item for item in state.reopened if item.object_id != object_id)
        return replace(state, reopened=(*others, replace(done, verified=was_so)))
    repeats = bool(before) and _name_of(before[-1].action) == _name_of(entry.action)
    state = replace(state, reopened=tuple(item for item in state.reopened if item.object_id != object_id))
    if repeats:
        return replace(state, repeated=state.repeated + 1)
    before_this = tuple(item for item in state.done_before if item.object_id != object_id)
    return replace(state, actions_done=(*state.actions_done, done), done_before=before_this)


def _reopened(state: TaskLogState, entry: Entry) -> TaskLogState:
    undone = tuple(item for item in state.actions_done if _concerns(state, entry, item))
    still_done = tuple(item for item in state.actions_done if item not in undone)
    earlier = tuple(item for item in state.done_before if _concerns(state, entry, item))
    still_before = tuple(item for item in state.done_before if item not in earlier)
    reopened = tuple(dict.fromkeys((*state.reopened, *undone, *earlier)))
    return replace(state, actions_done=still_done, done_before=still_before, reopened=reopened)


def _restored(state: TaskLogState, entry: Entry) -> TaskLogState:
    again = tuple(item for item in state.reopened if _concerns(state, entry, item))
    still_open = tuple(item for item in state.reopened if item not in again)
    seen = [replace(item, verified=True) for item in again]
    now = [item for item in seen if item.entry_id >= state.began_id]
    before = [item for item in seen if item.entry_id < state.began_id]
    done = sorted((*state.actions_done, *now), key=lambda item: item.entry_id)
    return replace(state, actions_done=tuple(done), done_before=(*state.done_before, *before), reopened=still_open)


def _concerns(state: TaskLogState, entry: Entry, done: DoneAction) -> bool:
    return done.object_id == _object_of(state, entry) and (not entry.action or done.action == entry.action)


def _object_of(state: TaskLogState, entry: Entry) -> str:
    return dict(state.same_as).get(entry.object_id, entry.object_id) or entry.object_name


def _name_of(action: str) -> str:
    return action.partition('(')[0]
