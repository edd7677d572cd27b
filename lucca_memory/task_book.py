"""The task book: tasks from the configuration, and tasks taught at run time, which survive restarts.

A task that is taught by name is kept. One that is only described gets a short name and is forgotten some time after its
end (see `task_forgetting.py`).
"""

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType

from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import utc_now
from lucca_memory.procedural import ActionSpec, TaskSpec, check_description, check_task_name
from lucca_memory.taught_tasks import TAUGHT_FILE, Taught, TaughtFiles

__all__ = ['TAUGHT_FILE', 'TaskBook']

_DESCRIBED = re.compile(r'request-(\d{1,9})')
_MOST_LISTED = 40


class TaskBook:
    """Tasks and actions by name. A taught task hides a configured one of the same name. Thread-safe."""

    def __init__(
        self,
        tasks: Mapping[str, TaskSpec],
        actions: Mapping[str, ActionSpec],
        folder: DataFolder | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """Without a folder, taught tasks are kept in memory only.

        Raises:
            ConfigError: the folder's taught tasks cannot be read; names file, line and reason.
        """
        self.actions = MappingProxyType(dict(actions))
        self._configured = dict(tasks)
        self._files = TaughtFiles(folder) if folder is not None else None
        self._now = now
        self._lock = threading.Lock()
        self._taught: dict[str, Taught] = self._files.load(actions) if self._files is not None else {}
        self._described = {
            _words(item.spec.description): name for name, item in self._taught.items() if item.spec.described
        }
        # Names are never reused, as a log that was set aside may belong to one of them.
        had = (
            [path.name.partition('.')[0] for path in folder.tasks_path.glob('request-*')] if folder is not None else []
        )
        numbers = [int(match[1]) for name in (*self._taught, *had) if (match := _DESCRIBED.fullmatch(name))]
        self._next = max(numbers, default=0) + 1

    @property
    def tasks(self) -> Mapping[str, TaskSpec]:
        """All tasks by name: configured ones in their order, then taught ones, and last described ones by time of
        description."""
        with self._lock:
            known = {name: item for name, item in self._taught.items() if not item.spec.described}
            described = sorted(
                (item for item in self._taught.values() if item.spec.described), key=lambda item: item.used
            )
            return MappingProxyType(
                {
                    **self._configured,
                    **{name: item.spec for name, item in known.items()},
                    **{item.spec.name: item.spec for item in described},
                }
            )

    def get(self, name: str) -> TaskSpec | None:
        """The task of this name, or None."""
        with self._lock:
            taught = self._taught.get(name)
            return taught.spec if taught is not None else self._configured.get(name)

    def is_configured(self, name: str) -> bool:
        """True if the configuration has a task of this name."""
        return name in self._configured

    def taught(self, name: str) -> Taught | None:
        """The taught task of this name, or None."""
        with self._lock:
            return self._taught.get(name)

    def described(self) -> tuple[Taught, ...]:
        """The tasks that were taught by description only."""
        with self._lock:
            return tuple(item for item in self._taught.values() if item.spec.described)

    def listed(self) -> str:
        """The names of the tasks for an error message; described ones are only counted."""
        with self._lock:
            names = list(
                dict.fromkeys((*self._configured, *(n for n, t in self._taught.items() if not t.spec.described)))
            )
            described = sum(item.spec.described for item in self._taught.values())
        shown = [name[:40] for name in names[:_MOST_LISTED]]
        more = [f'{len(names) - len(shown)} more'] if len(names) > len(shown) else []
        return ', '.join([*shown, *more, *([f'{described} described'] if described else [])]) or 'none'

    def teach(self, name: str, description: str, actions: Iterable[str] = ()) -> TaskSpec:
        """Adds or replaces a task; it is on the disk when this returns.

        Args:
            name: empty for a task that is only described: an existing one with the same words and actions is used
                again, else it gets a short name.
            description: prose.
            actions: names of the allowed actions; none to allow all.

        Raises:
            ValueError: the name, the description or an action is invalid; says why.
            MemoryFault: it could not be written; the book is unchanged.
        """
        chosen = tuple(dict.fromkeys(actions))
        for action in chosen:
            if action not in self.actions:
                raise ValueError(f'{action[:80]!r} is not an action; known are {", ".join(self.actions)}')
        prose = check_description(description)
        with self._lock:
            made = check_task_name(name) if name else self._name_for(prose, chosen or tuple(self.actions))
            spec = TaskSpec(name=made, description=prose, actions=chosen or tuple(self.actions), described=not name)
            taught = Taught(spec=spec, every_action=not chosen, used=self._now())
            if self._files is not None:
                self._files.write(taught)
            self._give_up_words(made)
            self._taught[made] = taught
            if spec.described:
                self._described[_words(prose)] = made
                self._next = max(self._next, int(match[1]) + 1 if (match := _DESCRIBED.fullmatch(made)) else 0)
        return spec

    def forget(self, name: str) -> None:
        """Removes a taught task; a configured one that it hid is visible again.

        Raises:
            KeyError: no task of this name was taught.
            MemoryFault: it could not be removed from the folder; the book is unchanged.
        """
        with self._lock:
            if name not in self._taught:
                raise KeyError(name)
            if self._files is not None:
                self._files.remove(name)
            self._give_up_words(name)
            del self._taught[name]

    def _give_up_words(self, name: str) -> None:
        old = self._taught.get(name)
        if old is not None and self._described.get(words := _words(old.spec.description)) == name:
            del self._described[words]

    def _name_for(self, prose: str, actions: tuple[str, ...]) -> str:
        known = self._described.get(_words(prose))
        if known is not None and self._taught[known].spec.actions == actions:
            return known
        while (name := f'request-{self._next}') in self._taught or name in self._configured:
            self._next += 1
        return name


def _words(description: str) -> str:
    return ' '.join(description.casefold().split())
