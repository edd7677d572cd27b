"""The definitions of tasks, from the file or as taught since, and the choice of tasks that prompts list."""

import re
from collections.abc import Mapping, Sequence

from lucca_core.protocol.tasks import TaskState
from lucca_memory.procedural import ActionSpec, TaskSpec

_UNFINISHED_SHOWN = 3
_MOST_LISTED = 40
_WORD = re.compile(r'[^\W_]+')


def spoken_name(task: TaskSpec) -> str:
    """What a person calls a task: its name, or its description if it has no other name."""
    return f'“{task.description.strip().rstrip(".")}”' if task.described else task.name


def for_conversation(tasks: Sequence[TaskState], said: str) -> tuple[TaskState, ...]:
    """The tasks that the prompt of a conversation lists: all named tasks, and a few that are known only by a
    description.

    Of the latter it lists those that `said` names or repeats word for word, and the newest running or suspended ones,
    as "go on" may mean them. At most three of each kind are listed, however many there are.
    """
    words = _words(said)
    unfinished = [item.task for item in tasks if item.described and item.status in ('running', 'suspended')]
    shown = {*unfinished[-_UNFINISHED_SHOWN:]}
    meant = [item.task for item in tasks if item.described and _is_said(item, words)]
    shown |= {*meant[-_UNFINISHED_SHOWN:]}
    return tuple(item for item in tasks if not item.described or item.task in shown)


def listed(tasks: Sequence[TaskState]) -> str:
    """The names of tasks for an error message; tasks without a name of their own are only counted."""
    named = [item.task[:40] for item in tasks if not item.described]
    described = sum(item.described for item in tasks)
    more = [f'{len(named) - _MOST_LISTED} more'] if len(named) > _MOST_LISTED else []
    return ', '.join([*named[:_MOST_LISTED], *more, *([f'{described} described'] if described else [])]) or 'none'


def _words(text: str) -> str:
    return f' {" ".join(_WORD.findall(text.casefold()))} '


def _is_said(task: TaskState, words: str) -> bool:
    return _words(task.task) in words or _words(task.description) == words


class TaskDefinitions:
    """Tasks and actions as the prompts need them."""

    def __init__(self, tasks: Mapping[str, TaskSpec], actions: Mapping[str, ActionSpec]) -> None:
        self.actions = actions
        self._tasks = dict(tasks)

    def spec(self, status: TaskState) -> TaskSpec:
        """The definition of a task. Memory's description and actions win, as tasks can be taught again."""
        known = self._tasks.get(status.task)
        if known is not None and not status.description:
            return known
        actions = status.actions or (known.actions if known is not None else tuple(self.actions))
        return TaskSpec(name=status.task, description=status.description, actions=actions, described=status.described)

    def for_prompt(self, current: TaskSpec) -> tuple[TaskSpec, ...]:
        """The tasks of the base prompt: those of the file, in its order, and the current one."""
        tasks = {**self._tasks, current.name: current}
        return tuple(tasks.values())
