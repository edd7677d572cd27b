"""Where the model is stuck, asks it in two other ways and asks the worker; takes the call that two agree on.

The same question gets the same wrong answer from the same model, however often it is put. So it is put in three ways
that share as little as possible: what comes next (in a new chat, all in one message, without the lists that memory
selected); for each action, which objects it is still asked for; and for each call that comes up, the worker's second
opinion. Whatever two of them agree on is done. Nothing is decided by code: no rule here knows what a task asks for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from coordinator_node.call_parser import NotACall, call_grammar, read_call
from coordinator_node.interfaces import Flag
from coordinator_node.prompts import StepView, shown_name
from coordinator_node.tasks.goal_access import GoalAccess, Parts
from coordinator_node.tasks.held_objects import held_on_table
from coordinator_node.tasks.step import Step
from lucca_core.errors import ModelError
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.goals import Phase
from lucca_core.protocol.snapshots import Snapshot
from lucca_llm import answer_grammar
from lucca_llm.model import Message
from lucca_memory.procedural import TaskSpec

MOST_REVIEWED = 8
"""Calls of one deliberation that a second opinion is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What came of a deliberation: the `call` that two answers agree on, else one that is `open`: named by one."""

    call: ActionCall | None = None
    open: ActionCall | None = None


class Deliberation:
    """Puts the question of a step in other ways, for one goal."""

    def __init__(self, parts: Parts, access: GoalAccess, interrupted: Flag) -> None:
        self._parts = parts
        self._access = access
        self._interrupted = interrupted

    def agreed(self, task: TaskSpec, step: Step, why: str, confirmed: str) -> tuple[Step, Agreement]:
        """What is agreed on, now or after a pause with things shown in another order, and the step that it is for.

        Args:
            task: what is done.
            step: the step on which the model insists.
            why: what is told to whoever listens.
            confirmed: a call that a person has confirmed, as text; its yes counts like an answer. Empty: none.

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
        finish = ActionCall('finish_task', task.name)
        # An end that comes too early leaves work undone and says that it is done: nothing outvotes the second opinion.
        if (next_call == finish or by_action == ()) and self._fits(task, finish, shown):
            return Agreement(call=finish)
        candidates = dict.fromkeys(call for call in (next_call, *(by_action or ())) if call not in (None, finish))
        for call in list(candidates)[:MOST_REVIEWED]:
            agree = [call == next_call, call in (by_action or ()), str(call) == confirmed]
            if sum(agree) >= 2 or self._fits(task, call, shown):
                return Agreement(call=call)
        return Agreement(open=next(iter(candidates), None))

    def _asked_afresh(self, task: TaskSpec, view: Snapshot) -> ActionCall | None:
        """The next call by a model that has nothing but the task and the table before it; None if it names none."""
        prompts, actions = self._parts.prompts, [self._parts.book.actions[name] for name in task.actions]
        base = prompts.base([task], actions, memory=False)
        step = prompts.step(StepView(task=task.name, snapshot=view, declarative=self._done_line()), memory=True)
        grammar = call_grammar(task.name, task.actions, [shown_name(item) for item in view], memory=False)
        try:
            call = read_call(self._answer(f'{base}\n\n{step}', grammar), self._parts.config.answer_chars)
        except NotACall:
            return None
        if call.name == 'finish_task':
            return ActionCall('finish_task', task.name)
        return call if call.name in task.actions and view.object_named(call.argument) is not None else None

    def _asked_by_action(self, task: TaskSpec, view: Snapshot) -> tuple[ActionCall, ...] | None:
        """For each action the objects that it is still asked for; None if an answer is no list of what is seen."""
        names = [shown_name(item) for item in view.on_table()]
        found = []
        for action in task.actions:
            prompt = self._parts.prompts.by_action(
                task, [self._parts.book.actions[name] for name in task.actions], action, self._access.done, view
            )
            listed = _names_in(self._answer(prompt, answer_grammar.names(names)), names)
            if listed is None:
                return None
            found += [ActionCall(action, name) for name in listed]
        return tuple(found)

    def _fits(self, task: TaskSpec, call: ActionCall, view: Snapshot) -> bool:
        review = self._access.patiently(
            lambda: self._parts.memory.review(task.name, str(call), view, cancelled=self._interrupted)
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
    """The names that a list holds; None if it is empty or holds anything else."""
    if answer.strip().rstrip('.').casefold() == answer_grammar.NOTHING:
        return []
    by_name = {name.casefold(): name for name in names}
    found = [by_name.get(part.strip().casefold(), '') for part in answer.rstrip('.').split(',')]
    return list(dict.fromkeys(found)) if all(found) else None
