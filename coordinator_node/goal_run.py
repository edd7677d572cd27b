"""One goal on its way from its first step to its end; `task_loop.py` says what a step is."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from coordinator_node.calls import Call, NotACall, call_grammar, is_reserved, read_call
from coordinator_node.dialogue import ModelTurn
from coordinator_node.goal_access import GoalAccess, Parts
from coordinator_node.missed import Misses
from coordinator_node.ports import (
    ActionReport,
    ActionRequest,
    Flag,
    Goal,
    OpenIntent,
    Phase,
    Retrieved,
    Status,
    TaskEvent,
    TaskResult,
    TaskStatus,
)
from coordinator_node.prompts import StepView, harmless, shown_name
from coordinator_node.task_book import spoken_name
from coordinator_node.waits import Interrupted
from lucca_core.codes import ReasonCode
from lucca_core.errors import LuccaError, MemoryFault, ModelError, StackError
from lucca_core.values import HAND, TABLE, Snapshot
from lucca_llm.model import ChatReply
from lucca_memory.entry import RESTART
from lucca_memory.procedural import TaskSpec


class _Ended(Exception):
    def __init__(self, status: Status, reason: str = '', said: str = '') -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.said = said


def in_reach(snapshot: Snapshot) -> Snapshot:
    """The snapshot as the model and the worker read it: what a hand still holds after a crash is not out of the way.

    It stands for an object on the table, so that it stays to do; the action node puts it down before it acts on it.
    """
    if all(item.container != HAND for item in snapshot) and snapshot.container_named(HAND) is None:
        return snapshot
    objects = tuple(replace(item, container=TABLE) if item.container == HAND else item for item in snapshot)
    containers = tuple(item for item in snapshot.containers if item.name != HAND)
    return Snapshot(
        stamp_s=snapshot.stamp_s,
        frame_id=snapshot.frame_id,
        objects=objects,
        containers=containers,
        vocabulary=snapshot.vocabulary,
        processing_s=snapshot.processing_s,
    )


class _StepOver(Exception):
    """The step ends here; the next one begins with a fresh snapshot."""


@dataclass(slots=True)
class _Step:
    snapshot: Snapshot
    view: Snapshot
    declarative: Retrieved | None = None
    working: Retrieved | None = None
    correction: str = ''
    repairs: int = 0
    gave_up: int = 0


class GoalRun:
    """Runs one goal once."""

    def __init__(
        self, parts: Parts, goal: Goal, cancelled: Flag, preempted: Flag, on_event: Callable[[TaskEvent], None]
    ) -> None:
        self._parts = parts
        self._config = parts.config
        self._goal = goal
        self._cancelled = cancelled
        self._preempted = preempted
        self._access = GoalAccess(parts, goal, self._interrupted, on_event)
        self._tally = self._access.tally
        self._misses = Misses(parts.book.actions)
        self._last: tuple[str, str, str] = ('', '', '')
        self._spec = TaskSpec(name=goal.task, description='', actions=())
        self._base = ''
        self._snapshot: Snapshot | None = None
        self._busy_since_s: float | None = None
        self._begun = False
        self._looked_again = False
        self._confirmed = f'<{goal.confirmed.strip().strip("<>")}>' if goal.confirmed.strip() else ''
        self._to_confirm = ''

    def run(self) -> TaskResult:
        """The goal from its beginning to its end; raises nothing that belongs to the world."""
        try:
            try:
                self._begin()
                while True:
                    self._safe_point()
                    self._step()
            except Interrupted:
                self._safe_point()
                raise _Ended(Status.CANCELLED, 'interrupted') from None
            except LuccaError as error:
                raise _Ended(Status.FAILED, str(error)) from error
        except _Ended as end:
            return self._ended(end)

    def _begin(self) -> None:
        statuses = self._access.statuses()
        status = statuses.get(self._goal.task)
        if status is None:
            known = ', '.join(statuses) or 'none'
            raise _Ended(Status.REFUSED, f'no task is named {self._goal.task!r}; known are {known}')
        self._spec = self._parts.book.spec(status)
        self._base = self._parts.prompts.base(
            self._parts.book.for_prompt(self._spec), self._parts.book.actions.values(), memory=self._config.memory
        )
        self._access.done, self._access.left = status.actions_done, status.left
        self._snapshot = snapshot = self._access.fresh()
        for item in statuses.values():
            if item.open_intent:
                self._settle_open(item.task, snapshot)
        self._record_begin(status, snapshot)
        self._begun = True

    def _record_begin(self, status: TaskStatus, snapshot: Snapshot) -> None:
        if self._goal.restart:
            self._access.record('started', snapshot, code=RESTART)
            self._access.done = ()
        else:
            self._access.record('started' if status.status == 'new' else 'resumed', snapshot)

    def _step(self) -> None:
        if self._tally.steps >= self._config.max_steps:
            raise _Ended(Status.FAILED, f'not finished after max_steps = {self._config.max_steps} steps')
        self._tally.steps += 1
        self._snapshot = snapshot = self._access.fresh()
        step = _Step(snapshot, in_reach(snapshot))
        try:
            for _ in range(self._config.max_exchanges):
                self._safe_point()
                self._access.emit(Phase.THINKING)
                self._exchange(step)
            self._count_refusal(f'{self._config.max_exchanges} answers in one step without an action')
        except _StepOver:
            pass

    def _exchange(self, step: _Step) -> None:
        view = self._view(step)
        question = self._parts.prompts.step(view, memory=self._config.memory)
        messages = self._parts.dialogue.messages(self._base, question)
        brief = self._parts.prompts.step(view, memory=self._config.memory, brief=True)
        seen = [shown_name(item) for item in step.view]
        grammar = call_grammar(self._goal.task, self._spec.actions, seen, memory=self._config.memory)
        try:
            reply = self._parts.asker.ask(messages, self._tally, self._interrupted, grammar)
        except ModelError as error:
            raise _Ended(Status.FAILED, f'the coordinator model gave no answer: {error}') from error
        answered_wall_s = self._parts.wall_clock()
        # What is kept is shown again in later prompts; an endless answer must not be.
        kept = reply.text if len(reply.text) <= self._config.answer_chars else reply.text[:80] + '…'
        self._parts.dialogue.add(ModelTurn(question, brief, kept))
        step.correction = ''
        try:
            call = read_call(reply.text, self._config.answer_chars)
        except NotACall as error:
            self._refused(step, str(error))
            return
        if is_reserved(call):
            self._answer_reserved(step, call)
        else:
            self._act(step, call, reply, answered_wall_s)

    def _answer_reserved(self, step: _Step, call: Call) -> None:
        if call.name == 'cannot_do':
            self._give_up(step, harmless(call.argument, self._config.text_chars))
        elif call.argument != self._goal.task:
            self._refused(step, f'{call} names another task; the task is now {self._goal.task}')
        elif call.name == 'finish_task':
            self._finish(step)
        elif not self._config.memory:
            self._refused(step, f'there is no call {call.name} here')
        else:
            self._retrieve(step, declarative=call.name == 'retrieve_declarative_memory')

    def _give_up(self, step: _Step, reason: str) -> None:
        # A model that has lost its instructions gives up as well; what memory says it could do is shown to it first.
        nothing_left = step.declarative is not None and step.working is not None and not step.working.to_do
        doubted = self._config.second_opinion or not nothing_left
        if self._config.memory and step.gave_up < self._config.ask_back and doubted:
            step.gave_up += 1
            names = ', '.join(step.working.to_do) if step.working else ''
            doubt = f'the working memory still lists {names}' if names else 'retrieve the memories of the task first'
            if nothing_left:
                doubt = 'the working memory lists nothing; a task with nothing left to do is finished'
            if self._config.second_opinion:
                # The worker's model may have misread what is still to do; what it selects next time may be right.
                step.working = None
            self._refused(step, f'{doubt}; if it cannot be done all the same, say so again')
            return
        if self._config.look_again_s and not self._tally.moved and not self._looked_again:
            # What is asked for may have been out of sight for a moment, or perception only just begun.
            self._looked_again = True
            self._access.emit(Phase.WAITING, f'looking once more: {reason}')
            self._parts.waits.pause(self._config.look_again_s, self._interrupted)
            raise _StepOver
        status = Status.FAILED if self._tally.moved else Status.REFUSED
        raise _Ended(status, reason, f'I cannot do that: {reason}')

    def _retrieve(self, step: _Step, *, declarative: bool) -> None:
        task, memory = self._goal.task, self._parts.memory
        build = memory.declarative if declarative else memory.working
        found = self._access.patiently(lambda: build(task, step.view, cancelled=self._interrupted))
        self._tally.worker += found.usage
        if declarative:
            step.declarative = found
        else:
            step.working = found
            self._access.left = found.to_do
        self._access.done = found.actions_done
        self._access.doubt(found.doubt)
        if found.open_intent is not None:
            self._settle(task, found.open_intent, step.snapshot)
            raise _StepOver

    def _finish(self, step: _Step) -> None:
        if self._config.memory:
            if step.working is None:
                self._refused(step, f'retrieve the working memory of {self._goal.task} first')
                return
            if step.working.to_do:
                names = ', '.join(step.working.to_do)
                self._refused(step, f'the task is not finished: the working memory still lists {names}')
                return
            if objection := self._second_opinion(step, f'<finish_task({self._goal.task})>'):
                self._refused(step, objection)
                return
        elif self._access.statuses()[self._goal.task].open_intent:
            self._settle_open(self._goal.task, step.snapshot)
            raise _StepOver
        if unmended := self._misses.unmended(step.snapshot):
            raise _Ended(Status.FAILED, unmended, f'I could not finish {spoken_name(self._spec)}: {unmended}')
        self._access.record('finished', step.snapshot)
        raise _Ended(Status.FINISHED, said=f'I have finished {spoken_name(self._spec)}.')

    def _act(self, step: _Step, call: Call, reply: ChatReply, answered_wall_s: float) -> None:
        if objection := self._objection(step, call) or self._second_opinion(step, str(call)):
            self._refused(step, objection)
            return
        self._safe_point()
        self._access.emit(Phase.ACTING, str(call))
        request = ActionRequest(
            text=reply.text.strip(),
            task=self._goal.task,
            allowed_actions=self._spec.actions,
            snapshot=step.snapshot,
            answered_wall_s=answered_wall_s,
            confirmed_by=self._confirmation(call),
        )
        try:
            # A higher goal waits for the outcome; only a cancel stops an action in the middle.
            report = self._parts.actions.execute(request, cancelled=self._telling_cancel(call))
        except StackError as error:
            # It may have moved before it went away.
            self._tally.moved += 1
            self._last = (str(call), ReasonCode.HARDWARE_FAULT, str(error))
            self._fault(str(error))
            raise _StepOver from error
        self._access.emit(Phase.ACTED, report.action or str(call), report.code)
        self._after(step, call, report, reply)

    def _confirmation(self, call: Call) -> str:
        """Who has confirmed a call: the person of the goal, for one execution of the call that it names."""
        if str(call) != self._confirmed:
            return ''
        self._confirmed = ''
        return self._goal.person.strip() or 'somebody unnamed'

    def _telling_cancel(self, call: Call) -> Flag:
        """The flag of a cancel; the first time that an action is to end by it, whoever listens is told."""
        told = False

        def cancelled() -> bool:
            nonlocal told
            if self._cancelled() and not told:
                told = True
                self._access.emit(Phase.ACTING, f'putting down, {call} was cancelled')
            return self._cancelled()

        return cancelled

    def _objection(self, step: _Step, call: Call) -> str:
        if not self._config.memory:
            return ''
        if step.declarative is None:
            return f'retrieve the declarative memory of {self._goal.task} first'
        if step.working is None:
            return f'retrieve the working memory of {self._goal.task} first'
        known = step.snapshot.object_named(call.argument) is not None
        if self._config.attend and known and call.argument not in step.working.to_do:
            names = ', '.join(step.working.to_do)
            advice = f'it lists {names}' if names else 'it lists nothing, so the task is finished'
            return f'{call.argument} is not in the working memory of {self._goal.task}; {advice}'
        return ''

    def _second_opinion(self, step: _Step, proposed: str) -> str:
        """What the worker's model has against a call; nothing where it agrees, or is not asked."""
        if not (self._config.memory and self._config.second_opinion):
            return ''
        review = self._access.patiently(
            lambda: self._parts.memory.review(self._goal.task, proposed, step.view, cancelled=self._interrupted)
        )
        self._tally.worker += review.usage
        if review.fits:
            return ''
        # Either of the two may be wrong, and what the worker selected may be, too: it selects anew.
        step.working = None
        return f'on a second look {proposed} does not fit the task; retrieve the working memory again and think it over'

    def _after(self, step: _Step, call: Call, report: ActionReport, reply: ChatReply) -> None:
        code = report.code
        self._tally.moved += report.attempts > 0 or code is ReasonCode.DONE
        self._access.measured(report, reply.prompt_tokens, again=call in self._misses)
        if code.is_refusal and code is not ReasonCode.BUSY:
            if code is ReasonCode.NOT_CONFIRMED:
                self._to_confirm = str(call).strip('<>')
                said = f'Shall I do {self._to_confirm}? Please confirm it at the terminal.'
                raise _Ended(Status.SUSPENDED, f'{call} has to be confirmed by a person: {report.message}', said)
            self._refused(step, f'{call} was refused ({code}): {report.message}')
            return
        self._last = (report.action or str(call), code, report.message)
        if code is not ReasonCode.BUSY:
            self._busy_since_s = None
        if code is ReasonCode.DONE:
            self._effect_seen(report.action or str(call), call, report.object_id)
        elif code is ReasonCode.STOPPED:
            raise _Ended(
                Status.SUSPENDED,
                f'stopped during {call}: {report.message or "emergency stop"}; nothing moves until `lucca reset`, '
                'then the task can be resumed',
            )
        elif code is ReasonCode.BUSY:
            self._busy(report.message)
        elif code is ReasonCode.HARDWARE_FAULT:
            self._fault(f'{call} -> {code}: {report.message}')
        else:
            self._safe_point()
            self._missed(call, report)
        raise _StepOver

    def _effect_seen(self, action: str, call: Call, object_id: str) -> None:
        self._access.done = (*self._access.done, action)
        self._access.left = tuple(item for item in self._access.left if item != call.argument)
        self._tally.done += 1
        self._misses.clear(call, object_id)
        if self._goal.max_actions and self._tally.done >= self._goal.max_actions:
            raise _Ended(Status.SUSPENDED, f'max_actions = {self._goal.max_actions} reached')

    def _missed(self, call: Call, report: ActionReport) -> None:
        times = self._misses.add(call, report.object_id)
        if times >= self._config.max_misses:
            raise _Ended(Status.FAILED, f'{call} failed {times} times, last with {report.code}: {report.message}')

    def _refused(self, step: _Step, correction: str) -> None:
        self._count_refusal(correction)
        step.repairs += 1
        step.correction = correction
        if step.repairs > self._config.max_repairs:
            raise _StepOver

    def _count_refusal(self, correction: str) -> None:
        self._tally.refusals += 1
        if self._tally.refusals >= self._config.max_refusals:
            raise _Ended(Status.FAILED, f'the model gave {self._tally.refusals} wrong answers, the last: {correction}')

    def _settle_open(self, task: str, snapshot: Snapshot) -> None:
        found = self._access.patiently(
            lambda: self._parts.memory.declarative(task, in_reach(snapshot), cancelled=self._interrupted)
        )
        self._tally.worker += found.usage
        if found.open_intent is not None:
            self._settle(task, found.open_intent, snapshot)

    def _settle(self, task: str, intent: OpenIntent, snapshot: Snapshot) -> None:
        self._access.emit(Phase.ACTING, f'settling {intent.action}')
        report = self._access.patiently(
            lambda: self._parts.actions.settle(task, intent, snapshot, cancelled=self._cancelled)
        )
        self._tally.moved += report.attempts > 0
        self._access.emit(Phase.ACTED, intent.action, report.code)
        own = task == self._goal.task
        if own:
            self._last = (intent.action, report.code, report.message)
        call = Call(intent.action.partition('(')[0].lstrip('<'), intent.object_name)
        if report.code is ReasonCode.DONE and own:
            self._effect_seen(intent.action, call, report.object_id or intent.object_id)
        elif report.code is ReasonCode.EFFECT_NOT_SEEN and own:
            self._misses.add(call, report.object_id or intent.object_id)
        elif report.code is ReasonCode.BUSY:
            self._busy(report.message)
        elif not report.outcome_id:
            self._fault(f'{intent.action} could not be settled: {report.code} {report.message}')

    def _busy(self, reason: str) -> None:
        # The action of a coordinator that died goes on to its end; it may take as long as any action.
        now_s = self._parts.waits.clock()
        if self._busy_since_s is None:
            self._busy_since_s = now_s
        elif now_s - self._busy_since_s > self._config.action_timeout_s:
            raise _Ended(Status.FAILED, f'the arms stayed busy for {self._config.action_timeout_s:g} s: {reason}')
        self._access.emit(Phase.WAITING, f'the arms are busy: {reason}')
        self._parts.waits.pause(self._config.retry_pause_s, self._interrupted)

    def _fault(self, reason: str) -> None:
        self._tally.faults += 1
        if self._tally.faults > self._config.max_faults:
            raise _Ended(Status.FAILED, f'{self._tally.faults} faults in the stack, the last: {reason}')
        self._access.emit(Phase.WAITING, reason)
        pause_s = min(self._config.retry_pause_s * self._tally.faults, self._config.retry_pause_max_s)
        self._parts.waits.pause(pause_s, self._interrupted)

    def _interrupted(self) -> bool:
        return self._cancelled() or self._preempted()

    def _safe_point(self) -> None:
        if self._cancelled():
            raise _Ended(Status.CANCELLED, 'cancelled')
        if self._preempted():
            raise _Ended(Status.SUSPENDED, 'a goal of higher priority')

    def _view(self, step: _Step) -> StepView:
        action, code, message = self._last
        return StepView(
            task=self._goal.task,
            snapshot=step.view,
            declarative=step.declarative.text if step.declarative else '',
            working=step.working.text if step.working else '',
            last_action=action,
            last_code=code,
            last_message=message,
            correction=step.correction,
        )

    def _ended(self, end: _Ended) -> TaskResult:
        reason = end.reason
        if self._begun:
            note = f'{end.status}: {reason}' if reason else str(end.status)
            try:
                self._access.close(note, None if end.status is Status.FINISHED else self._snapshot)
            except (StackError, MemoryFault) as error:
                reason = f'{reason} (memory was not reached at the end: {error})'.strip()
        if end.status is Status.SUSPENDED:
            self._access.emit(Phase.SUSPENDED, reason)
        return replace(self._access.result(end.status, reason, end.said), to_confirm=self._to_confirm)
