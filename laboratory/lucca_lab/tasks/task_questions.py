"""Questions to the model about a remembered task: which objects are in box 1, which are left on the table.

With memory, the model answers from the declarative memory, which it has to retrieve; without, from the dialogue in its
context window. It does not see the table ("Robots Can Multitask Too", section IV-A, task and environment retention).
"""

from dataclasses import dataclass
from pathlib import Path

from coordinator_node.call_parser import NotACall, read_call
from coordinator_node.interfaces import Flag, Tally, never
from coordinator_node.tasks.dialogue import ModelTurn
from coordinator_node.tasks.parts import Parts
from lucca_core.errors import MemoryFault
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_core.protocol.usage import ModelUsage
from lucca_llm.answer_grammar import free_names
from lucca_llm.prompt_templates import prompt_templates
from lucca_llm.prompt_text import harmless

_RETRIEVE = 'retrieve_declarative_memory'


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAnswer:
    """The model's answer as it wrote it; empty if it gave none in words. `refusals`: number of wrong answers."""

    text: str
    refusals: int
    usage: ModelUsage


class TaskQuestions:
    """Asks the coordinator's model about one task at a time."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._template = prompt_templates(Path(__file__).parent)('task_question.j2')

    def ask(self, task: str, question: str, snapshot: Snapshot, cancelled: Flag = never) -> TaskAnswer:
        """The model's answer to one question.

        Args:
            task: the name of a known task.
            question: one sentence.
            snapshot: the table now, for the worker; the coordinator's model does not see it.
            cancelled: ends the waiting.

        Raises:
            ModelError: the model could not be asked.
            MemoryFault: there is no such task, or its memory could not be built.
            Interrupted: the flag was raised.
        """
        config, tally = self._parts.config, Tally()
        self._parts.dialogue.begin_goal()
        spec = self._parts.definitions.spec(self._status(task))
        base = self._parts.prompts.base(
            self._parts.definitions.for_prompt(spec), self._parts.definitions.actions.values(), memory=config.memory
        )
        brief = self._question(task, question, brief=True)
        declarative = correction = ''
        for _ in range(config.max_repairs + 2):
            asked = self._question(task, question, declarative=declarative, correction=correction)
            may_retrieve = [f'<{_RETRIEVE}({task})>'] if config.memory and not declarative else []
            messages = self._parts.dialogue.messages(base, asked)
            reply = self._parts.asker.ask(messages, tally, cancelled, free_names(may_retrieve))
            text = reply.text.strip()
            self._parts.dialogue.add(ModelTurn(asked, brief, text[: config.answer_chars]))
            correction = self._objection(text)
            if not correction:
                return TaskAnswer(text=text, refusals=tally.refusals, usage=tally.coordinator)
            if config.memory and not declarative and self._asks_for_memory(text, task):
                declarative = self._parts.memory.declarative(task, snapshot, cancelled=cancelled).text
                correction = ''
                continue
            tally.refusals += 1
            if tally.refusals > config.max_repairs:
                break
        return TaskAnswer(text='', refusals=tally.refusals, usage=tally.coordinator)

    def _question(
        self, task: str, question: str, *, declarative: str = '', correction: str = '', brief: bool = False
    ) -> str:
        """The prompt. `brief`: leave out what is remembered, for a turn that is kept in the dialogue."""
        return self._template.render(
            memory=self._parts.config.memory,
            brief=brief,
            task=task,
            question=harmless(question, 400),
            declarative=declarative,
            correction=harmless(correction, 400),
        )

    def _status(self, task: str) -> TaskState:
        found = next((item for item in self._parts.memory.tasks() if item.task == task), None)
        if found is None:
            raise MemoryFault(f'no task is named {task[:80]!r}')
        return found

    def _objection(self, text: str) -> str:
        if not text:
            return 'it is empty; answer with names, or with: none'
        if '<' in text or '>' in text:
            return 'a call is no answer to this question; answer with names of objects, or with: none'
        if '\n' in text or len(text) > self._parts.config.answer_chars:
            return 'answer with one line of names'
        return ''

    def _asks_for_memory(self, text: str, task: str) -> bool:
        try:
            call = read_call(text, self._parts.config.answer_chars)
        except NotACall:
            return False
        return (call.name, call.argument) == (_RETRIEVE, task)
