"""Differences between the effects recorded in a log and the table as it is seen now."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lucca_core.protocol.snapshots import TABLE, TableObject
from lucca_memory.declarative.replay import DoneAction, TaskLogState
from lucca_memory.procedural import Effect, EffectKind

EffectOf = Callable[[str], Effect | None]
"""Returns the declared effect of an action's text; None for an unknown action."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChange:
    """One difference. `item` is the object as seen now; `there` is true if a missing effect is back."""

    done: DoneAction
    item: TableObject
    there: bool


def changes(state: TaskLogState, now: Mapping[str, TableObject], effect_of: EffectOf) -> tuple[TableChange, ...]:
    """The differences between a log's recorded effects and what is seen.

    An effect counts as gone only if its object is seen elsewhere. A hidden or absent object may still be where it was,
    and the object of an open intent may be anywhere.

    Args:
        state: of the log.
        now: the objects of the snapshot, by their ids in the log.
        effect_of: returns the effect of an action.
    """
    gone = [
        TableChange(done=done, item=item, there=False)
        for done in (*state.actions_done, *state.done_before)
        if (item := _seen(state, now, done)) is not None and _is_gone(done, item, effect_of)
    ]
    there = [
        TableChange(done=done, item=item, there=True)
        for done in state.reopened
        if (item := _seen(state, now, done)) is not None and item.container == _expected(done, effect_of)
    ]
    return (*gone, *there)


def _seen(state: TaskLogState, now: Mapping[str, TableObject], done: DoneAction) -> TableObject | None:
    return None if done.object_id == state.open_object else now.get(done.object_id)


def _is_gone(done: DoneAction, item: TableObject, effect_of: EffectOf) -> bool:
    if not item.visible or item.inferred:
        return False
    effect = effect_of(done.action)
    if effect is not None and effect.kind is EffectKind.GIVEN:
        return item.container == TABLE
    expected = _expected(done, effect_of)
    return bool(expected) and item.container != expected


def _expected(done: DoneAction, effect_of: EffectOf) -> str:
    """The container in which an object should be seen; empty if the effect does not last."""
    effect = effect_of(done.action)
    container = effect.container if effect else done.container
    return '' if container == TABLE else container
