"""Procedural memory: the tasks and actions that people describe in YAML.

A task is prose and the names of its allowed actions. An action is data: its motion, effect and preconditions. Which
object needs which action follows from the prose alone and is not recorded here ("Robots Can Multitask Too", section
III-D, calls these the task and action specifications).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_core.yaml_file import LocatedMapping, load_yaml


class Motion(StrEnum):
    """How the arm moves."""

    POINT = 'point'
    GIVE = 'give'
    PICK_AND_PLACE = 'pick_and_place'


class EffectKind(StrEnum):
    """What an action changes: the object is in a container, was pointed at (nothing lasts), or is with the user."""

    CONTAINED = 'contained'
    POINTED_AT = 'pointed_at'
    GIVEN = 'given'


class Precondition(StrEnum):
    """A condition for starting an action; the gate checks it."""

    ON_TABLE = 'on_table'
    HAND_FREE = 'hand_free'
    CONTAINER_PRESENT = 'container_present'
    REACHABLE = 'reachable'


class Lane(StrEnum):
    """A resource that an action occupies while it runs. Declared and checked here; nothing schedules by it yet."""

    ARM = 'arm'
    HEAD = 'head'
    VOICE = 'voice'


class Confirm(StrEnum):
    """Whether a person has to confirm each call of an action."""

    NEVER = 'never'
    ALWAYS = 'always'


_EFFECTS_OF_MOTION = {
    Motion.POINT: (EffectKind.POINTED_AT,),
    Motion.GIVE: (EffectKind.GIVEN,),
    Motion.PICK_AND_PLACE: (EffectKind.CONTAINED, EffectKind.GIVEN),
}

MOST_NAME_CHARS = 80
MOST_DESCRIPTION_CHARS = 2000
"""Names and descriptions of tasks become part of prompts, so their length is limited."""

_MOST_RAW_CHARS = 4 * MOST_DESCRIPTION_CHARS

RESERVED_CALLS = frozenset({'retrieve_declarative_memory', 'retrieve_working_memory', 'finish_task', 'cannot_do'})
"""Calls that are not actions; no action may have one of these names."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an action. `container` is empty for `pointed_at`, which leaves the object where it is."""

    kind: EffectKind
    container: str = ''

    @property
    def lasts(self) -> bool:
        """True if the effect remains visible on the table."""
        return self.kind is not EffectKind.POINTED_AT


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSpec:
    """An action of the robot, called as `<name(object)>`."""

    name: str
    description: str
    motion: Motion
    effect: Effect
    preconditions: tuple[Precondition, ...] = ()
    lanes: tuple[Lane, ...] = (Lane.ARM,)
    confirm: Confirm = Confirm.NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """A task: its name, prose, and the names of its allowed actions."""

    name: str
    description: str
    actions: tuple[str, ...]
    described: bool = False
    """Taught by description only: the name was generated, and the task is forgotten some time after its end."""


def load_actions(path: Path | None = None) -> Mapping[str, ActionSpec]:
    """The actions of a YAML file by name, in the file's order; by default those of `config/actions.yaml`.

    Raises:
        ConfigError: the file is invalid; names file, line and reason.
    """
    file = path or config_dir() / 'actions.yaml'
    document = load_yaml(file)
    try:
        specs = {
            name: _action(name, entry, line)
            for name, (entry, line) in _named_entries(document, 'actions', 'an action').items()
        }
    except ConfigError as error:
        raise ConfigError(error.reason, file=str(file), line=error.line) from error
    return MappingProxyType(specs)


def load_tasks(
    path: Path | None = None, actions: Mapping[str, ActionSpec] | None = None, *, bounded: bool = True
) -> Mapping[str, TaskSpec]:
    """The tasks of a YAML file by name, in the file's order; by default those of `config/tasks.yaml`.

    Args:
        path: the file.
        actions: the actions that a task may name; by default those of `actions.yaml` beside the file.
        bounded: refuse names and descriptions that are too long; false for files of earlier versions.

    Raises:
        ConfigError: the file is invalid; names file, line and reason.
    """
    file = path or config_dir() / 'tasks.yaml'
    known = load_actions(file.with_name('actions.yaml')) if actions is None else actions
    document = load_yaml(file)
    try:
        specs = {
            name: _task(name, entry, line, known, bounded=bounded)
            for name, (entry, line) in _named_entries(document, 'tasks', 'a task').items()
        }
    except ConfigError as error:
        raise ConfigError(error.reason, file=str(file), line=error.line) from error
    return MappingProxyType(specs)


def check_task_name(name: str) -> str:
    """Returns the name if a model can write it in a call such as `<finish_task(name)>`.

    Raises:
        ValueError: it is empty or too long, begins or ends with a space, or contains brackets or unprintable
            characters.
    """
    if len(name) > MOST_NAME_CHARS:
        raise ValueError(f'a task name has {MOST_NAME_CHARS} characters at most, got {len(name)}: {name[:40]!r}…')
    return _checked_name(name)


def check_description(description: str) -> str:
    """Returns the description on one line.

    Raises:
        ValueError: it is empty or too long, or contains unprintable characters.
    """
    # Checked before any processing, since untrusted text may have any length.
    if len(description) > _MOST_RAW_CHARS or len(prose := ' '.join(description.split())) > MOST_DESCRIPTION_CHARS:
        raise ValueError(
            f'the description of a task has {MOST_DESCRIPTION_CHARS} characters at most, got {len(description)}'
        )
    if not prose or not prose.isprintable():
        raise ValueError(f'a task needs a description in printable prose, got {description[:80]!r}')
    return prose


def _checked_name(name: str) -> str:
    if not name or name != name.strip():
        raise ValueError(f'a task needs a name without spaces around it, got {name[:80]!r}')
    if not name.isprintable() or set(name) & set('<>()'):
        raise ValueError(f'a task name is one printable line without <, >, ( or ), got {name[:80]!r}')
    return name


def _action(name: str, entry: LocatedMapping, line: int) -> ActionSpec:
    if not name.isidentifier() or not name.isascii():
        raise ConfigError(f'an action name is ASCII letters, digits and _, got {name!r}', line=line)
    if name in RESERVED_CALLS:
        raise ConfigError(f'{name!r} is a call of its own and cannot be an action', line=line)
    _check_keys(
        entry, {'description', 'motion', 'effect'}, {'preconditions', 'lanes', 'confirm'}, f'action {name!r}', line
    )
    motion = _one_of(Motion, entry['motion'], f'motion of {name!r}', entry.line_of('motion'))
    effect = _effect(name, entry['effect'], entry.line_of('effect'))
    if effect.kind not in _EFFECTS_OF_MOTION[motion]:
        allowed = ' or '.join(_EFFECTS_OF_MOTION[motion])
        raise ConfigError(
            f'motion {str(motion)!r} of {name!r} cannot bring about {str(effect.kind)!r}, only {allowed}',
            line=entry.line_of('effect'),
        )
    preconditions = _several_of(Precondition, entry, 'preconditions', name, default=())
    if Precondition.CONTAINER_PRESENT in preconditions and not effect.container:
        raise ConfigError(
            f'precondition container_present of {name!r} needs an effect with a container',
            line=entry.line_of('preconditions'),
        )
    lanes = _several_of(Lane, entry, 'lanes', name, default=(Lane.ARM,))
    confirm = _one_of(Confirm, entry.get('confirm', 'never'), f'confirm of {name!r}', entry.line_of('confirm'))
    return ActionSpec(
        name=name,
        description=_text(entry, 'description', f'action {name!r}'),
        motion=motion,
        effect=effect,
        preconditions=preconditions,
        lanes=lanes,
        confirm=confirm,
    )


def _effect(name: str, value: Any, line: int) -> Effect:
    if not isinstance(value, LocatedMapping):
        raise ConfigError(f'effect of {name!r} must be a mapping with kind and container, got {value!r}', line=line)
    _check_keys(value, {'kind'}, {'container'}, f'effect of {name!r}', line)
    kind = _one_of(EffectKind, value['kind'], f'effect kind of {name!r}', value.line_of('kind'))
    container = value.get('container', '')
    container_line = value.line_of('container')
    if 'container' in value and not _is_line(container):
        raise ConfigError(f'container of {name!r} must be one line of text, got {container!r}', line=container_line)
    if kind is EffectKind.POINTED_AT and container:
        raise ConfigError(f'effect pointed_at of {name!r} has no container, got {container!r}', line=container_line)
    if kind is EffectKind.CONTAINED and not container:
        raise ConfigError(f'effect contained of {name!r} needs a container', line=container_line)
    if kind is EffectKind.GIVEN and not container:
        container = USERS_SIDE
    return Effect(kind, container)


def _task(name: str, entry: LocatedMapping, line: int, actions: Mapping[str, ActionSpec], *, bounded: bool) -> TaskSpec:
    try:
        check_task_name(name) if bounded else _checked_name(name)
    except ValueError as error:
        raise ConfigError(str(error), line=line) from error
    _check_keys(entry, {'description', 'actions'}, set(), f'task {name!r}', line)
    names = _text_list(entry, 'actions', f'task {name!r}')
    names_line = entry.line_of('actions')
    if not names:
        raise ConfigError(f'task {name!r} allows no action; known are {", ".join(actions)}', line=names_line)
    for action in names:
        if action not in actions:
            raise ConfigError(
                f'task {name!r} allows {action!r}, which is not an action; known are {", ".join(actions)}',
                line=names_line,
            )
    description = _text(entry, 'description', f'task {name!r}')
    if bounded and len(description) > MOST_DESCRIPTION_CHARS:
        raise ConfigError(
            f'description of task {name!r} has {len(description)} characters; {MOST_DESCRIPTION_CHARS} at most fit',
            line=entry.line_of('description'),
        )
    return TaskSpec(name=name, description=description, actions=names)


def _named_entries(document: LocatedMapping, key: str, what: str) -> dict[str, tuple[LocatedMapping, int]]:
    _check_keys(document, {key}, set(), 'the file', 1)
    section = document[key]
    if not isinstance(section, LocatedMapping):
        raise ConfigError(f'{key} must map names to entries, got {section!r}', line=document.line_of(key))
    if not section:
        raise ConfigError(f'{key} is empty; it needs {what} at least', line=document.line_of(key))
    for name, entry in section.items():
        if not isinstance(entry, LocatedMapping):
            raise ConfigError(f'{what} must be a mapping, {name!r} is {entry!r}', line=section.line_of(name))
    return {name: (entry, section.line_of(name)) for name, entry in section.items()}


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and value == value.strip() and value.isprintable()


def _check_keys(entry: LocatedMapping, required: set[str], optional: set[str], what: str, line: int) -> None:
    for key in entry:
        if key not in required | optional:
            known = ', '.join(sorted(required | optional))
            raise ConfigError(f'{what} has no {key!r}; it has {known}', line=entry.line_of(key))
    for key in sorted(required):
        if key not in entry:
            raise ConfigError(f'{what} lacks {key!r}', line=line)


def _text(entry: LocatedMapping, key: str, what: str) -> str:
    value = entry[key]
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f'{key} of {what} must be text, got {value!r}', line=entry.line_of(key))
    return value.strip()


def _text_list(entry: LocatedMapping, key: str, what: str) -> tuple[str, ...]:
    value = entry[key]
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ConfigError(f'{key} of {what} must be a list of names, got {value!r}', line=entry.line_of(key))
    if len(set(value)) != len(value):
        raise ConfigError(f'{key} of {what} names something twice: {value!r}', line=entry.line_of(key))
    return tuple(value)


EnumT = TypeVar('EnumT', bound=StrEnum)


def _one_of(choices: type[EnumT], value: Any, what: str, line: int) -> EnumT:
    try:
        return choices(value)
    except ValueError as error:
        raise ConfigError(f'{what} must be one of {", ".join(choices)}, got {value!r}', line=line) from error


def _several_of(
    choices: type[EnumT], entry: LocatedMapping, key: str, name: str, *, default: tuple[EnumT, ...]
) -> tuple[EnumT, ...]:
    if key not in entry:
        return default
    values = _text_list(entry, key, f'action {name!r}')
    return tuple(_one_of(choices, value, f'{key} of {name!r}', entry.line_of(key)) for value in values)
