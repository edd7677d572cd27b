"""Sentences about effects of a task that are gone: the tower has fallen, the apple is no longer in box 1."""

from collections.abc import Mapping, Sequence

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import USERS_SIDE
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


def undone_objects(undone: Sequence[str]) -> tuple[str, ...]:
    """The names of the objects of these actions, each once."""
    return tuple(dict.fromkeys(ActionCall.from_text(text).argument for text in undone))


def _sentence(place: str, names: Sequence[str]) -> str:
    several = ', '.join(f'the {name}' for name in names[:-1])
    told = f'{several} and the {names[-1]}' if several else f'the {names[-1]}'
    are = f'{told} {"are" if several else "is"} no longer'
    if place == _TOWER:
        return f'The tower has fallen or was taken apart: {are} on it.'
    return f'{are[0].upper()}{are[1:]} {_at(place)}.'


def _at(place: str) -> str:
    if not place:
        return 'where I had brought it'
    if place == USERS_SIDE:
        return f'at the {place}'
    return f'in {place if place[-1:].isdigit() else f"the {place}"}'
