"""A task that the worker knows, with its state."""

from dataclasses import dataclass

from lucca_core.protocol.tasks import TaskState
from lucca_memory.declarative.replay import TaskLogState
from lucca_memory.procedural import TaskSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTask:
    """A task and the state that its log shows. `problem` says why its log cannot be read."""

    task: TaskSpec
    log: TaskLogState
    left: tuple[str, ...] = ()
    problem: str = ''

    @property
    def state(self) -> TaskState:
        """The state as it is reported to other nodes."""
        return TaskState(
            task=self.task.name,
            description=self.log.description or self.task.description,
            actions=self.task.actions,
            status=str(self.log.status),
            actions_done=tuple(item.action for item in self.log.actions_done),
            done_before=tuple(item.action for item in self.log.done_before),
            undone=tuple(item.action for item in self.log.undone),
            left=self.left,
            open_intent=self.log.open_intent.action if self.log.open_intent else '',
            repeated=self.log.repeated,
            retries=self.log.retries,
            described=self.task.described,
        )
