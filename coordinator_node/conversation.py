"""What a text said by a person means: a known task, something new to do, a stop, an answer, or nothing that can be done."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from coordinator_node.asking import Asker
from coordinator_node.config import CoordinatorConfig
from coordinator_node.ports import Flag, MemoryPort, Tally, TaskStatus
from coordinator_node.prompts import Prompts, harmless
from coordinator_node.waits import Waits
from lucca_llm.model import ChatModel, Message

_CALL = re.compile(r'<(start_task|resume_task|stop_task|do|say|cannot_do)\((.*)\)>', re.DOTALL)


class Wish(StrEnum):
    """What a person wants."""

    START = 'start_task'
    RESUME = 'resume_task'
    STOP = 'stop_task'
    DO = 'do'
    SAY = 'say'
    CANNOT = 'cannot_do'


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a text means. `argument`: the task for START, RESUME and STOP; the description for DO; the answer for
    SAY; the reason for CANNOT."""

    wish: Wish
    argument: str


def described_name(description: str) -> str:
    """The name of a task that is known by its description only; the same for the same words."""
    words = ' '.join(description.lower().split())
    return f'described-{hashlib.sha256(words.encode()).hexdigest()[:8]}'


def read_meaning(answer: str, tasks: Sequence[TaskStatus], max_chars: int) -> Meaning:
    """The meaning that an answer of the model gives.

    Raises:
        ValueError: it is not exactly one of the calls, or names a task that is not known; the message is for the model.
    """
    match = _CALL.fullmatch(answer.strip()) if len(answer) <= 2 * max_chars else None
    if match is None or '<' in match.group(2) or '>' in match.group(2):
        raise ValueError(
            'answer with exactly one of <start_task(name)>, <resume_task(name)>, <stop_task(name)>, <do(text)>, '
            '<say(text)>, <cannot_do(reason)>'
        )
    wish, argument = Wish(match.group(1)), harmless(match.group(2), max_chars)
    if not argument:
        raise ValueError(f'{wish} needs an argument, as in <{wish}(…)>')
    names = [item.task for item in tasks]
    if wish in (Wish.START, Wish.RESUME, Wish.STOP) and argument not in names:
        raise ValueError(f'no task is named {argument!r}; known are {", ".join(names)}')
    return Meaning(wish, argument)


class Conversation:
    """Understands what people say, with the coordinator's model. Safe to use from several threads."""

    def __init__(
        self,
        model: ChatModel,
        memory: MemoryPort,
        config: CoordinatorConfig,
        *,
        prompts: Prompts | None = None,
        waits: Waits | None = None,
    ) -> None:
        self._config = config
        self._memory = memory
        self._prompts = prompts or Prompts()
        self._waits = waits or Waits()
        self._asker = Asker(model, config, self._waits)

    def understand(self, text: str, person: str, tally: Tally, interrupted: Flag) -> Meaning:
        """What a text means; what the model cost is added to `tally`.

        Raises:
            Interrupted: the flag was raised.
            ModelError: the model gave no answer.
            StackError, MemoryFault: memory could not be reached.
        """
        if not harmless(text):
            return Meaning(Wish.CANNOT, 'I did not hear anything.')
        tasks = self._tasks(interrupted)
        correction = ''
        for _ in range(self._config.max_repairs + 1):
            prompt = self._prompts.goal(text, person, tasks, correction, self._config.text_chars)
            reply = self._asker.ask([Message('user', prompt)], tally, interrupted)
            try:
                return read_meaning(reply.text, tasks, self._config.text_chars)
            except ValueError as error:
                correction = str(error)
                tally.refusals += 1
        return Meaning(Wish.CANNOT, f'I did not understand: {harmless(text, 100)}')

    def task_for(self, description: str, interrupted: Flag) -> str:
        """The name of the task with this description; it is taught if it is not known yet.

        Raises:
            Interrupted, StackError, MemoryFault: as above.
        """
        name = described_name(description)
        if any(item.task == name and item.description == description for item in self._tasks(interrupted)):
            return name
        return self._waits.patiently(
            lambda: self._memory.teach(name, description),
            limit_s=self._config.stack_wait_s,
            interrupted=interrupted,
        )

    def is_finished(self, task: str, interrupted: Flag) -> bool:
        """Whether the log of a task says that it is finished.

        Raises:
            Interrupted, StackError, MemoryFault: as above.
        """
        return any(item.task == task and item.status == 'finished' for item in self._tasks(interrupted))

    def _tasks(self, interrupted: Flag) -> tuple[TaskStatus, ...]:
        return self._waits.patiently(self._memory.tasks, limit_s=self._config.stack_wait_s, interrupted=interrupted)
