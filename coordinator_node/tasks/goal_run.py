"""One goal from its first step to its end, step by step ("Robots Can Multitask Too", sections III-C to III-F).

In each step a fresh snapshot is taken, the model asks for the memories it needs, the worker builds them from that
snapshot, the model answers with one action, and the action node carries it out. Only the dialogue is kept between
goals: what was done is in the log, so that a goal can be resumed after any interruption.
"""

from dataclasses import replace
from functools import partial
from typing import NoReturn

from coordinator_node.call_parser import NotACall, is_reserved, read_call
from coordinator_node.interfaces import Flag, Goal, TaskResult, never
from coordinator_node.tasks.asking import Asking
from coordinator_node.tasks.changes import TakeChanges, no_changes
from coordinator_node.tasks.deliberation import Agreement, Deliberation
from coordinator_node.tasks.goal_access import GoalAccess
from coordinator_node.tasks.goal_end import Ended, Interruption
from coordinator_node.tasks.held_objects import held_on_table
from coordinator_node.tasks.outcomes import Outcomes
from coordinator_node.tasks.parts import Parts
from coordinator_node.tasks.prohibited import Prohibited
from coordinator_node.tasks.refusals import Refusals, Verdict
from coordinator_node.tasks.settlement import Settlement
from coordinator_node.tasks.step import Step, StepOver
from coordinator_node.tasks.subject import Subject
from coordinator_node.tasks.task_definitions import listed, spoken_name
from coordinator_node.tasks.understanding import TaskUnderstanding
from coordinator_node.waits import Interrupted
from lucca_core.codes import ReasonCode
from lucca_core.errors import LuccaError, MemoryFault, StackError
from lucca_core.protocol.actions import ActionCall, ActionRequest, ActionResult
from lucca_core.protocol.entries import RESTART, EntryKind
from lucca_core.protocol.goals import OnFeedback, Phase, Status
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_llm.prompt_text import harmless


class GoalRun:
    """Runs one goal once. Goals that share their parts run one after the other."""

    def __init__(
        self,
        parts: Parts,
        goal: Goal,
        cancelled: Flag = never,
        preempted: Flag = never,
        on_event: OnFeedback = lambda _: None,
        changes: TakeChanges = no_changes,
    ) -> None:
        """
        Args:
            parts: the parts that all goals use.
            goal: `goal.task` names a task that memory knows.
            cancelled: once true, the goal ends as soon as nothing moves any more.
            preempted: once true, the goal is suspended at the next safe point, never between intent and outcome.
            on_event: called in the goal's thread with each piece of feedback.
            changes: returns the changes since its last call; see GoalQueue.take_changes.
        """
        self._parts = parts
        self._config = parts.config
        self._goal = goal
        self._interruption = Interruption(cancelled, preempted)
        self._interrupted = self._interruption.is_wanted
        self._access = GoalAccess(parts, goal, self._interrupted, on_event)
        self._tally = self._access.tally
        self._prohibited = Prohibited(parts, self._access, self._interrupted)
        understanding = TaskUnderstanding(parts, goal, self._access, self._prohibited, self._interrupted)
        self._subject = Subject(parts, goal.task, understanding, self._prohibited, changes)
        self._outcomes = Outcomes(parts, goal, self._access, self._subject, self._interruption)
        self._settlement = Settlement(parts, goal, self._access, self._outcomes, self._interruption)
        self._asking = Asking(parts, self._tally, self._prohibited, self._interrupted)
        self._deliberation = Deliberation(parts, self._access, self._prohibited, self._interrupted)
        self._snapshot: Snapshot | None = None
        self._begun = False
        self._refusals = Refusals()
        self._looked_again = False
        self._confirmed = f'<{goal.confirmed.strip().strip("<>")}>' if goal.confirmed.strip() else ''
        self._to_confirm = ''

    def run(self) -> TaskResult:
        """Runs the goal to its end, one of the values of `Status`. Known errors become part of the result."""
        try:
            try:
                self._begin()
                while True:
                    self._interruption.safe_point()
                    self._step()
            except Interrupted:
                self._interruption.safe_point()
                raise Ended(Status.CANCELLED, 'interrupted') from None
            except LuccaError as error:
                raise Ended(Status.FAILED, str(error)) from error
        except Ended as end:
            return self._ended(end)

    def _begin(self) -> None:
        self._parts.dialogue.begin_goal()
        statuses = self._access.statuses()
        status = statuses.get(self._goal.task)
        if status is None:
            known = listed(tuple(statuses.values()))
            raise Ended(Status.REFUSED, f'no task is named {self._goal.task[:80]!r}; known are {known}')
        self._subject.becomes(self._parts.definitions.spec(status))
        self._access.done, self._access.left = status.actions_done, status.left
        self._access.before = status.done_before
        self._access.tell_undone(status.undone)
        self._snapshot = snapshot = self._access.fresh()
        for item in statuses.values():
            if item.open_intent:
                self._settlement.settle_open(item.task, snapshot)
        self._prohibited.read()
        self._subject.restate(snapshot)
        self._record_begin(status, snapshot, self._subject.restatement.note())
        self._begun = True

    def _record_begin(self, status: TaskState, snapshot: Snapshot, note: str) -> None:
        if self._goal.restart:
            self._access.record('started', snapshot, code=RESTART, note=note)
            self._access.before, self._access.done = (*self._access.before, *self._access.done), ()
            spec = self._parts.definitions.spec(self._access.statuses()[self._goal.task])
            if spec != self._subject.spec:  # the restart has removed changes by people
                self._subject.becomes(spec)
                self._subject.restate(snapshot)
        else:
            self._access.record('started' if status.status == 'new' else 'resumed', snapshot, note=note)

    def _step(self) -> None:
        if self._tally.steps >= self._config.max_steps:
            raise Ended(Status.FAILED, f'not finished after max_steps = {self._config.max_steps} steps')
        self._tally.steps += 1
        self._snapshot = snapshot = self._access.fresh()
        step = Step(self._goal.task, snapshot, held_on_table(snapshot), must_retrieve=self._config.must_retrieve)
        try:
            self._take_news(snapshot)
            if self._parts.short_prompts:
                self._retrieve(step, declarative=True)
                self._retrieve(step, declarative=False)
            for _ in range(self._config.max_exchanges):
                self._interruption.safe_point()
                self._access.emit(Phase.THINKING)
                self._exchange(step)
            self._outcomes.refused(f'{self._config.max_exchanges} answers in one step without an action')
        except StepOver:
            pass

    def _take_news(self, snapshot: Snapshot, *, last: bool = False) -> None:
        """Takes in the news since the last step. If there was any, this step ends."""
        if self._subject.take_news(snapshot, last=last):
            raise StepOver

    def _exchange(self, step: Step) -> None:
        reply = self._asking.ask(self._subject.base, self._subject.spec, step, self._outcomes.last, self._confirmed)
        answered_wall_s = self._parts.wall_clock()
        step.correction = ''
        try:
            call = read_call(reply.text, self._config.answer_chars)
        except NotACall as error:
            self._refused(step, reply.text, str(error))
            return
        if is_reserved(call):
            self._answer_reserved(step, call)
        elif objection := self._objection(step, call):
            self._refused(step, str(call), objection)
        else:
            self._execute(step, call, reply.text.strip(), reply.prompt_tokens, answered_wall_s)

    def _answer_reserved(self, step: Step, call: ActionCall) -> None:
        if call.name == 'cannot_do':
            self._give_up(step, harmless(call.argument, self._config.text_chars))
        elif call.argument != self._goal.task:
            self._refused(step, str(call), f'{call} names another task; the task is now {self._goal.task}')
        elif call.name == 'finish_task':
            self._finish(step)
        elif not self._config.memory:
            self._refused(step, str(call), f'there is no call {call.name} here')
        else:
            self._retrieve(step, declarative=call.name == 'retrieve_declarative_memory')

    def _give_up(self, step: Step, reason: str) -> None:
        # A model that has lost its instructions gives up as well, so show it first what memory says is left to do.
        doubted = self._config.second_opinion or not step.nothing_left
        if self._config.memory and step.gave_up < self._config.ask_back and doubted:
            step.gave_up += 1
            doubt = step.doubt()
            if self._config.second_opinion:
                # The worker's model may have misread what is left to do; its next selection may be right.
                step.working = None
            self._show_back(step, f'{doubt}; if it cannot be done all the same, say so again')
            return
        if self._config.look_again_s and not self._tally.moved and not self._looked_again:
            # The object may have been out of sight for a moment, or perception may only just have started.
            self._look_again(reason)
        if self._config.second_opinion and not self._outcomes.failed:
            self._deliberate(step, self._cannot(reason))
        raise self._cannot(reason if reason.endswith('?') else self._outcomes.with_causes(reason))

    def _look_again(self, reason: str) -> NoReturn:
        self._looked_again = True
        self._access.emit(Phase.WAITING, f'looking once more: {reason}')
        self._parts.waits.pause(self._config.look_again_s, self._interrupted)
        raise StepOver

    def _cannot(self, reason: str) -> Ended:
        status = Status.FAILED if self._tally.moved else Status.REFUSED
        if reason.endswith('?'):
            return Ended(status, reason, reason, replace(self._subject.restatement, question=reason))
        return Ended(status, reason, f'I cannot do that: {reason}')

    def _retrieve(self, step: Step, *, declarative: bool) -> None:
        task, memory = self._goal.task, self._parts.memory
        lines = self._prohibited.lines(step.view)
        build = memory.declarative if declarative else partial(memory.working, prohibited=lines)
        found = self._access.patiently(lambda: build(task, step.view, cancelled=self._interrupted))
        self._tally.worker += found.usage
        if declarative:
            step.declarative = found
        else:
            found = self._prohibited.without(found, self._subject.spec, step.snapshot)
            self._access.left = found.to_do
            found = step.working = self._outcomes.others_first(found)
        self._access.done = found.actions_done
        self._access.doubt(found.doubt)
        if found.world_changed:
            self._access.tell_undone(self._access.statuses()[task].undone)
        if found.open_intent is not None:
            self._settlement.settle(task, found.open_intent, step.snapshot)
            raise StepOver

    def _finish(self, step: Step) -> None:
        if self._config.memory:
            finish = f'<finish_task({self._goal.task})>'
            if objection := step.against_finishing() or self._second_opinion(step, finish):
                self._refused(step, finish, objection)
                return
        elif self._access.statuses()[self._goal.task].open_intent:
            self._settlement.settle_open(self._goal.task, step.snapshot)
            raise StepOver
        if objection := self._outcomes.unfinished(step.snapshot):
            if ruled_out := self._prohibited.left_by(self._subject.restatement.calls, step.snapshot):
                raise self._cannot(ruled_out)
            self._refused(step, f'<finish_task({self._goal.task})>', objection)
            return
        self._finished(step)

    def _finished(self, step: Step) -> NoReturn:
        if unmended := self._outcomes.unmended(step.snapshot):
            raise Ended(Status.FAILED, unmended, f'I could not finish {spoken_name(self._subject.spec)}: {unmended}')
        self._take_news(step.snapshot, last=True)
        self._access.record('finished', step.snapshot)
        name = spoken_name(self._subject.spec)
        said = f'I have finished {name}.'
        if self._subject.restatement.understood and not self._subject.restatement.calls and not self._access.done:
            said = f'There is nothing to do for {name}.'
        if self._access.before and not (self._access.done or self._access.undone):
            said = f'There was nothing left to do for {name}: what was done before is still so.'
        if not_seen := self._subject.restatement.not_seen:
            said = f'{said} I saw no {" and no ".join(not_seen)}.'
        raise Ended(Status.FINISHED, said=said)

    def _objection(self, step: Step, call: ActionCall) -> str:
        """Why a call is not to be made; empty if nothing is against it."""
        # A call that a person has confirmed needs no second opinion, and need not be on the list that a model selected.
        confirmed = str(call) == self._confirmed
        objection = self._prohibited.against(call, step.snapshot)
        if self._config.memory:
            objection = objection or step.against(call, attend=self._config.attend and not confirmed)
        return objection or ('' if confirmed else self._second_opinion(step, str(call)))

    def _execute(self, step: Step, call: ActionCall, text: str, prompt_tokens: int, answered_wall_s: float) -> None:
        self._interruption.safe_point()
        self._access.emit(Phase.ACTING, str(call))
        request = ActionRequest(
            text=text,
            task=self._goal.task,
            allowed_actions=self._subject.spec.actions,
            snapshot=step.snapshot,
            answered_wall_s=answered_wall_s,
            confirmed_by=self._confirmation(call),
        )

        putting_down = f'putting down, {call} was cancelled'
        cancelled = self._interruption.telling(lambda: self._access.emit(Phase.ACTING, putting_down))
        try:
            # A goal of higher priority waits for the outcome; only a cancel stops an action in the middle.
            report = self._parts.actions.execute(request, cancelled=cancelled)
        except StackError as error:
            self._outcomes.lost(call, error)
            raise StepOver from error
        self._access.emit(Phase.ACTED, report.action or str(call), report.code)
        self._after(step, call, report, prompt_tokens)

    def _confirmation(self, call: ActionCall) -> str:
        """The person who has confirmed a call, else ''. A confirmation covers one execution."""
        if str(call) != self._confirmed:
            return ''
        self._confirmed = ''
        return self._goal.person.strip() or 'somebody unnamed'

    def _second_opinion(self, step: Step, proposed: str) -> str:
        """The objection of the worker's model to a call; empty if it agrees or is not asked."""
        if not (self._config.memory and self._config.second_opinion):
            return ''
        ask, lines = self._parts.memory.review, self._prohibited.lines(step.view)
        review = self._access.patiently(
            lambda: ask(self._goal.task, proposed, step.view, cancelled=self._interrupted, prohibited=lines)
        )
        self._tally.worker += review.usage
        if review.fits:
            return ''
        # Either model may be wrong, and so may be the worker's selection: it selects again.
        step.working = None
        return f'on a second look {proposed} does not fit the task; retrieve the working memory again and think it over'

    def _after(self, step: Step, call: ActionCall, report: ActionResult, prompt_tokens: int) -> None:
        code = report.code
        self._outcomes.measured(call, report, prompt_tokens)
        if code.is_refusal and code is not ReasonCode.BUSY:
            if code is ReasonCode.NOT_CONFIRMED:
                self._to_confirm = str(call).strip('<>')
                said = f'Shall I do {self._to_confirm}? Please confirm it at the terminal.'
                raise Ended(Status.SUSPENDED, f'{call} has to be confirmed by a person: {report.message}', said)
            if code is ReasonCode.PROHIBITED:
                self._take_news(step.snapshot)  # it was prohibited a moment ago
            self._refused(step, str(call), f'{call} was refused ({code}): {report.message}', code)
            return
        self._refusals.acted()
        self._outcomes.acted(call, report)
        raise StepOver

    def _refused(self, step: Step, answer: str, correction: str, code: str = '') -> None:
        """Handles a refused answer. `code` is set if the gate refused it."""
        verdict = self._refusals.take(answer[: self._config.answer_chars], code or correction)
        if verdict is Verdict.END:
            self._tally.refusals += 1
            if code:
                raise self._cannot(harmless(correction, self._config.text_chars))
            self._deliberate(
                step, Ended(Status.FAILED, f'the model gave the same wrong answer again and again: {correction}')
            )
        self._show_back(step, correction)
        if verdict is Verdict.LOOK:
            # Asked a third time with the same table, the model would give the same answer.
            if code:
                self._look_again(correction)
            raise StepOver

    def _deliberate(self, step: Step, end: Ended) -> NoReturn:
        """Makes the call that other ways of asking agree on; without agreement, asks a person or ends the goal."""
        if not (self._config.memory and self._config.deliberate):
            raise end
        step, agreed = self._deliberation.agreed(self._subject.spec, step, end.reason, self._confirmed)
        if agreed.call is not None and agreed.call.name != 'finish_task' and self._is_undecided(step, agreed.call):
            agreed = Agreement(open=agreed.call)
        if agreed.call is not None and agreed.call.name != 'finish_task':
            self._execute(step, agreed.call, str(agreed.call), 0, self._parts.wall_clock())
            raise StepOver
        if agreed.call is not None and not self._outcomes.unfinished(step.snapshot):
            self._finished(step)
        if agreed.open is None:
            raise end
        self._to_confirm = str(agreed.open).strip('<>')
        reason = f'a person has to say whether {agreed.open} comes next: {end.reason}'
        raise Ended(Status.SUSPENDED, reason, f'Shall I do {self._to_confirm}? Please confirm it at the terminal.')

    def _is_undecided(self, step: Step, call: ActionCall) -> bool:
        """Whether the worker decided on calls, and not on this one. A person has to say then which is right."""
        decided = step.working.calls if self._config.attend and step.working is not None else ()
        return bool(decided) and str(call) not in decided and str(call) != self._confirmed

    def _show_back(self, step: Step, correction: str) -> None:
        self._outcomes.refused(correction)
        step.repairs += 1
        step.correction = correction
        if step.repairs > self._config.max_repairs:
            raise StepOver

    def _ended(self, end: Ended) -> TaskResult:
        reason = end.reason
        if self._begun:
            note = f'{end.status}: {reason}' if reason else str(end.status)
            kind = EntryKind.REFUSED if end.status is Status.REFUSED else EntryKind.SUSPENDED
            try:
                self._access.close(kind, note, None if end.status is Status.FINISHED else self._snapshot)
            except (StackError, MemoryFault) as error:
                reason = f'{reason} (memory was not reached at the end: {error})'.strip()
        if end.status is Status.SUSPENDED:
            self._access.emit(Phase.SUSPENDED, reason)
        asked = end.restatement or self._subject.restatement
        return replace(
            self._access.result(end.status, reason, end.said),
            understood=asked.understood,
            not_understood=asked.not_understood,
            question=asked.question if end.restatement else '',
            to_confirm=self._to_confirm,
        )
