"""Counts of actions that missed their object, until their effect is seen."""

from collections.abc import Mapping
from dataclasses import dataclass

from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_memory.procedural import ActionSpec, EffectKind


@dataclass(slots=True)
class _Miss:
    object_id: str
    times: int = 0
    code: ReasonCode = ReasonCode.EFFECT_NOT_SEEN
    message: str = ''


class MissedActions:
    """Counts the misses of each action until its effect is seen. Objects are identified by id, as names may change."""

    def __init__(self, actions: Mapping[str, ActionSpec]) -> None:
        self._actions = actions
        self._missed: dict[ActionCall, _Miss] = {}

    def add(
        self, call: ActionCall, object_id: str, code: ReasonCode = ReasonCode.EFFECT_NOT_SEEN, message: str = ''
    ) -> int:
        """Counts another miss of an action, with its code and message; returns the number of misses in a row."""
        miss = self._missed.setdefault(call, _Miss(object_id))
        miss.times += 1
        miss.code, miss.message = code, message
        return miss.times

    def waiting(self, most: int) -> set[str]:
        """Names of the objects to leave until all else is done: not reached, or missed at least `most` times."""
        return {
            call.argument
            for call, miss in self._missed.items()
            if miss.code is ReasonCode.UNREACHABLE or miss.times >= most
        }

    def why(self, *, unreachable: bool = False) -> str:
        """What came of the last try of each action that missed, or `unreachable` ones only; empty if none did."""
        return '; '.join(
            miss.message or f'{call}: {miss.code}'
            for call, miss in self._missed.items()
            if not unreachable or miss.code is ReasonCode.UNREACHABLE
        )

    def clear(self, call: ActionCall, object_id: str) -> None:
        """Clears an action whose effect was seen; if the effect lasts, also all other misses with the object."""
        self._missed.pop(call, None)
        action = self._actions.get(call.name)
        if action is not None and action.effect.lasts:
            self._missed = {
                other: miss for other, miss in self._missed.items() if not object_id or miss.object_id != object_id
            }

    def __contains__(self, call: ActionCall) -> bool:
        return call in self._missed

    def unmended(self, snapshot: Snapshot) -> str:
        """The actions that were tried without success, with the place of each object; empty if there are none.

        Effects that do not last cannot be seen, so such actions are left out.
        """
        return '; '.join(
            f'{call} was tried and is not done: {where}'
            for call, miss in self._missed.items()
            if (where := _elsewhere(call, miss.object_id, self._actions.get(call.name), snapshot))
        )


def _elsewhere(call: ActionCall, object_id: str, action: ActionSpec | None, snapshot: Snapshot) -> str:
    if action is None or not action.effect.lasts:
        return ''
    item: TableObject | None = snapshot.object_with_id(object_id) or snapshot.object_named(call.argument)
    if item is None:
        given = action.effect.kind is EffectKind.GIVEN
        return '' if given else f'{call.argument} is not seen any more'
    return '' if item.container == action.effect.container else f'{item.name} is in {item.container}'
