"""The tasks that are known: those of the configuration, and those taught at run time, which are kept over restarts."""

import threading
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import yaml

from lucca_memory.data_folder import DataFolder
from lucca_memory.procedural import ActionSpec, TaskSpec, check_task_name, load_tasks

TAUGHT_FILE = 'taught_tasks.yaml'
"""In the data folder, in the format of `config/tasks.yaml`."""


class TaskBook:
    """Tasks and actions by name. A taught task hides one of the configuration that has its name. Safe to use from
    several threads."""

    def __init__(
        self, tasks: Mapping[str, TaskSpec], actions: Mapping[str, ActionSpec], folder: DataFolder | None = None
    ) -> None:
        """Without a folder, taught tasks last as long as the book.

        Raises:
            ConfigError: the taught tasks of the folder cannot be read; names file, line and reason.
        """
        self.actions = MappingProxyType(dict(actions))
        self._configured = dict(tasks)
        self._folder = folder
        self._lock = threading.Lock()
        self._taught: dict[str, TaskSpec] = {}
        if folder is not None and (file := folder.path / TAUGHT_FILE).exists():
            self._taught = dict(load_tasks(file, actions))

    @property
    def tasks(self) -> Mapping[str, TaskSpec]:
        """All tasks by name: those of the configuration in their order, then those taught."""
        with self._lock:
            return MappingProxyType({**self._configured, **self._taught})

    def get(self, name: str) -> TaskSpec | None:
        """The task of this name, or None."""
        with self._lock:
            return self._taught.get(name) or self._configured.get(name)

    def teach(self, name: str, description: str, actions: Iterable[str] = ()) -> TaskSpec:
        """Adds or replaces a task; it is kept once this returns.

        Args:
            name: empty to have one made.
            description: prose.
            actions: names of the allowed actions; none for all known ones.

        Raises:
            ValueError: the name, the description or an action cannot be; says why.
            MemoryFault: it could not be written; the book is as before.
        """
        allowed = tuple(dict.fromkeys(actions)) or tuple(self.actions)
        for action in allowed:
            if action not in self.actions:
                raise ValueError(f'{action!r} is no action; known are {", ".join(self.actions)}')
        prose = ' '.join(description.split())
        if not prose or not prose.isprintable():
            raise ValueError(f'a task needs a description in printable prose, got {description[:80]!r}')
        with self._lock:
            spec = TaskSpec(
                name=check_task_name(name) if name else self._new_name(), description=prose, actions=allowed
            )
            taught = {**self._taught, spec.name: spec}
            if self._folder is not None:
                self._folder.write_atomically(TAUGHT_FILE, _to_yaml(taught.values()))
            self._taught = taught
        return spec

    def _new_name(self) -> str:
        number = 1
        while f'taught {number}' in self._taught or f'taught {number}' in self._configured:
            number += 1
        return f'taught {number}'


def _to_yaml(tasks: Iterable[TaskSpec]) -> str:
    entries = {item.name: {'description': item.description, 'actions': list(item.actions)} for item in tasks}
    return str(yaml.safe_dump({'tasks': entries}, allow_unicode=True, sort_keys=False, width=120))
