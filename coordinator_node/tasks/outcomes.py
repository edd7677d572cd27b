"""The outcomes of a goal's actions, and the limits on failures that end the goal."""

from collections.abc import Sequence
from dataclasses import replace

from coordinator_node.interfaces import Goal
from coordinator_node.tasks.goal_access import GoalAccess
from coordinator_node.tasks.goal_end import Ended, Interruption
from coordinator_node.tasks.missed_actions import MissedActions
from coordinator_node.tasks.parts import Parts
from coordinator_node.tasks.subject import Subject
from lucca_core.codes import ReasonCode
from lucca_core.errors import StackError
from lucca_core.protocol.actions import ActionCall, ActionResult
from lucca_core.protocol.goals import Phase, Status
from lucca_core.protocol.retrieved import OpenIntent, Retrieved
from lucca_core.protocol.snapshots import Snapshot
from lucca_llm.prompt_text import shown_name
from lucca_memory.working import with_to_do

MOST_FAULTS_IN_A_ROW = 6
"""Faults that are waited for, 16 s in all, which a node needs to start again. Each asks the model once more."""


class Outcomes:
    """Keeps the outcomes of one goal; raises `Ended` when it cannot go on.

    `last`: action, code and message of the last outcome. `failed`: the calls with any code other than done.
    """

    def __init__(
        self, parts: Parts, goal: Goal, access: GoalAccess, subject: Subject, interruption: Interruption
    ) -> None:
        self._config = parts.config
        self._waits = parts.waits
        self._goal = goal
        self._access = access
        self._tally = access.tally
        self._interruption = interruption
        self._actions = parts.definitions.actions
        self._misses = MissedActions(self._actions)
        self._busy_since_s: float | None = None
        self._faults_in_a_row = 0
        self.last: tuple[str, str, str] = ('', '', '')
        self.failed: set[ActionCall] = set()
        self._subject = subject

    def measured(self, call: ActionCall, report: ActionResult, prompt_tokens: int) -> None:
        """Keeps the measurements of an action, whatever its outcome."""
        self._tally.moved += report.attempts > 0 or report.code is ReasonCode.DONE
        if report.code is not ReasonCode.DONE:
            self.failed.add(call)
        self._access.measured(report, prompt_tokens, again=call in self._misses)

    def acted(self, call: ActionCall, report: ActionResult) -> None:
        """Handles the end of an action that was not refused."""
        code = report.code
        self.last = (report.action or str(call), code, report.message)
        if code is not ReasonCode.BUSY:
            self._busy_since_s = None
        if code is not ReasonCode.HARDWARE_FAULT:
            self._faults_in_a_row = 0
        if code is ReasonCode.DONE:
            self._effect_seen(report.action or str(call), call, report.object_id)
        elif code is ReasonCode.STOPPED:
            raise Ended(
                Status.SUSPENDED,
                f'stopped during {call}: {report.message or "emergency stop"}; nothing moves until `lucca reset`, '
                'then the task can be resumed',
            )
        elif code is ReasonCode.BUSY:
            self._busy(report.message)
        elif code is ReasonCode.HARDWARE_FAULT:
            self._fault(f'{call} -> {code}: {report.message}')
        else:
            self._interruption.safe_point()
            self._missed(call, report)

    def lost(self, call: ActionCall, error: StackError) -> None:
        """Handles the loss of the action node during an action, which may have moved something."""
        self._tally.moved += 1
        self.last = (str(call), ReasonCode.HARDWARE_FAULT, str(error))
        self._fault(str(error))

    def settled(self, intent: OpenIntent, report: ActionResult, *, own: bool) -> None:
        """Handles the outcome of an open intent that was judged. `own`: the intent belongs to this goal's task."""
        self._tally.moved += report.attempts > 0
        self._access.emit(Phase.ACTED, intent.action, report.code)
        if own:
            self.last = (intent.action, report.code, report.message)
        call = ActionCall(ActionCall.from_text(intent.action).name, intent.object_name)
        if report.code is ReasonCode.DONE and own:
            self._effect_seen(intent.action, call, report.object_id or intent.object_id)
        elif report.code is ReasonCode.EFFECT_NOT_SEEN and own:
            self._misses.add(call, report.object_id or intent.object_id)
        elif report.code is ReasonCode.BUSY:
            self._busy(report.message)
        elif not report.outcome_id:
            self._fault(f'{intent.action} could not be settled: {report.code} {report.message}')

    def refused(self, correction: str) -> None:
        """Counts a wrong answer of the model. `correction` is what the model is told."""
        self._tally.refusals += 1
        if self._tally.refusals >= self._config.max_refusals:
            raise Ended(Status.FAILED, f'the model gave {self._tally.refusals} wrong answers, the last: {correction}')

    def others_first(self, found: Retrieved) -> Retrieved:
        """A working memory without objects that were not reached or missed too often, while others may come before.

        Once the others are done, the way to an object may be free. What the task wants first is never left for later.
        """
        waiting = self._waiting_for_others(found.to_do)
        if not waiting:
            return found
        to_do = tuple(name for name in found.to_do if name not in waiting)
        calls = tuple(call for call in found.calls if ActionCall.from_text(call).argument not in waiting)
        shown = [str(replace(call, argument=shown_name(call.argument))) for call in map(ActionCall.from_text, calls)]
        text = with_to_do(found.text, to_do, shown)
        return replace(found, text=text, to_do=to_do, calls=calls)

    def with_causes(self, reason: str) -> str:
        """The reason of a model that gives up, with what is in the way of objects that were not reached."""
        why = self._misses.why(unreachable=True)
        return f'{reason} ({why})' if why else reason

    def unmended(self, snapshot: Snapshot) -> str:
        """The actions that were tried without success; see `MissedActions.unmended`."""
        return self._misses.unmended(snapshot)

    def unfinished(self, snapshot: Snapshot) -> str:
        """What the model announced and is not done; see `Restatement.unfinished`."""
        return self._subject.restatement.unfinished(self._actions, snapshot, self._access.done, self.failed)

    def _effect_seen(self, action: str, call: ActionCall, object_id: str) -> None:
        self._access.done = (*self._access.done, action)
        self._access.left = tuple(item for item in self._access.left if item != call.argument)
        self._tally.done += 1
        self._misses.clear(call, object_id)
        if self._goal.max_actions and self._tally.done >= self._goal.max_actions:
            raise Ended(Status.SUSPENDED, f'max_actions = {self._goal.max_actions} reached')

    def _missed(self, call: ActionCall, report: ActionResult) -> None:
        times = self._misses.add(call, report.object_id, report.code, report.message)
        most = self._config.max_misses
        if times > most or (times == most and not self._waiting_for_others(self._access.left)):
            reason = f'{call} failed {times} times, last with {report.code}: {report.message}'
            raise Ended(Status.FAILED, reason, f'I cannot do all of it: {self._misses.why()}')

    def _waiting_for_others(self, names: Sequence[str]) -> set[str]:
        """Those of these objects that are left until others, which may come next as well, are done."""
        next_ones = self._subject.restatement.next_of(names, self._access.done, self._subject.spec.description)
        waiting = self._misses.waiting(self._config.max_misses)
        return waiting.intersection(names) if set(next_ones) - waiting else set()

    def _busy(self, reason: str) -> None:
        # The action of a coordinator that died runs to its end, which may take as long as any action.
        now_s = self._waits.clock()
        if self._busy_since_s is None:
            self._busy_since_s = now_s
        elif now_s - self._busy_since_s > self._config.action_timeout_s:
            raise Ended(Status.FAILED, f'the arms stayed busy for {self._config.action_timeout_s:g} s: {reason}')
        self._access.emit(Phase.WAITING, f'the arms are busy: {reason}')
        self._waits.pause(self._config.retry_pause_s, self._interruption.is_wanted)

    def _fault(self, reason: str) -> None:
        self._tally.faults += 1
        self._faults_in_a_row += 1
        if self._tally.faults > self._config.max_faults or self._faults_in_a_row > MOST_FAULTS_IN_A_ROW:
            raise Ended(Status.FAILED, f'{self._tally.faults} faults in the stack, the last: {reason}')
        self._access.emit(Phase.WAITING, reason)
        pause_s = min(self._config.retry_pause_s * 2 ** (self._faults_in_a_row - 1), self._config.retry_pause_max_s)
        self._waits.pause(pause_s, self._interruption.is_wanted)
