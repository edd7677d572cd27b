"""The executor: runs one action at a time, and handles stop and reset.

Nothing moves before the action's intent is acknowledged. Everything after that ends in an outcome: effect seen, effect
not seen, cancelled, stopped or a fault. After a cancel, the arm puts down what it carries and goes home. A stop holds
the arms at once and keeps the grip.
"""

import logging
import threading
from dataclasses import dataclass

from action_node.action_run import ActionRun
from action_node.cancel_latch import CancelLatch
from action_node.interfaces import ActionComponents, Feedback
from action_node.mover import Mover
from action_node.stop.stop_keeper import StopKeeper
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.observations import ActionEnded

_LOG = logging.getLogger(__name__)

DISK_PATIENCE_S = 1.0
"""Wall time for which the answer to a stop, or a reset, waits for the disk. The arms do not wait for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReport:
    """The result of a stop.

    `not_held`: what could not be held, and why. `not_kept`: why the stop is not on the disk yet, or empty; also empty
    if nobody waited for the disk.
    """

    not_held: tuple[str, ...] = ()
    not_kept: str = ''

    @property
    def whole(self) -> bool:
        """True if the arms hold and, if the disk was waited for, a restarted node will be stopped, too."""
        return not (self.not_held or self.not_kept)

    def __str__(self) -> str:
        said = 'the arms hold until action/reset'
        if self.not_held:
            said = (
                f'nothing new moves until action/reset, but no hold could be sent ({"; ".join(self.not_held)}): '
                'arms that move finish the last chunk that was sent; use the hardware stop'
            )
        if self.not_kept:
            said += (
                '. The stop is not on the disk yet; writing it is tried again. '
                f'Until then, a node that starts is not stopped: {self.not_kept}'
            )
        return said


class ActionExecutor:
    """Runs one action at a time; a second one is refused as `busy`. Safe to call from any thread."""

    def __init__(self, parts: ActionComponents, *, stopped: bool = False) -> None:
        """If `stopped`, nothing moves before a reset."""
        self._parts = parts
        self._busy = threading.Lock()
        self._keeper = StopKeeper(parts.marker) if parts.marker is not None else None
        self._mover = Mover(parts, stopped=stopped, protect=lambda why: self.stop(why).not_held)

    @property
    def stopped(self) -> bool:
        """True from a stop until its reset."""
        return self._mover.stopped

    @property
    def busy(self) -> bool:
        """True during an action or a reset."""
        return self._busy.locked()

    @property
    def may_end(self) -> bool:
        """True if the process may end: no action or reset is in progress, and the last stop is safe on the disk."""
        return not self.busy and (self._keeper is None or self._keeper.idle)

    @property
    def stops(self) -> int:
        """Number of stops in this process."""
        return self._mover.stops

    @property
    def why_stopped(self) -> str:
        """The first cause of the present stop, in words; empty if it is not known, or if there is none."""
        return self._mover.why_stopped

    def stop(self, why: str = '', *, wait_for_disk: bool = True) -> StopReport:
        """Emergency stop: the arms hold, the stop is written to the disk in parallel, and nothing moves until `reset`.

        Never raises. Returns after the time of a hold and, if it waits for the disk, at most `DISK_PATIENCE_S`. If it
        does not, the report says nothing of the disk; see `disk_fault`. `why`: the cause, for people.
        """
        keeper = self._keeper
        if keeper is None:
            return StopReport(not_held=self._mover.stop(why=why))
        not_held = self._mover.stop(keeper.set, why)
        return StopReport(not_held=not_held, not_kept=keeper.wait(DISK_PATIENCE_S) if wait_for_disk else '')

    @property
    def disk_fault(self) -> str:
        """Why the last stop is not on the disk; empty if it is, or may still be within `DISK_PATIENCE_S`."""
        if self._keeper is None:
            return ''
        late = f'the disk has not answered for {DISK_PATIENCE_S:g} s' if self._keeper.waits_s > DISK_PATIENCE_S else ''
        return self._keeper.fault or late

    def keep_stop(self) -> None:
        """Asks for the stop to be written, for when `stop` itself has failed; `may_end` is false until then."""
        if self._keeper is not None:
            self._keeper.set()

    def hold_until_reset(self) -> StopReport:
        """Stops this process only: nothing is written to the disk."""
        return StopReport(not_held=self._mover.stop(why='the action node was deactivated'))

    def close(self) -> None:
        """Ends the thread that writes stops. A later stop is written by the stopping thread itself."""
        if self._keeper is not None:
            self._keeper.close(DISK_PATIENCE_S)

    def reset(self, stops: int | None = None) -> tuple[bool, str]:
        """Lifts a stop, puts down what a hand holds, and brings the arms home. Returns success and a message.

        If anything fails, a robot that was stopped is stopped again.

        Args:
            stops: the number of stops that the caller knows of; a newer stop is not lifted. None for all until now.
        """
        stops = self._mover.stops if stops is None else stops
        if not self._busy.acquire(timeout=self._parts.config.intent_timeout_s):
            return False, 'an action is still being carried out; cancel or stop it first'
        was_stopped, why, done = self._mover.stopped, self._mover.why_stopped, False
        try:
            if not self._mover.release(stops):
                return False, 'there was another stop meanwhile; reset again'
            end = self._mover.clear()
            if end.code is not ReasonCode.DONE:
                return False, end.message
            fault = self._unmarked()
            done = not fault
            return done, fault or end.message or 'the arms are at home'
        except Exception as error:  # noqa: BLE001 - see below
            # A bug: it must be answered, and the robot must be stopped again.
            return False, self._parts.internal_errors.note(error, 'a reset')
        finally:
            if was_stopped and not done:
                self._mover.stop(why=why)
            self._busy.release()

    def _unmarked(self) -> str:
        """Removes the stop from the disk, unless there is a newer one. Returns the fault, or an empty text."""
        if self._keeper is None:
            return 'the robot was stopped again' if self._mover.stopped else ''
        fault = self._keeper.clear(DISK_PATIENCE_S, unless=lambda: self._mover.stopped)
        if fault and not self._mover.stopped:
            # The marker may be gone anyway, but this robot stays stopped, so it is written again.
            self._keeper.set()
            return f'the arms are at home, but the stop cannot be taken off the disk: {fault}'
        return fault

    def execute(self, request: ActionRequest, cancelled: CancelLatch, feedback: Feedback) -> ActionResult:
        """Runs one action to its end. Failures of the world or of a model are returned as results, never raised.

        Args:
            request: the requested action.
            cancelled: may be set at any time, by any thread.
            feedback: called with each phase.
        """
        free = self._busy.acquire(blocking=False)
        try:
            result = ActionRun(self._parts, self._mover, request, cancelled, feedback, busy=not free).run()
            self._parts.observe(ActionEnded(task=request.task, result=result))
            return result
        finally:
            if free:
                self._busy.release()
