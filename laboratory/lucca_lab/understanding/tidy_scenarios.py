"""Tidying scenarios in TidyBot's format, and the actions that put objects into the receptacles of a scenario.

Wu et al., "TidyBot: Personalized Robot Assistance with Large Language Models", 2023: a person's notes say what belongs
where; seen objects with their places are examples; the places of unseen objects are the truth.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lucca_core.errors import ConfigError
from lucca_core.yaml_file import load_yaml
from lucca_memory.procedural import ActionSpec, Effect, EffectKind, Motion, Precondition

WORDINGS_FILE = Path(__file__).with_name('tidy_wordings.yaml')
_PLACE = '{receptacle}'
SHIPPED_WORDING = {
    'move_to_{receptacle}': (
        'Grasp an object, carry it over the {receptacle} and let it go there, so that it lies in the {receptacle}.'
    )
}
"""The wording in `config/actions.yaml`."""

_NOT_IN_A_NAME = re.compile(r'[^a-z0-9]+')


@dataclass(frozen=True, slots=True, kw_only=True)
class TidyScenario:
    """One person's way of tidying. `seen` and `unseen` have the right receptacle of each object."""

    index: int
    notes: str
    receptacles: tuple[str, ...]
    seen: Mapping[str, str]
    unseen: Mapping[str, str]


def load_scenarios(file: Path) -> tuple[TidyScenario, ...]:
    """Reads the scenarios of a file, in its order.

    Raises:
        ConfigError: the file cannot be read, or is not in TidyBot's format.
    """
    try:
        entries = yaml.safe_load(file.read_text(encoding='utf-8'))
        return tuple(_scenario(index, entry) for index, entry in enumerate(entries))
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"this is not in the format of TidyBot's scenarios: {error!r}", file=str(file)) from error


def _scenario(index: int, entry: Mapping[str, Any]) -> TidyScenario:
    receptacles = tuple(str(name) for name in entry['receptacles'])
    seen, unseen = (_placements(entry, kind, receptacles) for kind in ('seen', 'unseen'))
    return TidyScenario(
        index=index, notes=str(entry['annotator_notes']), receptacles=receptacles, seen=seen, unseen=unseen
    )


def _placements(entry: Mapping[str, Any], kind: str, receptacles: Sequence[str]) -> Mapping[str, str]:
    names = [str(name) for name in entry[f'{kind}_objects']]
    places = {str(name): str(place) for name, place in entry[f'{kind}_placements']}
    if missing := [name for name in names if name not in places]:
        raise ValueError(f'no placement of {missing[0]!r}')
    if wrong := [place for place in places.values() if place not in receptacles]:
        raise ValueError(f'{wrong[0]!r} is no receptacle of the scenario')
    return {name: places[name] for name in names}


def load_wordings(file: Path = WORDINGS_FILE) -> Mapping[str, Mapping[str, str]]:
    """Reads wordings of the actions: for each wording's name, the description of each action by its name.

    A file has one wording under `actions`, or several under `wordings`. An entry with `{receptacle}` in its name or
    description stands for one action for each receptacle.

    Raises:
        ConfigError: the file cannot be read, or a wording has no action for receptacles.
    """
    document: Any = load_yaml(file)
    try:
        wordings = document['wordings'] if 'wordings' in document else {file.stem: {'actions': document['actions']}}
        found = {
            str(name): {str(call): _description(entry) for call, entry in wording['actions'].items()}
            for name, wording in wordings.items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f'wordings of actions are `actions: {{name: description}}`: {error!r}', file=str(file)
        ) from error
    for name, actions in found.items():
        if not any(_PLACE in f'{call} {description}' for call, description in actions.items()):
            raise ConfigError(f'no action of the wording {name!r} holds {_PLACE}', file=str(file))
    return found


def _description(entry: object) -> str:
    return str(entry['description'] if isinstance(entry, Mapping) else entry)


def tidy_actions(wording: Mapping[str, str], receptacles: Sequence[str]) -> Mapping[str, ActionSpec]:
    """The actions of a wording for some receptacles. An action without `{receptacle}` only points.

    Raises:
        ValueError: two actions would have the same name.
    """
    specs: dict[str, ActionSpec] = {}
    for name, description in wording.items():
        places = receptacles if _PLACE in f'{name} {description}' else ('',)
        for number, place in enumerate(places, 1):
            call = _call_name(name, place, number)
            if call in specs:
                raise ValueError(f'two actions are named {call!r}')
            specs[call] = ActionSpec(
                name=call,
                description=description.replace(_PLACE, place),
                motion=Motion.PICK_AND_PLACE if place else Motion.POINT,
                effect=Effect(EffectKind.CONTAINED, place) if place else Effect(EffectKind.POINTED_AT),
                preconditions=(Precondition.ON_TABLE, Precondition.HAND_FREE),
            )
    return specs


def _call_name(name: str, place: str, number: int) -> str:
    filled = name.replace(_PLACE, place) if _PLACE in name or not place else f'{name}_{number}'
    return _NOT_IN_A_NAME.sub('_', filled.lower()).strip('_')
