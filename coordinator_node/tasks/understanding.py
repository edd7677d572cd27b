"""The model's understanding of a goal's task: asked for before anything moves, and confirmed if need be."""

from dataclasses import replace

from coordinator_node.config import ALWAYS, NEVER
from coordinator_node.interfaces import Flag, Goal
from coordinator_node.tasks.changes import TakenIn, TaskChange
from coordinator_node.tasks.goal_access import GoalAccess
from coordinator_node.tasks.goal_end import Ended
from coordinator_node.tasks.parts import Parts
from coordinator_node.tasks.prohibited import Prohibited
from coordinator_node.tasks.restatement import Restatement, read_restatement, restatement_grammar
from coordinator_node.tasks.task_definitions import spoken_name
from lucca_core.errors import ModelError
from lucca_core.protocol.goals import AS_UNDERSTOOD, Phase, Status
from lucca_core.protocol.snapshots import Snapshot
from lucca_llm.model import Message
from lucca_llm.prompt_text import harmless, shown_name
from lucca_memory.procedural import MOST_DESCRIPTION_CHARS, TaskSpec


class TaskUnderstanding:
    """Has the model restate the task of one goal."""

    def __init__(self, parts: Parts, goal: Goal, access: GoalAccess, prohibited: Prohibited, interrupted: Flag) -> None:
        self._parts = parts
        self._goal = goal
        self._access = access
        self._prohibited = prohibited
        self._interrupted = interrupted

    def change(self, base: str, snapshot: Snapshot, spec: TaskSpec, change: TaskChange) -> Restatement:
        """The model's understanding of the task with a change; it is told to the speaker and recorded.

        Raises:
            Ended: as for `restate`; the task is unchanged and waits for an answer.
            Interrupted: the flag was raised.
        """
        try:
            restated = self.restate(base, snapshot, spec, change)
        except Ended as end:
            asked = end.restatement or Restatement()
            change.answer(TakenIn(asked.understood, asked.not_understood, end.said or end.reason))
            raise
        note = f'{change.speaker} said: “{harmless(change.text, self._parts.config.text_chars)}”. {restated.note()}'
        self._access.record('changed', snapshot, note=note.strip(), description=restated.description)
        change.answer(TakenIn(restated.understood))
        return restated

    def restate(self, base: str, snapshot: Snapshot, spec: TaskSpec, change: TaskChange | None = None) -> Restatement:
        """The model's understanding of the task, including a person's change if given.

        Raises:
            Ended: the model asks a question, a person has to agree first, or the model gave no restatement.
            Interrupted: the flag was raised.
        """
        if self._parts.short_prompts:
            # A small model writes no restatement; its working memory holds a decision about each object.
            if change is None:
                return Restatement()
            said = 'I cannot take in a change in the middle of a task. Please start the task anew.'
            raise Ended(Status.REFUSED, said, said, Restatement(question=said))
        restated = self._asked(base, snapshot, spec, change)
        if restated.understood:
            self._access.emit(Phase.UNDERSTOOD, restated.understood)
        confirm = self._parts.config.confirm_understanding
        if change is not None and not (restated.question or restated.description.strip()):
            restated = replace(restated, question='I do not know what the task asks for now. Please say it again.')
        # A person's yes is to the earlier understanding, not to the changed task; and a question by the model is open.
        agreed = confirm == NEVER or (self._goal.confirmed == AS_UNDERSTOOD and change is None)
        if agreed and not (change is not None and restated.question):
            return restated
        if not restated.question and restated.not_understood:
            words = ', '.join(f'"{word}"' for word in restated.not_understood)
            restated = replace(restated, question=f'I did not understand {words}. Shall I {restated.understood}?')
        if not restated.question and confirm == ALWAYS and restated.calls:
            restated = replace(restated, question=f'Shall I {restated.understood}?')
        if restated.question:
            raise Ended(Status.REFUSED, restated.question, restated.question, restated)
        return restated

    def _asked(self, base: str, snapshot: Snapshot, spec: TaskSpec, change: TaskChange | None) -> Restatement:
        correction = prohibited = ''
        names = [shown_name(item.name) for item in snapshot]
        for _ in range(self._parts.config.max_repairs + 1):
            self._access.emit(Phase.THINKING)
            prompt = self._parts.prompts.restate(
                self._goal.task,
                snapshot,
                done=self._access.done,
                said=change.text if change is not None else '',
                speaker=change.speaker if change is not None else '',
                correction=correction,
                prohibited=self._prohibited.lines(snapshot),
            )
            messages = [Message('user' if self._parts.config.base_role == 'user' else 'system', base)]
            try:
                reply = self._parts.asker.ask(
                    [*messages, Message('user', prompt)],
                    self._access.tally,
                    self._interrupted,
                    restatement_grammar(spec.actions, names, described=change is not None),
                    max_tokens=self._parts.config.restate_tokens,
                )
            except ModelError as error:
                raise Ended(Status.FAILED, f'the coordinator model gave no answer: {error}') from error
            try:
                found = read_restatement(reply.text, spec.actions, names)
            except ValueError as error:
                correction = str(error)
                continue
            ruled_out = (self._prohibited.against(call, snapshot) for call in found.calls)
            if prohibited := next(filter(None, ruled_out), ''):
                correction = f'{prohibited}; leave it out and say so, or make no calls and say it as the question'
                continue
            if change is not None and not (found.description.strip() or found.question):
                correction = '"description" is missing: all that the task asks for now'
                continue
            return replace(
                found,
                understood=harmless(found.understood, self._parts.config.text_chars),
                not_understood=tuple(harmless(word, 80) for word in found.not_understood),
                not_seen=tuple(harmless(word, 80) for word in found.not_seen),
                question=harmless(found.question, self._parts.config.text_chars),
                description=harmless(found.description, MOST_DESCRIPTION_CHARS) if change is not None else '',
            )
        if prohibited:
            raise Ended(Status.REFUSED, prohibited, f'I cannot do that: {prohibited}')
        raise Ended(
            Status.FAILED,
            f'the model did not say how it understands {spoken_name(spec)}: {correction}',
        )
