"""The tasks that the coordinator can run: those of the file, and those taught since."""

import hashlib
from collections.abc import Mapping

from coordinator_node.ports import TaskStatus
from lucca_memory.procedural import ActionSpec, TaskSpec


def described_name(description: str) -> str:
    """The name of a task that is known by its description only; the same for the same words."""
    words = ' '.join(description.lower().split())
    return f'described-{hashlib.sha256(words.encode()).hexdigest()[:8]}'


def spoken_name(task: TaskSpec) -> str:
    """What a person calls a task: its name, or for one that has none but its description, the description."""
    described = task.name == described_name(task.description)
    return f'“{task.description.strip().rstrip(".")}”' if described else task.name


class TaskBook:
    """Tasks and actions as the prompts need them."""

    def __init__(self, tasks: Mapping[str, TaskSpec], actions: Mapping[str, ActionSpec]) -> None:
        self.actions = actions
        self._tasks = dict(tasks)

    def spec(self, status: TaskStatus) -> TaskSpec:
        """The task that memory knows by this name; memory's description and actions win, since tasks can be taught anew."""
        known = self._tasks.get(status.task)
        if known is not None and not status.description:
            return known
        if known is not None:
            return TaskSpec(name=known.name, description=status.description, actions=status.actions or known.actions)
        return TaskSpec(name=status.task, description=status.description, actions=status.actions or tuple(self.actions))

    def for_prompt(self, current: TaskSpec) -> tuple[TaskSpec, ...]:
        """The tasks of the base prompt: those of the file in its order, and the current one."""
        tasks = {**self._tasks, current.name: current}
        return tuple(tasks.values())
