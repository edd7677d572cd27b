"""An accepted goal of the coordinator: waiting for its result, and cancelling it."""

import time
from collections.abc import Callable
from concurrent.futures import Future as ThreadFuture

from rclpy.action.client import ClientGoalHandle

from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalResult
from lucca_ros.callers import Lifeline, wait_for


class RunningGoal:
    """An accepted goal. `wait` returns its result; `cancel` returns once the cancel request is accepted."""

    def __init__(self, handle: ClientGoalHandle, report: 'ThreadFuture[GoalResult]', lifeline: Lifeline) -> None:
        self._handle = handle
        self._report = report
        self._lifeline = lifeline

    @property
    def goal_id(self) -> str:
        """Its id, as nodes report it."""
        return bytes(self._handle.goal_id.uuid).hex()

    @property
    def ended(self) -> bool:
        """Whether its result is there."""
        return self._report.done()

    def wait(self, timeout_s: float | None = None, alive: Callable[[], None] | None = None) -> GoalResult:
        """The result, as soon as the goal has ended. `alive` is called every half second and may raise.

        Raises:
            StackError: it has not ended within `timeout_s` of wall time, the coordinator died, or `alive` raised.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            try:
                return self._report.result(timeout=0.5)
            except TimeoutError:
                if alive is not None:
                    alive()
                if self._lifeline.broken():
                    raise StackError('the coordinator died; what was done is in the log, give the goal again') from None
                if deadline is not None and time.monotonic() > deadline:
                    raise StackError(f'the goal has not ended within {timeout_s:g} s') from None

    def cancel(self, timeout_s: float = 5.0) -> None:
        """Asks the coordinator to cancel. The result then says `cancelled`, unless the goal had ended before."""
        wait_for(self._handle.cancel_goal_async(), timeout_s, 'the cancel request')
