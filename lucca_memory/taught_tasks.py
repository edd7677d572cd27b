"""The files of tasks taught at run time: one per task, so that the cost of teaching does not grow with their number.

DATA/taught/NAME.json    one task
DATA/taught_tasks.yaml   all tasks, as written by earlier versions; still read, and rewritten only to remove one
"""

import json
import logging
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from lucca_core.errors import ConfigError, MemoryFault
from lucca_core.json_text import parse_json
from lucca_core.regular_file import read_regular, sync_folder
from lucca_memory.data_folder import DataFolder, file_name
from lucca_memory.procedural import ActionSpec, TaskSpec, check_description, check_task_name, load_tasks

TAUGHT_FOLDER = 'taught'
TAUGHT_FILE = 'taught_tasks.yaml'
"""File in the data folder, in the format of `config/tasks.yaml`."""

_EARLIER_DESCRIBED = re.compile(r'described-[0-9a-f]{8}')
_KEYS = frozenset({'task', 'description', 'actions', 'described', 'used'})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A taught task. `every_action`: all actions are allowed; `used`: when it was last taught or described."""

    spec: TaskSpec
    every_action: bool = False
    used: datetime = field(default_factory=lambda: datetime.now(UTC))


class TaughtFiles:
    """The taught tasks of a data folder. Not thread-safe."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._path = folder.path / TAUGHT_FOLDER
        self._earlier: dict[str, TaskSpec] = {}

    def load(self, actions: Mapping[str, ActionSpec]) -> dict[str, Taught]:
        """All taught tasks by name. Tasks of earlier versions that are too long for a prompt are left out.

        Raises:
            ConfigError: a file cannot be read, or names an unknown action; names file and reason.
        """
        found: dict[str, Taught] = {}
        file = self._folder.path / TAUGHT_FILE
        if os.path.lexists(file):
            self._earlier = dict(load_tasks(file, actions, bounded=False))
            used = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            for name, spec in self._earlier.items():
                try:
                    check_task_name(name)
                    check_description(spec.description)
                except ValueError as error:
                    _log.warning('%s: a task is not used: %s', file, error)
                    continue
                described = _EARLIER_DESCRIBED.fullmatch(name) is not None
                found[name] = Taught(spec=replace(spec, described=described), used=used)
        for path in sorted(self._path.glob('*.json')):
            taught = _read(path, actions)
            found[taught.spec.name] = taught
        return found

    def write(self, taught: Taught) -> None:
        """Stores a task; it is on the disk when this returns.

        Raises:
            MemoryFault: it could not be written; the old version is unchanged.
        """
        spec = taught.spec
        entry = {
            'task': spec.name,
            'description': spec.description,
            'actions': [] if taught.every_action else list(spec.actions),
            'described': spec.described,
            'used': taught.used.isoformat(),
        }
        try:
            if not self._path.exists():
                self._folder.check_lock()
                self._path.mkdir(mode=0o700)
                sync_folder(self._folder.path)
            self._folder.write_atomically(
                f'{TAUGHT_FOLDER}/{file_name(spec.name)}.json', json.dumps(entry, ensure_ascii=False, indent=1) + '\n'
            )
            sync_folder(self._path)
        except OSError as error:
            raise MemoryFault(f'{self._path} could not be written: {error}') from error

    def remove(self, name: str) -> None:
        """Removes a task from the file that has it.

        Raises:
            MemoryFault: it could not be removed.
        """
        self._folder.check_lock()
        try:
            if name in self._earlier:
                left = {key: spec for key, spec in self._earlier.items() if key != name}
                if left:
                    self._folder.write_atomically(TAUGHT_FILE, to_yaml(left.values()))
                else:
                    (self._folder.path / TAUGHT_FILE).unlink(missing_ok=True)
                    sync_folder(self._folder.path)
                self._earlier = left
            path = self._path / f'{file_name(name)}.json'
            if path.exists():
                path.unlink()
                sync_folder(self._path)
        except OSError as error:
            raise MemoryFault(f'the task {name!r} could not be removed from {self._folder.path}: {error}') from error


def to_yaml(tasks: Iterable[TaskSpec]) -> str:
    """Tasks in the format of `config/tasks.yaml`."""
    entries = {item.name: {'description': item.description, 'actions': list(item.actions)} for item in tasks}
    return str(yaml.safe_dump({'tasks': entries}, allow_unicode=True, sort_keys=False, width=120))


def _read(path: Path, actions: Mapping[str, ActionSpec]) -> Taught:
    try:
        value = parse_json(read_regular(path).decode())
        return _taught(value, actions)
    except (OSError, ValueError) as error:
        raise ConfigError(f'is not a taught task: {error}', file=str(path)) from error


def _taught(value: Any, actions: Mapping[str, ActionSpec]) -> Taught:
    if not isinstance(value, dict) or set(value) != _KEYS:
        raise ValueError(f'it should have {", ".join(sorted(_KEYS))}')
    if not all(isinstance(value[key], str) for key in ('task', 'description', 'used')):
        raise ValueError('task, description and used should be texts')
    names = value['actions']
    if not isinstance(names, list) or not isinstance(value['described'], bool):
        raise ValueError('actions should be a list and described true or false')
    if unknown := [name for name in names if not isinstance(name, str) or name not in actions]:
        raise ValueError(f'{unknown[0]!r} is not an action; known are {", ".join(actions)}')
    used = datetime.fromisoformat(value['used'])
    if used.utcoffset() is None:
        raise ValueError(f'used must have a time zone, got {value["used"]!r}')
    spec = TaskSpec(
        name=check_task_name(value['task']),
        description=check_description(value['description']),
        actions=tuple(names) or tuple(actions),
        described=value['described'],
    )
    return Taught(spec=spec, every_action=not names, used=used)
