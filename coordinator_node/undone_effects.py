"""Sentences about effects of a task that are gone: the tower has fallen, the apple is no longer in box 1."""

from collections.abc import Mapping, Sequence

from lucca_core.english import and_list, at_place
from lucca_core.protocol.actions import ActionCall
from lucca_memory.procedural import ActionSpec

_TOWER = 'tower'


def undone_in_words(undone: Sequence[str], actions: Mapping[str, ActionSpec]) -> str:
    """Tells a person that the effects of actions (given as text) are gone: one sentence for each place."""
    by_place: dict[str, list[str]] = {}
    for text in undone:
        call = ActionCall.from_text(text)
        spec = actions.get(call.name)
        by_place.setdefault(spec.effect.container if spec else '', []).append(call.argument)
    return ' '.join(_sentence(place, names) for place, names in by_place.items())


def _sentence(place: str, names: Sequence[str]) -> str:
    told = and_list([f'the {name}' for name in names])
    are = f'{told} {"are" if len(names) > 1 else "is"} no longer'
    if place == _TOWER:
        return f'The tower has fallen or was taken apart: {are} on it.'
    return f'{are[0].upper()}{are[1:]} {at_place(place) if place else "where I had brought it"}.'
