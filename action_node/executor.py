"""The one place that runs an action: parse, gate, intent, plan, move, verify, outcome.

Nothing moves for an action before its intent is acknowledged. Whatever happens after that ends in an outcome: an effect
seen, a miss, a cancel, a stop, a fault. A cancel latches, and lets the arm put down what it carries and go home; a stop
holds at once and keeps the grip.
"""

import logging
import threading
from dataclasses import dataclass

from action_node.cancel_latch import CancelLatch
from action_node.mover import Mover
from action_node.one_action import OneAction
from action_node.seams import Feedback, Parts
from action_node.stop_keeper import StopKeeper
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionRequest, ActionResult

_LOG = logging.getLogger(__name__)

DISK_PATIENCE_S = 1.0
"""Wall time that a stop's answer, or a reset, waits for the disk. The arms wait for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReport:
    """What a stop has achieved. `not_held`: what could not be held, and why; `not_kept`: why it is not on the disk yet."""

    not_held: tuple[str, ...] = ()
    not_kept: str = ''

    @property
    def whole(self) -> bool:
        """True if the arms hold and a restarted node is stopped too."""
        return not (self.not_held or self.not_kept)

    def __str__(self) -> str:
        said = 'the arms hold until action/reset'
        if self.not_held:
            said = (
                f'nothing new moves until action/reset, but no hold could be sent ({"; ".join(self.not_held)}): what moves '
                'goes on to the end of what was sent last; use the hardware stop'
            )
        if self.not_kept:
            said += f'. It is not on the disk yet and is tried again; a node that starts now is not stopped: {self.not_kept}'
        return said


class ActionExecutor:
    """Runs one action at a time; a second one meanwhile is `busy`. Safe to call from any thread."""

    def __init__(self, parts: Parts, *, stopped: bool = False) -> None:
        """`stopped`: nothing moves before a reset, as after a stop."""
        self._parts = parts
        self._busy = threading.Lock()
        self._keeper = StopKeeper(parts.marker) if parts.marker is not None else None
        self._mover = Mover(parts, stopped=stopped)

    @property
    def stopped(self) -> bool:
        """True from a stop to the reset after it."""
        return self._mover.stopped

    @property
    def busy(self) -> bool:
        """True while an action or a reset is under way."""
        return self._busy.locked()

    @property
    def stops(self) -> int:
        """How many stops there have been in this process."""
        return self._mover.stops

    def stop(self) -> StopReport:
        """Emergency stop: the arms hold, the stop is written to the disk beside that, and nothing moves until `reset`.

        Never raises, and answers within `DISK_PATIENCE_S` and what a hold takes.
        """
        keeper = self._keeper
        if keeper is None:
            return StopReport(not_held=self._mover.stop())
        not_held = self._mover.stop(keeper.set)
        return StopReport(not_held=not_held, not_kept=keeper.wait(DISK_PATIENCE_S))

    def hold_until_reset(self) -> StopReport:
        """As `stop`, but only for this process: nothing is written."""
        return StopReport(not_held=self._mover.stop())

    def close(self) -> None:
        """Ends the thread that keeps stops. A stop after this is written all the same, by the thread that stops."""
        if self._keeper is not None:
            self._keeper.close(DISK_PATIENCE_S)

    def reset(self, stops: int | None = None) -> tuple[bool, str]:
        """Lifts a stop, puts down what a hand holds, and brings the arms home. True if they are there, and what to say.

        Whatever goes wrong, a robot that was stopped is stopped again.

        Args:
            stops: the number of stops that whoever asks knew of; a newer one is not lifted. None: those until now.
        """
        stops = self._mover.stops if stops is None else stops
        if not self._busy.acquire(timeout=self._parts.config.intent_timeout_s):
            return False, 'an action is still being carried out; cancel or stop it first'
        was_stopped, done = self._mover.stopped, False
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
            # A bug, ours or a library's, must not end the process that hears the next stop.
            _LOG.exception('the reset broke off')
            return False, f'internal error {type(error).__name__}: {error}'
        finally:
            if was_stopped and not done:
                self._mover.stop()
            self._busy.release()

    def _unmarked(self) -> str:
        """Takes the stop off the disk, unless there is a newer one. Returns what went wrong."""
        if self._keeper is None:
            return 'the robot was stopped again' if self._mover.stopped else ''
        fault = self._keeper.clear(DISK_PATIENCE_S, unless=lambda: self._mover.stopped)
        if fault and not self._mover.stopped:
            # It may be gone all the same, and this robot stays stopped.
            self._keeper.set()
            return f'the arms are at home, but the stop cannot be taken off the disk: {fault}'
        return fault

    def execute(self, request: ActionRequest, cancelled: CancelLatch, feedback: Feedback) -> ActionResult:
        """Runs one action to its end. Never raises for anything that the world or a model can bring about.

        Args:
            request: what is asked for.
            cancelled: may be set at any instant, by any thread.
            feedback: told each phase.
        """
        free = self._busy.acquire(blocking=False)
        try:
            return OneAction(self._parts, self._mover, request, cancelled, feedback, busy=not free).run()
        finally:
            if free:
                self._busy.release()
