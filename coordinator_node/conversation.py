"""Turns what a person says into an answer, a known task, or a new task taught by its description."""

from collections.abc import Callable

from coordinator_node.agent import Agent
from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Flag, MemoryInterface, Tally
from coordinator_node.interpretation import Heard, Interpretation
from coordinator_node.prompts import harmless
from coordinator_node.tools import Wish
from coordinator_node.waits import Waits
from lucca_core.protocol.tasks import TaskState


class Conversation:
    """The one way of what people say: the agent understands it, and its wishes become tasks. Safe to use from several
    threads."""

    def __init__(
        self, agent: Agent, memory: MemoryInterface, config: CoordinatorConfig, waits: Waits | None = None
    ) -> None:
        self.agent = agent
        self._memory = memory
        self._config = config
        self._waits = waits or Waits()

    def understand(
        self,
        heard: Heard,
        tally: Tally,
        interrupted: Flag,
        on_sentence: Callable[[str], None] | None = None,
        on_wait: Callable[[str], None] = lambda _: None,
    ) -> Interpretation:
        """What something said means; see Agent.turn, whose errors it raises. Silence is not sent to the model."""
        if not harmless(heard.text):
            return Interpretation(Wish.CANNOT, 'I did not hear anything.')
        return self.agent.turn(heard, tally, interrupted, on_sentence, on_wait)

    def task_for(self, description: str, interrupted: Flag) -> str:
        """The name of the task with this description; memory makes one if it is not known yet.

        Raises:
            Interrupted: the flag was raised.
            StackError, MemoryFault: memory could not be reached, or cannot keep such a task.
        """
        return self._waits.patiently(
            lambda: self._memory.teach('', description),
            limit_s=self._config.stack_wait_s,
            interrupted=interrupted,
        )

    def is_finished(self, task: str, interrupted: Flag) -> bool:
        """Whether the log of a task says that it is finished.

        Raises:
            Interrupted, StackError, MemoryFault: as above.
        """
        return any(item.task == task and item.status == 'finished' for item in self._tasks(interrupted))

    def _tasks(self, interrupted: Flag) -> tuple[TaskState, ...]:
        return self._waits.patiently(self._memory.tasks, limit_s=self._config.stack_wait_s, interrupted=interrupted)
