"""The dispatcher of goals: interprets texts, and queues, runs and stops goals."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from coordinator_node.goals.goals import GoalQueue, Leave
from coordinator_node.goals.offers import Offers
from coordinator_node.interfaces import Flag, Goal, Tally, TaskResult
from coordinator_node.talk.agent import Agent
from coordinator_node.talk.interpretation import Heard, Interpretation
from coordinator_node.talk.tools import Wish
from coordinator_node.tasks.changes import TaskChange
from coordinator_node.tasks.goal_run import GoalRun
from coordinator_node.tasks.parts import Parts
from coordinator_node.waits import Interrupted
from lucca_core.english import and_list
from lucca_core.errors import LuccaError, StackError
from lucca_core.protocol.goals import AS_UNDERSTOOD, GoalFeedback, OnFeedback, Phase, Status
from lucca_core.stop_command import (
    after_stop,
    asks_more,
    before_stop,
    begins_with_stop,
    count_stop_words,
    is_stop,
    plain_words,
    says_all,
    stop_and_rest,
    without_words,
)
from lucca_language.words.verbs import is_handling
from lucca_llm.exchange import FOR_GOAL
from lucca_llm.prompt_text import harmless

_log = logging.getLogger(__name__)

_FEEDBACK = re.compile(r'/feedback\s+(good|bad)', re.IGNORECASE)
"""A typed verdict on the last answer; it is not sent to the model."""

_BYE = '/bye'
"""Typed to end the conversation; the next guest counts as another one."""


@dataclass(frozen=True, slots=True)
class _SaidStop:
    """A stop of a task, or of everything if it names none, and what was said behind it."""

    task: str
    rest: str


class GoalDispatcher:
    """Serves goals, each in its caller's thread. Safe to use from several threads."""

    def __init__(self, parts: Parts, agent: Agent) -> None:
        """`parts`: run the tasks; `agent`: understands texts."""
        self._parts = parts
        self._config = parts.config
        self._agent = agent
        self.queue = GoalQueue(parts.config.max_goals)
        self._offers = Offers()

    def serve(self, goal: Goal, on_event: OnFeedback = lambda _: None) -> TaskResult:
        """Serves a goal of the queue until it has ended; the next goal may run even after an error. A bug is raised."""
        tally = Tally()
        before = FOR_GOAL.set(goal.goal_id)
        try:
            result = self._serve(goal, tally, on_event)
        except Interrupted:
            result = TaskResult(status=Status.CANCELLED, task=goal.task, reason='cancelled')
        except LuccaError as error:
            result = TaskResult(status=Status.FAILED, task=goal.task, reason=str(error))
        finally:
            FOR_GOAL.reset(before)
            self.queue.end(goal.goal_id)
        said = result.said
        if not said and goal.text and result.status in (Status.FAILED, Status.REFUSED):
            said = f'I could not do that: {result.reason}'
        return replace(
            result,
            said=said,
            refusals=result.refusals + tally.refusals,
            coordinator=tally.coordinator + result.coordinator,
        )

    def _serve(self, goal: Goal, tally: Tally, on_event: OnFeedback) -> TaskResult:
        cancelled = partial(self.queue.is_cancelled, goal.goal_id)
        heard = Heard(text=goal.text, person=goal.person, source=goal.source)
        if not goal.task:
            answer = (
                self._stopped(goal, heard)
                or self._refusal_of(goal)
                or self._typed(heard)
                or self._said(goal, heard, tally, cancelled, on_event)
            )
            if isinstance(answer, TaskResult):
                return answer
            goal = answer
        result = self._run(goal, cancelled, on_event)
        if goal.text and result.question:
            self._agent.asked(heard, result.question, of=self._described(goal))
            if result.understood:
                self._offers.keep(heard, result.understood)
        return result

    def _described(self, goal: Goal) -> str:
        """What a goal's text was taken for: the description of its task if that is new, or else the text itself."""
        try:
            known = self._parts.memory.tasks()
        except StackError:
            return goal.text  # the question is told all the same
        return next((item.description for item in known if item.task == goal.task and item.described), goal.text)

    def is_stop(self, goal: Goal) -> bool:
        """Whether a goal asks for a stop before anything else. It needs no place in the queue."""
        return not goal.task and self._stop_in(goal.text) is not None

    def _stop_in(self, text: str) -> _SaidStop | None:
        """The stop with which a text begins; None if it is none that can be carried out without a model.

        In doubt whether one task or everything is to stop, everything stops.
        """
        text = text[: self._config.text_chars]  # a longer text is refused, but not its stop
        if not begins_with_stop(text, self._agent.name):
            return None
        tasks = self.queue.tasks()
        stop, rest = self._general_stop(text)
        if stop and not rest:
            return _SaidStop('', '')
        for task in tasks:
            if self._is_stop_of(task, text):
                return _SaidStop(task if count_stop_words(text) == 1 else '', '')
        if stop and (tasks or self.queue.full()):
            return _SaidStop('', rest)
        for task in tasks:
            stop, rest = stop_and_rest(text, partial(self._is_stop_of, task))
            if stop:
                others = ' '.join(other for other in tasks if other != task)
                more = count_stop_words(text) > 1 or says_all(rest) or without_words(rest, others) != plain_words(rest)
                return _SaidStop('' if more else task, rest)
        return None

    def _general_stop(self, text: str) -> tuple[str, str]:
        """The stop of everything with which a text begins, and what is said behind it; see `stop_and_rest`."""
        return stop_and_rest(text[: self._config.text_chars], partial(self._is_stop_of, ''))

    def _is_stop_of(self, task: str, text: str) -> bool:
        return is_stop(without_words(text, task), self._agent.name)

    def _stopped(self, goal: Goal, heard: Heard) -> TaskResult | None:
        """Carries out a stop, which asks no model and waits for no other turn; None for any other text.

        What is said behind a stop is not done, as in `stop! Give me the pear`, and the person is told so. A text of
        which only the stop is understood, such as `stop the fruit thing`, ends what is being answered in its
        conversation and is then read itself.
        """
        if not begins_with_stop(goal.text, self._agent.name):
            return None
        self._offers.close(heard)
        said = self._stop_in(goal.text)
        if said is None:
            if self._general_stop(goal.text)[0]:
                self.queue.cancel_all(but=goal.goal_id)  # nothing runs yet, but what others said may be about to
            else:
                self.queue.cancel_reading(goal.source, goal.person, but=goal.goal_id)
            return None
        self._agent.stopped(heard)
        if said.task:
            return self._ended(self.queue.cancel_task(said.task, but=goal.goal_id), [said.task], said.rest)
        stopped = self.queue.cancel_all(but=goal.goal_id)
        return self._ended([item.goal_id for item in stopped], [item.task for item in stopped], said.rest)

    def _ended(self, goal_ids: Sequence[str], tasks: Sequence[str], rest: str = '') -> TaskResult:
        """The answer to a stop, once the goals that it cancelled have ended. `rest`: what was said behind the stop."""
        named = and_list([*dict.fromkeys(tasks)])
        again = ''
        if asks_more(rest):
            again = f' I have only stopped, so please say the rest again: “{harmless(rest, 100)}”'
        if not self.queue.wait_ended(goal_ids, self._config.cancel_timeout_s):
            reason = f'{named} did not stop within {self._config.cancel_timeout_s:g} s'
            said = f'I could not stop {named}.{again}'
            return TaskResult(status=Status.FAILED, task=tasks[0], reason=reason, said=said)
        if not goal_ids:
            said = f'I am not doing {named}.' if named else 'Nothing is running that I could stop.'
            return TaskResult(status=Status.FINISHED, task=named, said=f'{said}{again}')
        return TaskResult(status=Status.FINISHED, task=tasks[0], said=f'I have stopped {named}.{again}')

    def _refusal_of(self, goal: Goal) -> TaskResult | None:
        """The answer to a text that is empty or too long, or has no place in the queue; otherwise None."""
        text = goal.text
        if not self.queue.holds(goal.goal_id):  # it was taken for a stop when it came, and needed no place
            reason = 'what it should have stopped has ended'
            return TaskResult(status=Status.REFUSED, reason=reason, said='That has ended already.')
        if not text.strip():
            return TaskResult(status=Status.REFUSED, reason='a goal needs the name of a task, or a text')
        if len(text) > self._config.text_chars:
            # A request that is cut off may mean something else.
            reason = f'that has {len(text)} characters; I can take in {self._config.text_chars} at most'
            return TaskResult(status=Status.REFUSED, reason=reason)
        return None

    def _typed(self, heard: Heard) -> TaskResult | None:
        """The answer to a typed command, which is not sent to the model; None for any other text."""
        if (verdict := _FEEDBACK.fullmatch(heard.text.strip())) is not None:
            rated = self._agent.rate(heard, verdict.group(1).lower())
            return TaskResult(status=Status.FINISHED, said=f'Kept, for what I said: {rated}')
        if heard.text.strip() == _BYE:
            self._agent.leave(heard)
            return TaskResult(status=Status.FINISHED)
        return None

    def _said(self, goal: Goal, heard: Heard, tally: Tally, cancelled: Flag, on_event: OnFeedback) -> TaskResult | Goal:
        """The answer to what a person said; the goal if that now names a task and waits for its turn."""
        on_event(GoalFeedback(step=0, phase=Phase.THINKING, text=goal.text))

        def speak(sentence: str) -> None:
            on_event(GoalFeedback(step=0, phase=Phase.SAYING, text=sentence))

        def wait(answering: str) -> None:
            shown = f'until this has been answered: {harmless(answering, 100)}'
            on_event(GoalFeedback(step=0, phase=Phase.WAITING, text=shown))

        if (agreed := self._offers.answer(heard)) is not None:
            goal = replace(goal, confirmed=AS_UNDERSTOOD)
        meaning = agreed or self._agent.turn(heard, tally, cancelled, speak, wait)
        if meaning.rests_on:
            sources = '; '.join(f'{item.item_id} ({item.shown_source})' for item in meaning.rests_on)
            on_event(GoalFeedback(step=0, phase=Phase.RECALLED, text=sources))
        try:
            return self._answer(goal, meaning, cancelled, on_event)
        finally:
            meaning.afterwards()

    def _answer(self, goal: Goal, meaning: Interpretation, cancelled: Flag, on_event: OnFeedback) -> TaskResult | Goal:
        """The result of a text that needs no arm; the goal if that now names a task and waits for its turn."""
        task = meaning.argument
        if meaning.wish is Wish.SAY:
            return TaskResult(status=Status.FINISHED, said=task, spoken=meaning.spoken)
        if meaning.asks:
            return TaskResult(status=Status.REFUSED, reason=task, said=task, question=task)
        if meaning.wish is Wish.CANNOT:
            return TaskResult(status=Status.REFUSED, reason=task, said=f'I cannot do that: {task}')
        if meaning.wish is Wish.STOP:
            return self._ended(self.queue.cancel_task(task, but=goal.goal_id), [task], _beside_stop(goal.text, task))
        if meaning.wish is Wish.CHANGE:
            return self._change(goal, meaning, cancelled, on_event)
        limit_s = self._config.stack_wait_s
        if meaning.wish is Wish.DO:
            teach = partial(self._parts.memory.teach, '', meaning.argument)
            task = self._parts.waits.patiently(teach, limit_s=limit_s, interrupted=cancelled)
        anew = False
        if meaning.wish is not Wish.RESUME:
            # A finished task that is asked for again starts over; any other task is continued.
            known = self._parts.waits.patiently(self._parts.memory.tasks, limit_s=limit_s, interrupted=cancelled)
            anew = any(item.task == task and item.status == 'finished' for item in known)
        return self.queue.ready(goal.goal_id, task, restart=anew, confirmed=goal.confirmed)

    def _change(self, goal: Goal, meaning: Interpretation, cancelled: Flag, on_event: OnFeedback) -> TaskResult:
        """Hands a change to the running goal of the task, which takes it in once nothing moves; returns the answer."""
        task, change = meaning.argument, TaskChange(meaning.words, goal.person)
        if not self.queue.change(task, change):
            said = f'I am not doing {task} now. Please say all that I shall do.'
            return TaskResult(status=Status.REFUSED, task=task, reason=f'{task} is not running', said=said)
        on_event(GoalFeedback(step=0, phase=Phase.WAITING, text=f'until {task} has taken that in'))
        try:
            taken = change.wait(cancelled)
        except Interrupted:
            if self.queue.withdraw(change):
                raise
            # The goal is reading the change now and will act on it, so the speaker is told the outcome.
            taken = change.wait(lambda: False)
        reason = taken.question or taken.too_late
        return TaskResult(
            status=Status.REFUSED if reason else Status.FINISHED,
            task=task,
            reason=reason,
            said=reason or f'All right. I will now: {taken.understood}.',
            understood=taken.understood,
            not_understood=taken.not_understood,
            question=taken.question,
        )

    def _run(self, goal: Goal, cancelled: Flag, on_event: OnFeedback) -> TaskResult:
        leave = self.queue.try_start(goal.goal_id)
        if leave is Leave.WAIT:
            running = self.queue.running()
            on_event(
                GoalFeedback(step=0, phase=Phase.WAITING, text=f'for {running.task}' if running else 'for its turn')
            )
            leave = self.queue.wait_turn(goal.goal_id)
        if leave is not Leave.RUN:
            return TaskResult(status=Status.CANCELLED, task=goal.task, reason='cancelled before it ran')
        preempted = partial(self.queue.should_yield, goal.goal_id)
        changes = partial(self.queue.take_changes, goal.goal_id)
        return GoalRun(self._parts, goal, cancelled, preempted, on_event, changes).run()


def _beside_stop(text: str, task: str) -> str:
    """What a text asks for beside the stop of a task; the stop is all that is carried out."""
    before = before_stop(text)
    asked = before if any(map(is_handling, plain_words(before).split())) else ''
    return f'{asked} {after_stop(text, task)}'.strip()
