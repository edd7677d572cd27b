"""Actions that were tried and missed, and those of them whose effect never came about."""

from collections import Counter
from collections.abc import Mapping

from coordinator_node.calls import Call
from lucca_core.values import Snapshot
from lucca_memory.procedural import ActionSpec, EffectKind


class Misses:
    """Counts the misses of each action until its effect is seen."""

    def __init__(self, actions: Mapping[str, ActionSpec]) -> None:
        self._actions = actions
        self._counts: Counter[Call] = Counter()

    def add(self, call: Call) -> int:
        """Counts one more miss of an action; returns how many there have been in a row."""
        self._counts[call] += 1
        return self._counts[call]

    def clear(self, call: Call) -> None:
        """The action's effect was seen."""
        self._counts.pop(call, None)

    def __contains__(self, call: Call) -> bool:
        return call in self._counts

    def unmended(self, snapshot: Snapshot) -> str:
        """What was tried and is not so, with where the object is; empty if there is nothing of the kind.

        Of effects that do not last nothing can be seen, so nothing is said.
        """
        return '; '.join(
            f'{call} was tried and is not done: {where}'
            for call in self._counts
            if (where := _elsewhere(call, self._actions.get(call.name), snapshot))
        )


def _elsewhere(call: Call, action: ActionSpec | None, snapshot: Snapshot) -> str:
    if action is None or not action.effect.lasts:
        return ''
    item = snapshot.object_named(call.argument)
    if item is None:
        given = action.effect.kind is EffectKind.GIVEN
        return '' if given else f'{call.argument} is not seen any more'
    return '' if item.container == action.effect.container else f'{item.name} is in {item.container}'
