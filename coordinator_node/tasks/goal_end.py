"""The end of a goal: the exception that ends its run, and the flags that interrupt it from outside."""

from collections.abc import Callable

from coordinator_node.interfaces import Flag
from coordinator_node.tasks.restatement import Restatement
from lucca_core.protocol.goals import Status


class Ended(Exception):
    """Ends the goal with this status.

    `said` is what the person is told. `restatement` holds a question that has to be answered before the goal goes on.
    """

    def __init__(
        self, status: Status, reason: str = '', said: str = '', restatement: Restatement | None = None
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.said = said
        self.restatement = restatement


class Interruption:
    """The two reasons to interrupt a goal: a cancel, or a goal of higher priority."""

    def __init__(self, cancelled: Flag, preempted: Flag) -> None:
        self.cancelled = cancelled
        self._preempted = preempted

    def is_wanted(self) -> bool:
        """Whether there is either reason; this ends all mere waiting at once."""
        return self.cancelled() or self._preempted()

    def telling(self, tell: Callable[[], None]) -> Flag:
        """The flag of a cancel, which calls `tell` the first time it is found raised."""
        told = False

        def cancelled() -> bool:
            nonlocal told
            if self.cancelled() and not told:
                told = True
                tell()
            return self.cancelled()

        return cancelled

    def safe_point(self) -> None:
        """Ends the goal if it is interrupted. Call this where nothing moves and no intent is open.

        Raises:
            Ended: the goal was cancelled, or a goal of higher priority waits.
        """
        if self.cancelled():
            raise Ended(Status.CANCELLED, 'cancelled')
        if self._preempted():
            raise Ended(Status.SUSPENDED, 'a goal of higher priority')
