"""The access of one goal to memory and perception, with retries, and its progress as others are told."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from coordinator_node.interfaces import Flag, Goal, Tally, TaskResult, never
from coordinator_node.tasks.parts import Parts
from coordinator_node.undone_effects import undone_in_words
from lucca_core.codes import ReasonCode
from lucca_core.errors import LuccaError
from lucca_core.protocol.actions import ActionResult
from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.goals import GoalFeedback, OnFeedback, Phase, Status
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState

T = TypeVar('T')


class GoalAccess:
    """Access to memory and perception with retries, and the progress of one goal for feedback and result."""

    def __init__(self, parts: Parts, goal: Goal, interrupted: Flag, on_event: OnFeedback) -> None:
        self._parts = parts
        self._goal = goal
        self._interrupted = interrupted
        self._on_event = on_event
        self.tally = Tally()
        self.done: tuple[str, ...] = ()
        self.before: tuple[str, ...] = ()
        self.left: tuple[str, ...] = ()
        self.undone: tuple[str, ...] = ()
        self.repeated = 0
        self.waits: bool | None = None
        self._doubts: dict[str, None] = {}

    def patiently(self, call: Callable[[], T]) -> T:
        """The result of `call`, retried while parts of the stack are away, up to `stack_wait_s`."""

        def report(error: LuccaError) -> None:
            self.emit(Phase.WAITING, str(error))

        return self._parts.waits.patiently(
            call, limit_s=self._parts.config.stack_wait_s, interrupted=self._interrupted, on_wait=report
        )

    def fresh(self) -> Snapshot:
        """A snapshot of the table taken after this call."""
        seen, timeout_s = self._parts.perception, self._parts.config.fresh_timeout_s
        newer_than_s = seen.now_s()
        return self.patiently(lambda: seen.fresh(newer_than_s, timeout_s, cancelled=self._interrupted))

    def record(self, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '', description: str = '') -> None:
        """Writes an entry to the log of the goal's task."""
        self.patiently(
            lambda: self._parts.memory.record(
                self._goal.task, kind, snapshot, code=code, note=note, description=description
            )
        )

    def statuses(self) -> dict[str, TaskState]:
        """All tasks that memory knows, by name."""
        return {item.task: item for item in self.patiently(self._parts.memory.tasks)}

    def close(self, kind: EntryKind, note: str, snapshot: Snapshot | None) -> None:
        """Records the end of the goal, unless `snapshot` is None because that was done, and reads its final state.

        Raises:
            StackError, MemoryFault: memory could not be reached within `closing_timeout_s`.
        """
        task, memory, limit_s = self._goal.task, self._parts.memory, self._parts.config.closing_timeout_s
        if snapshot is not None:
            self._parts.waits.patiently(
                lambda: memory.record(task, kind, snapshot, note=note), limit_s=limit_s, interrupted=never
            )
        statuses = self._parts.waits.patiently(memory.tasks, limit_s=limit_s, interrupted=never)
        for status in statuses:
            if status.task == task:
                self.done, self.repeated = status.actions_done, status.repeated
                self.before = status.done_before
                # The entry alone does not say it: what is refused waits only if something was done.
                self.waits = status.status == 'suspended'

    def measured(self, report: ActionResult, prompt_tokens: int, *, again: bool) -> None:
        """Keeps the measurements of an action that moved. `again`: it missed before in this goal."""
        if report.attempts > 0 or report.code is ReasonCode.DONE:
            self.tally.overhead_s.append(report.overhead_before_s + report.overhead_after_s)
            self.tally.planning_s.append(report.planning_s)
            self.tally.verify_wait_s.append(report.verify_wait_s)
            self.tally.prompt_tokens.append(prompt_tokens)
            self.tally.retries += max(0, report.attempts - 1) + again

    def tell_undone(self, undone: Sequence[str]) -> None:
        """Says that the effects of these actions are gone, once for each action in this goal."""
        new = tuple(action for action in undone if action not in self.undone)
        if new:
            self.undone = (*self.undone, *new)
            self.emit(Phase.SAYING, undone_in_words(new, self._parts.definitions.actions))

    def doubt(self, doubt: str) -> None:
        """Reports what memory is not certain of, once; the goal's last words ask the person about it."""
        if doubt and doubt not in self._doubts:
            self._doubts[doubt] = None
            self.emit(Phase.THINKING, f'not certain: {doubt}')

    def emit(self, phase: Phase, text: str = '', code: str = '') -> None:
        """Sends feedback on the state of the goal."""
        self._on_event(
            GoalFeedback(
                step=self.tally.steps, phase=phase, text=text, code=code, actions_done=self.done, left=self.left
            )
        )

    def result(self, status: Status, reason: str, said: str) -> TaskResult:
        """The result of the goal."""
        tally = self.tally
        return TaskResult(
            status=status,
            task=self._goal.task,
            said=' '.join([said, *(f'Please tell me: {doubt}.' for doubt in self._doubts)]).strip(),
            reason=reason,
            actions_done=self.done,
            done_before=self.before,
            undone=self.undone,
            left=() if status is Status.FINISHED else self.left,
            repeated=self.repeated,
            retries=tally.retries,
            refusals=tally.refusals,
            model_retries=tally.model_retries,
            waits=self.waits,
            coordinator=tally.coordinator,
            worker=tally.worker,
            overhead_s=tuple(tally.overhead_s),
            planning_s=tuple(tally.planning_s),
            verify_wait_s=tuple(tally.verify_wait_s),
            prompt_tokens=tuple(tally.prompt_tokens),
        )
