"""Deliberation: when the model is stuck, it is asked in two other ways and the worker is asked; two agreeing answers
win.

The same model answers the same question with the same error, however often it is asked. So the question is put in three
ways that share as little as possible: which call comes next (in a new chat, in a single message, without the lists that
memory selected); for each action, which objects it is still needed for; and for each proposed call, the worker's second
opinion. A call on which two of them agree is made. The code itself decides nothing: no rule here knows what a task asks
for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from coordinator_node.call_parser import NotACall, call_grammar, read_call
from coordinator_node.interfaces import Flag
from coordinator_node.prompts import StepView
from coordinator_node.tasks.goal_access import GoalAccess
from coordinator_node.tasks.held_objects import held_on_table
from coordinator_node.tasks.parts import Parts
from coordinator_node.tasks.prohibited import Prohibited
from coordinator_node.tasks.step import Step
from lucca_core.errors import ModelError
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.goals import Phase
from lucca_core.protocol.snapshots import Snapshot
from lucca_llm import answer_grammar
from lucca_llm.model import Message
from lucca_llm.prompt_text import shown_name
from lucca_memory.procedural import TaskSpec

MOST_REVIEWED = 8
"""Most calls of one deliberation for which a second opinion is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The result of a deliberation: the `call` that two answers agree on, else an `open` one named by one."""

    call: ActionCall | None = None
    open: ActionCall | None = None


class Deliberation:
    """Asks about a step in other ways, for one goal."""

    def __init__(self, parts: Parts, access: GoalAccess, prohibited: Prohibited, interrupted: Flag) -> None:
        self._parts = parts
        self._access = access
        self._prohibited = prohibited
        self._interrupted = interrupted

    def agreed(self, task: TaskSpec, step: Step, why: str, confirmed: str) -> tuple[Step, Agreement]:
        """The agreement, now or after a pause with the objects in another order, and the step that it is for.

        Args:
            task: the task of the goal.
            step: the step at which the model is stuck.
            why: the reason, for the feedback.
            confirmed: a call that a person has confirmed, as text; this counts as one agreeing answer. Empty: none.

        Raises:
            Interrupted: the goal is to end.
            StackError: the worker cannot be reached, or nothing is seen any more.
        """
        self._access.emit(Phase.THINKING, f'asking in other ways: {why}')
        found = self._decide(task, step.view, confirmed)
        if found.call is None:
            self._parts.waits.pause(self._parts.config.cool_off_s, self._interrupted)
            snapshot = self._access.fresh()
            step = Step(step.task, snapshot, held_on_table(snapshot))
            found = self._decide(task, _reversed(step.view), confirmed)
        return step, found

    def _decide(self, task: TaskSpec, shown: Snapshot, confirmed: str) -> Agreement:
        next_call = self._asked_afresh(task, shown)
        by_action = self._asked_by_action(task, shown)
        if next_call is not None and self._prohibited.against(next_call, shown):
            next_call = None
        if by_action is not None:
            by_action = tuple(call for call in by_action if not self._prohibited.against(call, shown))
        finish = ActionCall('finish_task', task.name)
        # Finishing too early leaves work undone and claims that it is done, so the second opinion always has to agree.
        if (next_call == finish or by_action == ()) and self._fits(task, finish, shown):
            return Agreement(call=finish)
        candidates = dict.fromkeys(call for call in (next_call, *(by_action or ())) if call not in (None, finish))
        for call in list(candidates)[:MOST_REVIEWED]:
            agree = [call == next_call, call in (by_action or ()), str(call) == confirmed]
            if sum(agree) >= 2 or self._fits(task, call, shown):
                return Agreement(call=call)
        return Agreement(open=next(iter(candidates), None))

    def _asked_afresh(self, task: TaskSpec, view: Snapshot) -> ActionCall | None:
        """The next call by a model that sees only the task and the table; None if it names none."""
        prompts, actions = self._parts.prompts, [self._parts.definitions.actions[name] for name in task.actions]
        base = prompts.base([task], actions, memory=False)
        step = prompts.step(
            StepView(
                task=task.name, snapshot=view, declarative=self._done_line(), prohibited=self._prohibited.lines(view)
            ),
            memory=True,
        )
        grammar = call_grammar(task.name, task.actions, [shown_name(item.name) for item in view], memory=False)
        try:
            call = read_call(self._answer(f'{base}\n\n{step}', grammar), self._parts.config.answer_chars)
        except NotACall:
            return None
        if call.name == 'finish_task':
            return ActionCall('finish_task', task.name)
        return call if call.name in task.actions and view.object_named(call.argument) is not None else None

    def _asked_by_action(self, task: TaskSpec, view: Snapshot) -> tuple[ActionCall, ...] | None:
        """For each action, the objects that still need it; None if an answer is not a list of objects in view."""
        names = [shown_name(item.name) for item in view.on_table()]
        found = []
        for action in task.actions:
            prompt = self._parts.prompts.by_action(
                task,
                [self._parts.definitions.actions[name] for name in task.actions],
                action,
                self._access.done,
                view,
                self._prohibited.lines(view),
            )
            listed = _names_in(self._answer(prompt, answer_grammar.names(names)), names)
            if listed is None:
                return None
            found += [ActionCall(action, name) for name in listed]
        return tuple(found)

    def _fits(self, task: TaskSpec, call: ActionCall, view: Snapshot) -> bool:
        review = self._access.patiently(
            lambda: self._parts.memory.review(
                task.name,
                str(call),
                view,
                cancelled=self._interrupted,
                prohibited=self._prohibited.lines(view),
            )
        )
        self._access.tally.worker += review.usage
        return review.fits

    def _answer(self, prompt: str, grammar: str) -> str:
        try:
            return self._parts.asker.ask(
                [Message('user', prompt)], self._access.tally, self._interrupted, grammar
            ).text.strip()
        except ModelError:
            return ''

    def _done_line(self) -> str:
        return f'Done so far: {", ".join(self._access.done) or "nothing"}'


def _reversed(view: Snapshot) -> Snapshot:
    return replace(view, objects=tuple(reversed(view.objects)))


def _names_in(answer: str, names: Sequence[str]) -> list[str] | None:
    """The names in a list; [] if it says that there are none, None if it is empty or holds anything else."""
    if answer.strip().rstrip('.').casefold() == answer_grammar.NOTHING:
        return []
    by_name = {name.casefold(): name for name in names}
    found = [by_name.get(part.strip().casefold(), '') for part in answer.rstrip('.').split(',')]
    return list(dict.fromkeys(found)) if all(found) else None
