"""The question for the model in each step, in the form that the settings choose, and its answer."""

from collections.abc import Sequence

from coordinator_node.call_parser import call_grammar
from coordinator_node.interfaces import Flag, Tally
from coordinator_node.prompts import StepView
from coordinator_node.tasks.dialogue import ModelTurn
from coordinator_node.tasks.goal_end import Ended
from coordinator_node.tasks.parts import Parts
from coordinator_node.tasks.prohibited import Prohibited
from coordinator_node.tasks.step import Step
from lucca_core.errors import ModelError
from lucca_core.protocol.goals import Status
from lucca_llm.model import ChatReply, Message
from lucca_llm.prompt_text import harmless, shown_name
from lucca_memory.procedural import TaskSpec

THINK = 'Before you answer, think step by step in a few sentences. Do not write the call yet.'
ANSWER = 'Now answer with the call and nothing else.'


class Asking:
    """Asks the model for the next call of one goal, and keeps the turn in the dialogue."""

    def __init__(self, parts: Parts, tally: Tally, prohibited: Prohibited, interrupted: Flag) -> None:
        self._parts = parts
        self._config = parts.config
        self._tally = tally
        self._prohibited = prohibited
        self._interrupted = interrupted

    def ask(self, base: str, task: TaskSpec, step: Step, last: tuple[str, str, str], confirmed: str = '') -> ChatReply:
        """The model's answer.

        Args:
            base: the start of every prompt of the goal.
            task: the task of the goal.
            step: the present step with its memories.
            last: the last action with its code and message; empty texts before the first.
            confirmed: a call that a person has confirmed; empty if there is none.

        Raises:
            Ended: the model gave no answer.
            Interrupted: the goal is to end.
        """
        question, brief = self._questions(step, last)
        messages = self._parts.dialogue.messages(base, question)
        seen = [shown_name(item.name) for item in step.view]
        grammar = call_grammar(task.name, task.actions, seen, memory=self._config.memory)
        if self._config.memory:
            calls = step.unopposed(task.actions, seen, attend=self._config.attend, confirmed=confirmed)
        else:
            calls = step.every_call(task.actions, seen)
        allowed = [call for call in calls if not self._prohibited.against(call, step.snapshot)]
        choices = tuple(map(str, allowed or calls))  # a model has to answer something
        try:
            if self._config.think_first and len(choices) != 1:
                messages = self._thought_over(messages)
            reply = self._parts.asker.ask(messages, self._tally, self._interrupted, grammar, choices=choices)
        except ModelError as error:
            raise Ended(Status.FAILED, f'the coordinator model gave no answer: {error}') from error
        # Later prompts repeat what is kept, so an endless answer is cut.
        kept = reply.text if len(reply.text) <= self._config.answer_chars else reply.text[:80] + '…'
        self._parts.dialogue.add(ModelTurn(question, brief, kept))
        return reply

    def _questions(self, step: Step, last: tuple[str, str, str]) -> tuple[str, str]:
        """The question for the model now, and its short form that stays in the dialogue."""
        prompts, memory = self._parts.prompts, self._config.memory
        action, code, message = last
        view = StepView(
            task=step.task,
            snapshot=step.view,
            declarative=step.declarative.text if step.declarative else '',
            working=step.working.text if step.working else '',
            last_action=action,
            last_code=code,
            last_message=message,
            correction=step.correction,
            prohibited=self._prohibited.lines(step.view),
        )
        if self._parts.short_prompts:
            return prompts.short_step(view), prompts.short_step(view)
        question = prompts.step(view, memory=memory, containers=self._config.show_containers)
        return question, prompts.step(view, memory=memory, brief=True)

    def _thought_over(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The chat, extended by the model's thoughts before its answer. They are neither spoken nor kept."""
        ask = Message('user', f'{messages[-1].content}\n\n{THINK}')
        thought = self._parts.asker.ask([*messages[:-1], ask], self._tally, self._interrupted).text.strip()
        said = harmless(thought, self._config.answer_chars) or 'I have no thoughts on it.'
        return [*messages[:-1], ask, Message('assistant', said), Message('user', ANSWER)]
